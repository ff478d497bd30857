//! The element of a list at a symbolic position, or the entry of a map under a symbolic key, as one value.
//!
//! For example `[None, Some(4), Some(7)]` at `#1` is `None` if `#1` is 0, else `Some([…, 4, 7][#1])`. Scalars make one table,
//! constructors of one tag one table for each field, lists of one length one for each element. Values of different shapes become
//! alternatives, each under the condition that the element at the position has its shape. Elements that are no known trees are
//! merged in one by one.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use smallvec::SmallVec;

use super::{List, Value, merge, union};
use crate::scalar::{Int, Scalar};
use crate::term::{Column, Scalars, Term, count_walked};

/// A path from a value to a part of it.
pub(super) type Selectors = SmallVec<[Selector; 2]>;

/// The inspection of this many elements counts as one node of work.
const LOOKED_AT: usize = 8;

/// The shape of a value: values of one shape are joined inside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Scalar,
    Data(u32, usize),
    List(usize),
}

/// A step of a path: into a field, or an element, of a value of this shape.
#[derive(Clone, Copy)]
pub(super) struct Selector {
    shape: Shape,
    part: usize,
}

impl Shape {
    /// Numbers that identify the shape.
    pub(super) fn code(self) -> [usize; 3] {
        match self {
            Shape::Scalar => [0, 0, 0],
            Shape::Data(tag, fields) => [1, tag as usize, fields],
            Shape::List(len) => [2, 0, len],
        }
    }
}

impl Selector {
    /// Numbers that identify the step.
    pub(super) fn code(&self) -> [usize; 4] {
        let [kind, tag, len] = self.shape.code();
        [kind, tag, len, self.part]
    }
}

/// Values of which a term selects one: the elements of a list by their position, the entries of a map by their key.
pub(super) trait Selected {
    /// Their parts at the end of a path.
    fn parts(&self, path: &Selectors) -> ShapedParts<'_>;
    /// The scalars at the end of a path, joined; any scalar where the selected value has none there.
    fn scalar(&self, path: &Selectors) -> Value;
    /// The condition that the selected value has a part of a shape at the end of a path.
    fn has_shape(&self, path: &Selectors, shape: Shape) -> Term;
}

/// The parts at the end of a path in several values.
#[derive(Default)]
pub(super) struct ShapedParts<'v> {
    /// The shapes that occur, once each.
    pub(super) shapes: SmallVec<[Shape; 4]>,
    /// The parts without a shape, each with the condition that it is selected.
    pub(super) others: Vec<(Term, &'v Value)>,
}

impl<'v> ShapedParts<'v> {
    /// Adds the part of a value, if it has one; the condition is that it is selected.
    pub(super) fn add(&mut self, value: &'v Value, path: &Selectors, selected: impl FnOnce() -> Term) {
        let Some(part) = follow(Some(value), path) else { return };
        match shape(part) {
            Some(shape) if self.shapes.contains(&shape) => {}
            Some(shape) => self.shapes.push(shape),
            None => self.others.push((selected(), part)),
        }
    }
}

/// The value among these at a position. Beyond both ends it is the last one if all are known, else any of them; absent if there are
/// none.
#[must_use]
pub fn one_of(index: &Term, values: &[Value]) -> Value {
    at(index, &Arc::new(values.iter().cloned().collect()))
}

/// The element of a list at a position; beyond both ends as for [`one_of`].
pub(super) fn at(index: &Term, list: &Arc<List>) -> Value {
    selected(&ListElements { index, list })
}

/// The selected value; absent if there are no values.
pub(super) fn selected(values: &impl Selected) -> Value {
    part(values, &Selectors::new())
}

/// The part at the end of a path in the selected value, made of the values that have such a part.
fn part(values: &impl Selected, path: &Selectors) -> Value {
    let ShapedParts { shapes, others } = values.parts(path);
    let joined = |shape: &Shape| joined(values, path, *shape);
    let known = match shapes.as_slice() {
        [] => Value::Absent,
        [only] => joined(only),
        [first, second] => {
            let guard = values.has_shape(path, *first);
            union([(guard.not(), joined(second)), (guard, joined(first))])
        }
        many => union(many.iter().map(|shape| (values.has_shape(path, *shape), joined(shape)))),
    };
    others.into_iter().rev().fold(known, |known, (is_selected, other)| merge(&is_selected, other.clone(), known))
}

