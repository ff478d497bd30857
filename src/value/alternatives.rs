//! The alternatives of a union, which may be there only once something looks at them.
//!
//! Of an optional value that was chosen, `either None or Some(choose)`, nothing is known: it is `[#1: None, !#1: Some(#2)]` with
//! variables that nothing else mentions. Until it is looked at it is but the numbers of these; copies of it, in whatever
//! candidate, are made together then, and have the same variables as if they had been there from the beginning.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{Value, union};
use crate::scalar::Sort;
use crate::term::{Kind, Term, Var};

/// Two or more values of different shapes, under guards that exclude each other.
#[derive(Clone)]
pub struct Alternatives(Arc<Made>);

type Pairs = SmallVec<[(Term, Value); 2]>;

struct Made {
    pairs: OnceLock<Pairs>,
    later: Option<Later>,
    reading: Reading,
}

/// What becomes of alternatives that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// Operations are lifted over them.
    Lifted,
    /// They are told apart first: they are states of a part of the memory.
    Apart,
}

/// What alternatives will be.
struct Later {
    pattern: Arc<Pattern>,
    behind: u64,
}

/// What alternatives are like, with variables `#1`, `#2` … of which the first one is boolean.
#[derive(Debug)]
pub struct Pattern {
    pairs: Pairs,
    variables: u64,
}

impl Pattern {
    /// The pattern of alternatives with so many variables, whose guards are variables, or ones negated, and whose values are constructors,
    /// scalars and variables; `None` where they are more than that.
    #[must_use]
    pub fn of(alternatives: &Alternatives, variables: u64) -> Option<Pattern> {
        let simple = alternatives.iter().all(|(guard, value)| guard.is_literal() && is_plain(value));
        simple.then(|| Pattern { pairs: alternatives.iter().cloned().collect(), variables })
    }

    /// How many variables there are.
    #[must_use]
    pub fn variables(&self) -> u64 {
        self.variables
    }

    /// Alternatives with the variables behind a number: the n-th one for #n. They are made when something looks at them.
    #[must_use]
    pub fn behind(self: &Arc<Pattern>, number: u64) -> Alternatives {
        let later = Later { pattern: self.clone(), behind: number };
        Alternatives(Arc::new(Made { pairs: OnceLock::new(), later: Some(later), reading: Reading::Lifted }))
    }
}

impl Alternatives {
    /// Alternatives that are told apart where they are read, also those of one shape. Scalars only in entries of maps.
    #[must_use]
    pub fn apart(pairs: impl IntoIterator<Item = (Term, Value)>) -> Alternatives {
        let pairs = OnceLock::from(pairs.into_iter().collect::<Pairs>());
        Alternatives(Arc::new(Made { pairs, later: None, reading: Reading::Apart }))
    }

