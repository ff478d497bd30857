//! Literals: values that are not made by functions of the interface, such as the numbers that a set holds.

use std::any::{Any, TypeId};
use std::fmt::Debug;

/// The literals of a type.
pub struct Literals {
    /// The type.
    pub(super) id: TypeId,
    values: Box<dyn Any>,
    nth: fn(&dyn Any, usize) -> Option<&dyn Any>,
    copied: fn(&dyn Any) -> Box<dyn Any>,
    /// The values as they are written in a program.
    pub(super) shown: Vec<String>,
}

fn nth<T: 'static>(values: &dyn Any, at: usize) -> Option<&dyn Any> {
    values.downcast_ref::<Vec<T>>()?.get(at).map(|value| -> &dyn Any { value })
}

fn copied<T: Clone + 'static>(value: &dyn Any) -> Box<dyn Any> {
    Box::new(value.downcast_ref::<T>().expect("a literal of its type").clone())
}

impl Literals {
    /// Literals of a type.
    pub fn of<T: Clone + Debug + 'static>(values: Vec<T>) -> Literals {
        let shown = values.iter().map(|value| shown(value)).collect();
        Literals { id: TypeId::of::<T>(), values: Box::new(values), nth: nth::<T>, copied: copied::<T>, shown }
    }

    /// The number of them.
    pub(super) fn len(&self) -> usize {
        self.shown.len()
    }

    /// One of them.
    pub(super) fn nth(&self, at: usize) -> &dyn Any {
        (self.nth)(&*self.values, at).expect("literals are numbered from 0")
    }

    /// All of them, as a `Vec`.
    pub(super) fn all(&self) -> &dyn Any {
        &*self.values
    }

    /// A copy of a value of this type.
    pub(super) fn copied(&self, value: &dyn Any) -> Box<dyn Any> {
        (self.copied)(value)
    }

    /// The literals of the types that are known without being given.
    pub(super) fn known() -> Vec<Literals> {
        vec![
            Literals::of(vec![(); 1]),
            Literals::of(vec![false, true]),
            Literals::of(vec!['a', 'b', 'z']),
            Literals::of(["", "a", "b", "ab", "ba"].map(str::to_owned).to_vec()),
            Literals::of((0..8_u8).collect::<Vec<_>>()),
            Literals::of((0..8_u16).collect::<Vec<_>>()),
            Literals::of((0..8_u32).collect::<Vec<_>>()),
            Literals::of((0..8_u64).collect::<Vec<_>>()),
            Literals::of((0..8_u128).collect::<Vec<_>>()),
            Literals::of((0..8_usize).collect::<Vec<_>>()),
            Literals::of((-2..6_i8).collect::<Vec<_>>()),
            Literals::of((-2..6_i16).collect::<Vec<_>>()),
            Literals::of((-2..6_i32).collect::<Vec<_>>()),
            Literals::of((-2..6_i64).collect::<Vec<_>>()),
            Literals::of((-2..6_i128).collect::<Vec<_>>()),
            Literals::of((-2..6_isize).collect::<Vec<_>>()),
            Literals::of(vec![0.0_f32, 1.0, -1.5]),
            Literals::of(vec![0.0_f64, 1.0, -1.5]),
        ]
    }
}

/// A value as it is written in a program: its `Debug` text, with what that leaves out for texts, numbers and variants of enumerations.
fn shown<T: Debug + 'static>(value: &T) -> String {
    let text = format!("{value:?}");
    let path = std::any::type_name::<T>();
    let name = path.split('<').next().and_then(|path| path.rsplit("::").next()).unwrap_or(path);
    match &*text {
        _ if TypeId::of::<T>() == TypeId::of::<String>() => text + ".to_owned()",
        "NaN" => format!("{name}::NAN"),
        "inf" => format!("{name}::INFINITY"),
        "-inf" => format!("{name}::NEG_INFINITY"),
        // A struct begins with its own name, and a variant does not.
        _ if text.starts_with(char::is_uppercase) && !text.starts_with(name) && !path.starts_with("core::") => {
            format!("{name}::{text}")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "it is shown")]
    enum Colour {
        Green,
        Mixed(u8),
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "it is shown")]
    struct Point {
        x: u8,
    }

    #[test]
    fn literals_are_expressions() {
        assert_eq!(shown(&f64::NAN), "f64::NAN");
        assert_eq!(shown(&f32::NEG_INFINITY), "f32::NEG_INFINITY");
        assert_eq!(
            (shown(&1.0_f64), shown(&-2_i8), shown(&'a')),
            ("1.0".to_owned(), "-2".to_owned(), "'a'".to_owned())
        );
        assert_eq!(
            (shown(&Colour::Green), shown(&Colour::Mixed(1))),
            ("Colour::Green".to_owned(), "Colour::Mixed(1)".to_owned())
        );
        assert_eq!((shown(&Point { x: 1 }), shown(&Some(1))), ("Point { x: 1 }".to_owned(), "Some(1)".to_owned()));
        assert_eq!(shown(&"a".to_owned()), "\"a\".to_owned()");
    }
}