/// The parts of one shape, joined to one value.
fn joined(values: &impl Selected, path: &Selectors, shape: Shape) -> Value {
    let inside = |of: usize| -> Vec<Value> {
        let into = |at| path.iter().copied().chain([Selector { shape, part: at }]).collect();
        (0..of).map(|at| part(values, &into(at))).collect()
    };
    match shape {
        Shape::Scalar => values.scalar(path),
        Shape::Data(tag, fields) => Value::data(tag, inside(fields)),
        Shape::List(len) => Value::list(inside(len)),
    }
}

/// The shape of a value, if it has one.
pub(super) fn shape(value: &Value) -> Option<Shape> {
    match value {
        Value::Scalar(_) => Some(Shape::Scalar),
        Value::Data { tag, .. } => Some(Shape::Data(*tag, value.fields().len())),
        Value::List(list) => Some(Shape::List(list.len())),
        Value::Term(_) | Value::Map(_) | Value::Union(_) | Value::Open(_) => None,
        Value::Unknown(_) | Value::Any | Value::Absent => None,
    }
}

fn follow<'v>(value: Option<&'v Value>, path: &[Selector]) -> Option<&'v Value> {
    path.iter().try_fold(value?, |value, step| match value {
        Value::List(list) if step.shape == Shape::List(list.len()) => list.get(step.part),
        Value::Data { tag, .. } if step.shape == Shape::Data(*tag, value.fields().len()) => {
            value.fields().get(step.part)
        }
        _ => None,
    })
}

/// The scalar at the end of a path, if there is one.
pub(super) fn scalar<'v>(value: &'v Value, path: &[Selector]) -> Option<&'v Scalar> {
    match follow(Some(value), path)? {
        Value::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// Tests whether a value has a part of a shape at the end of a path.
pub(super) fn has(value: &Value, path: &[Selector], wanted: Shape) -> bool {
    follow(Some(value), path).and_then(shape) == Some(wanted)
}

/// A truth value as a scalar that lives on.
pub(super) fn truth(holds: bool) -> &'static Scalar {
    static SCALARS: [Scalar; 2] = [Scalar::Bool(false), Scalar::Bool(true)];
    &SCALARS[usize::from(holds)]
}

/// The elements of a list, selected by a position.
struct ListElements<'l> {
    index: &'l Term,
    list: &'l Arc<List>,
}

impl Selected for ListElements<'_> {
    fn parts(&self, path: &Selectors) -> ShapedParts<'_> {
        count_walked(self.list.len() / LOOKED_AT);
        let mut parts = ShapedParts::default();
        for (position, element) in self.list.leaves().flatten().enumerate() {
            parts.add(element, path, || Term::eq(self.index, &Term::int(Int::from(position))));
        }
        parts
    }

    fn scalar(&self, path: &Selectors) -> Value {
        Column::new(LeafScalars::of(self.list, path))
            .map_or(Value::Absent, |column| Value::of_term(Term::table(self.index, &column)))
    }

    fn has_shape(&self, path: &Selectors, shape: Shape) -> Term {
        let shapes = Shapes { list: self.list.clone(), path: path.clone(), shape };
        Column::new(shapes).map_or_else(Term::falsity, |column| Term::table(self.index, &column))
    }
}

/// The scalars at the end of a path in a list; an element without one has the filler, the scalar of another element.
struct LeafScalars {
    list: Arc<List>,
    path: Selectors,
    filler: Scalar,
}

impl LeafScalars {
    fn of(list: &Arc<List>, path: &Selectors) -> LeafScalars {
        let last = list.iter().rev().find_map(|element| scalar(element, path));
        LeafScalars { list: list.clone(), path: path.clone(), filler: last.cloned().unwrap_or(Scalar::Bool(false)) }
    }
}

impl Scalars for LeafScalars {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn at(&self, position: usize) -> Option<&Scalar> {
        Some(scalar(self.list.get(position)?, &self.path).unwrap_or(&self.filler))
    }

    fn walk_back(&self, end: usize, visit: &mut dyn FnMut(usize, &Scalar) -> ControlFlow<()>) {
        walk_back(&self.list, end, &mut |position, element| {
            visit(position, scalar(element, &self.path).unwrap_or(&self.filler))
        });
    }
}

/// The column of truth values that say which elements have a part of a shape at the end of a path.
struct Shapes {
    list: Arc<List>,
    path: Selectors,
    shape: Shape,
}

impl Scalars for Shapes {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn at(&self, position: usize) -> Option<&Scalar> {
        Some(truth(has(self.list.get(position)?, &self.path, self.shape)))
    }

    fn walk_back(&self, end: usize, visit: &mut dyn FnMut(usize, &Scalar) -> ControlFlow<()>) {
        walk_back(&self.list, end, &mut |position, element| {
            visit(position, truth(has(element, &self.path, self.shape)))
        });
    }
}

