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

/// A value as it is written in a program.
fn shown<T: Debug + 'static>(value: &T) -> String {
    let text = format!("{value:?}");
    if TypeId::of::<T>() == TypeId::of::<String>() { text + ".to_owned()" } else { text }
}