    /// Whether they are told apart where they are read.
    #[inline]
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.0.reading == Reading::Apart
    }

    /// Other alternatives that are read as these are; the value that is left, where there is but one.
    #[must_use]
    pub fn read_like(&self, pairs: Vec<(Term, Value)>) -> Value {
        if self.is_apart() && pairs.len() > 1 { Value::Union(Alternatives::apart(pairs)) } else { union(pairs) }
    }

    /// Looks at them.
    pub fn look(&self) {
        let _: &[(Term, Value)] = self;
    }

    /// The alternatives, where something has looked at them.
    #[inline]
    #[must_use]
    pub fn made(&self) -> Option<&[(Term, Value)]> {
        self.0.pairs.get().map(|pairs| &pairs[..])
    }

    /// What they will be, where nothing has looked at them.
    #[inline]
    fn later(&self) -> Option<&Later> {
        self.0.later.as_ref().filter(|_| self.0.pairs.get().is_none())
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub fn count(&self) -> usize {
        self.later().map_or_else(|| self.len(), |later| later.pattern.pairs.len())
    }

    /// Where nothing has looked at them: the first one of their variables.
    #[must_use]
    pub fn hidden(&self) -> Option<Var> {
        self.later().map(|later| Var { id: later.behind + 1, sort: Sort::Bool })
    }

    /// How many variables they have that were not made.
    #[must_use]
    pub fn variables(&self) -> u64 {
        self.later().map_or(0, |later| later.pattern.variables)
    }

    /// Where nothing has looked at them: whether they may be a known value of their type. Nothing restricts what is inside.
    #[must_use]
    pub fn admit(&self, known: &Value) -> Option<bool> {
        let has_tag = |(_, value): &(Term, Value)| match (value, known) {
            (Value::Data { tag, .. }, Value::Data { tag: own, .. }) => tag == own,
            _ => false,
        };
        self.later().map(|later| later.pattern.pairs.iter().any(has_tag))
    }

    /// Whether there is another reference to them.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Whether both are one.
    #[inline]
    #[must_use]
    pub fn is_same(&self, other: &Alternatives) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Later {
    fn make(&self) -> Pairs {
        let mut variables = Variables { behind: self.behind, made: SmallVec::new() };
        let pairs = self.pattern.pairs.iter();
        pairs.map(|(guard, value)| (variables.literal(guard), variables.value(value))).collect()
    }
}

/// The variables of alternatives that are being made, each in one node.
struct Variables {
    behind: u64,
    made: SmallVec<[(Var, Term); 4]>,
}

impl Variables {
    fn literal(&mut self, literal: &Term) -> Term {
        match literal.kind() {
            Kind::Not(inner) => Term::not(&self.literal(inner)),
            Kind::Var(var) => self.variable(*var),
            _ => literal.clone(),
        }
    }

    fn variable(&mut self, of: Var) -> Term {
        if let Some((_, term)) = self.made.iter().find(|(var, _)| *var == of) {
            return term.clone();
        }
        let term = Term::var(Var { id: self.behind + of.id, sort: of.sort });
        self.made.push((of, term.clone()));
        term
    }

    fn value(&mut self, pattern: &Value) -> Value {
        match pattern {
            Value::Term(term) => Value::Term(self.literal(term)),
            Value::Data { tag, fields: Some(fields) } => {
                let fields: Arc<[Value]> = fields.iter().map(|field| self.value(field)).collect();
                Value::Data { tag: *tag, fields: Some(fields) }
            }
            known => known.clone(),
        }
    }
}

impl Value {
    /// With a known value where alternatives stand, outside of collections; `None` where they do not.
    #[must_use]
    pub fn with_known(&self, of: &Alternatives, known: &Value) -> Option<Value> {
        match self {
            Value::Union(alternatives) if alternatives.is_same(of) => Some(known.clone()),
            Value::Data { tag, fields: Some(fields) } => {
                let told = |field: &Value| field.with_known(of, known);
                let (at, first) = fields.iter().enumerate().find_map(|(at, field)| Some((at, told(field)?)))?;
                let behind = fields[at + 1..].iter().map(|field| told(field).unwrap_or_else(|| field.clone()));
                let fields: Vec<Value> = fields[..at].iter().cloned().chain([first]).chain(behind).collect();
                Some(Value::data(*tag, fields))
            }
            Value::Data { fields: None, .. } | Value::Scalar(_) | Value::Term(_) | Value::Union(_) => None,
            Value::List(_) | Value::Open(_) | Value::Map(_) => None,
            Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => None,
        }
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Term(term) => term.as_var().is_some(),
        Value::Scalar(_) => true,
        Value::Data { .. } => value.fields().iter().all(is_plain),
        Value::List(_) | Value::Open(_) | Value::Map(_) | Value::Union(_) => false,
        Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => false,
    }
}

/// Looks at them.
impl Deref for Alternatives {
    type Target = [(Term, Value)];

    #[inline]
    fn deref(&self) -> &[(Term, Value)] {
        self.0.pairs.get_or_init(|| self.0.later.as_ref().map(Later::make).unwrap_or_default())
    }
}

impl FromIterator<(Term, Value)> for Alternatives {
    fn from_iter<I: IntoIterator<Item = (Term, Value)>>(pairs: I) -> Alternatives {
        let pairs = OnceLock::from(pairs.into_iter().collect::<Pairs>());
        Alternatives(Arc::new(Made { pairs, later: None, reading: Reading::Lifted }))
    }
}

impl PartialEq for Alternatives {
    fn eq(&self, other: &Alternatives) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl Eq for Alternatives {}

impl PartialOrd for Alternatives {
    fn partial_cmp(&self, other: &Alternatives) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alternatives {
    fn cmp(&self, other: &Alternatives) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Alternatives {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// Shows them, or which variables they will have.
impl std::fmt::Debug for Alternatives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.later() {
            Some(later) => write!(f, "from #{}: {:?}", later.behind + 1, later.pattern.pairs),
            None => (**self).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    fn var(id: u64, sort: Sort) -> Term {
        Term::var(Var { id, sort })
    }

    /// An optional pair, or an optional flag that comes first, whose variables begin at a number.
    fn optional(from: u64) -> [Alternatives; 2] {
        let (guard, flag) = (var(from, Sort::Bool), Value::Term(var(from + 1, Sort::Bool)));
        let pair =
            Value::data(0, [flag.clone(), Value::data(3, [Value::Term(var(from + 2, Sort::Str)), Value::from(5)])]);
        let not = Term::not(&guard);
        [
            [(guard.clone(), Value::NONE), (not.clone(), Value::some(pair))].into_iter().collect(),
            [(guard, Value::some(flag)), (not, Value::NONE)].into_iter().collect(),
        ]
    }

    /// The same from behind a number on, not looked at yet.
    fn behind(alternatives: &Alternatives, number: u64) -> Alternatives {
        Arc::new(Pattern::of(alternatives, 3).expect("a pattern")).behind(number)
    }

    #[test]
    fn what_is_looked_at_is_as_if_it_had_been_there() {
        for (pattern, there) in optional(1).iter().zip(optional(8)) {
            let later = behind(pattern, 7);
            let (copy, other) = (later.clone(), behind(pattern, 10));
            assert_eq!((later.made(), later.count(), later.variables()), (None, 2, 3));
            assert_eq!(later.hidden(), there[0].0.as_var());
            assert!(later == there && later != other && later.cmp(&there) == Ordering::Equal);
            assert_eq!((copy.made(), copy.hidden()), (Some(&there[..]), None), "a copy was looked at, too");
            let hash = |alternatives: &Alternatives| rustc_hash::FxBuildHasher.hash_one(alternatives);
            assert_eq!(hash(&behind(pattern, 7)), hash(&there));
        }
    }

    #[test]
    fn no_more_is_possible_than_when_it_is_looked_at() {
        let later = behind(&optional(1)[0], 7);
        let pair = Value::data(0, [Value::from(true), Value::data(3, [Value::str("a"), Value::from(5)])]);
        for (known, expected) in [
            (Value::NONE, true),
            (Value::some(pair.clone()), true),
            (Value::unit(2), false),
            (Value::data(2, [pair]), false),
        ] {
            assert_eq!(later.admit(&known), Some(expected), "{known:?}");
        }
        later.look();
        assert_eq!(later.admit(&Value::NONE), None);
    }

    #[test]
    fn each_variable_is_one_node() {
        let later = behind(&optional(1)[0], 7);
        let Kind::Not(inner) = later[1].0.kind() else { panic!("{later:?}") };
        assert!(inner.same(&later[0].0));
    }

    #[test]
    fn what_is_no_tree_of_variables_is_no_pattern() {
        let (guard, text) = (var(1, Sort::Bool), var(2, Sort::Str));
        let of = |guard: &Term, value: Value| -> Alternatives {
            [(guard.clone(), value), (Term::not(guard), Value::NONE)].into_iter().collect()
        };
        assert!(Pattern::of(&of(&guard, Value::some(Value::Term(text.clone()))), 2).is_some());
        let sum = var(3, Sort::Int).add(&Term::constant(crate::scalar::Scalar::int(1)));
        for value in [Value::Term(sum), Value::list([Value::Term(text)]), Value::Union(optional(4)[0].clone())] {
            assert!(Pattern::of(&of(&guard, Value::some(value.clone())), 2).is_none(), "{value:?}");
        }
    }

    #[test]
    fn nothing_is_looked_at_where_it_stands_for_no_variable() {
        let later = behind(&optional(1)[0], 7);
        let value = Value::data(0, [Value::from(1), Value::Union(later.clone())]);
        let mut leaves = Vec::new();
        value.visit_leaves(&mut |leaf| leaves.push(format!("{leaf:?}")));
        assert_eq!(leaves.len(), 1);
        let mut every = |_: &Term| Some(Term::truth());
        assert_eq!(crate::value::Substitution::everywhere(&mut every).apply(&value), None);
        assert!(value.has_terms() && !value.has_computed() && value.has_only_variables() && !value.is_known());
        let known = Value::some(Value::from(true));
        assert_eq!(value.with_known(&behind(&optional(1)[0], 7), &known), None);
        assert_eq!(value.with_known(&later, &known), Some(Value::data(0, [Value::from(1), known])));
        assert_eq!(later.made(), None);
        value.visit_variables(&mut |_| {});
        assert!(later.made().is_some());
    }
}