/// Calls a function on the elements before a position, the last one first, leaf by leaf, until it breaks.
fn walk_back(list: &Arc<List>, end: usize, visit: &mut dyn FnMut(usize, &Value) -> ControlFlow<()>) {
    let (mut focus, mut end) = (list.focus(), end.min(list.len()));
    while let Some(last) = end.checked_sub(1) {
        let (Range { start, .. }, leaf) = focus.chunk_at(last);
        for (at, element) in leaf[..end - start].iter().enumerate().rev() {
            if visit(start + at, element).is_break() {
                return;
            }
        }
        end = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::term::Var;
    use crate::value::{Map, Substitution, Truth, equal};

    const INDEX: Var = Var { id: 0, sort: Sort::Int };
    const OTHER: Var = Var { id: 1, sort: Sort::Int };

    /// A value of one of four types: numbers (known, or not), options of pairs, lists of numbers, maps.
    fn value(ty: u64, next: &mut dyn FnMut(u64) -> u64) -> Value {
        let mut number = || match next(8) {
            0 => Value::of_term(Term::var(OTHER).add(&Term::int(Int::from(next(2))))),
            n => Value::from(n as i64 % 3),
        };
        let two = [number(), number()];
        match (ty, next(3)) {
            (0, _) => two[0].clone(),
            (1, 0) => Value::NONE,
            (1, _) => Value::some(Value::data(0, two)),
            (2, n) => Value::list(two.into_iter().take(n as usize)),
            (_, n) => {
                Value::Map(Map::of(two.into_iter().filter(Value::is_known).take(n as usize).map(|k| (k, Value::UNIT))))
            }
        }
    }

    fn with(value: &Value, (index, other): (i64, i64)) -> Value {
        let number = |var: Var| Some(Term::int(if var == INDEX { index } else { other }));
        let mut known = |term: &Term| Some(term.substitute(&mut |var| number(var)));
        Substitution::everywhere(&mut known).apply(value).unwrap_or_else(|| value.clone())
    }

    /// At each position the value is the element there, and it equals a known value if that element does.
    #[test]
    fn one_of_several_values_is_each_at_its_position() {
        let mut next = numbers(3);
        for round in 0..4_000 {
            let values: Vec<Value> = (0..1 + next(7)).map(|_| value(round % 4, &mut next)).collect();
            let index = Term::var(INDEX).add(&Term::int(Int::from(next(3)).sub(&Int::ONE)));
            let one = one_of(&index, &values);
            for (position, element) in values.iter().enumerate() {
                for other in 0..2 {
                    let at = index.substitute(&mut |_| Some(Term::int(0))).as_int().cloned().unwrap_or_default();
                    let world = (position as i64 - at.to_i64().unwrap_or_default(), other);
                    assert_eq!(with(&one, world), with(element, world), "{values:?} at {index} in {world:?}: {one:?}");
                    let known = with(&values[next(values.len() as u64) as usize], world);
                    let same = equal(&one, &known).map(Truth::term).expect("a condition");
                    let holds = same.eval(&mut |var| Some(Scalar::int(if var == INDEX { world.0 } else { world.1 })));
                    assert_eq!(holds, Some(Scalar::Bool(with(element, world) == known)), "{same}");
                }
            }
            if values.iter().all(Value::is_known) {
                assert_eq!(values.last(), Some(&with(&one, (100, 0))));
            }
        }
    }

    #[test]
    fn a_long_list_is_one_table() {
        let log: Vec<Value> = (0..1_000).map(|n| Value::some(Value::from(n % 7))).collect();
        let index = Term::var(INDEX);
        let one = one_of(&index, &log);
        assert_eq!(one.field(1, 0).as_term().map(|term| term.size()), Some(2));
        let three = equal(&one, &Value::some(Value::from(3))).map(Truth::term).expect("a condition");
        assert_eq!(three.size(), 2, "{three}");
        let positions = |n: i64| three.substitute(&mut |_| Some(Term::int(n))).as_bool() == Some(true);
        assert_eq!((-5..1_005).filter(|n| positions(*n)).count(), 143);
        assert!(matches!(one_of(&index, &[]), Value::Absent));
        let options = [Value::NONE, Value::some(Value::from(4)), Value::some(Value::from(4))];
        let shown = format!("{:?}", one_of(&index, &options));
        assert!(shown.contains("#0 == 0") && shown.contains("#0 != 0") && !shown.contains("]["), "{shown}");
    }
}
