//! Constructors of leaves, equality, negation, conditionals, order and membership.
//!
//! For example `eq(ite(c, 1, 2), 1)` is `c`, and `not(#1 <= 3)` is `#1 >= 4`.

use super::arm::{self, ArmSide};
use super::junction::{self, Junction};
use super::node::{SHARED_FROM, leaf, make, negation};
use super::table::column::Test;
use super::{Column, Dictionary, KeySet, Kind, Linear, Term, Terms, TextOp, Var, lookup, table, text};
use crate::scalar::{Int, Scalar, Sort};
use std::sync::LazyLock;

static TRUE: LazyLock<Term> = LazyLock::new(|| make(Kind::Const(Scalar::Bool(true)), Sort::Bool));
static FALSE: LazyLock<Term> = LazyLock::new(|| make(Kind::Const(Scalar::Bool(false)), Sort::Bool));

/// The terms of the integers from minus this to 255 are made once.
const SMALLEST: i64 = 16;
static SMALL_INTS: LazyLock<Vec<Term>> =
    LazyLock::new(|| (-SMALLEST..256).map(|n| make(Kind::Const(Scalar::int(n)), Sort::Int)).collect());

/// Negation is pushed inside a connective of at most this depth, and kept as one node around a deeper one.
const NEGATED_INSIDE: u32 = 12;
/// An equation with a conditional is split into its arms if the other side has at most this many nodes: it is copied to both.
const SPLIT_AGAINST: u32 = 3;
/// An equation with a conditional is split into its arms if the conditional is at most this deep: the split recurs.
const SPLIT_DEPTH: u32 = 12;
/// Membership of a computed text in a set of at most this many values becomes equations.
const WRITTEN_OUT: usize = 8;

impl Term {
    /// The condition that always holds.
    pub fn truth() -> Term {
        TRUE.clone()
    }

    /// The condition that never holds.
    pub fn falsity() -> Term {
        FALSE.clone()
    }

    /// The term of a known scalar.
    pub fn constant(scalar: Scalar) -> Term {
        match scalar {
            Scalar::Bool(value) => Term::from(value),
            Scalar::Int(value) => Term::int(value),
            known => {
                let sort = known.sort();
                make(Kind::Const(known), sort)
            }
        }
    }

    /// The term of a known integer.
    pub fn int(value: impl Into<Int>) -> Term {
        let value = value.into();
        let small = value
            .to_i64()
            .and_then(|n| usize::try_from(n.checked_add(SMALLEST)?).ok())
            .and_then(|at| SMALL_INTS.get(at));
        small.cloned().unwrap_or_else(|| make(Kind::Const(Scalar::Int(value)), Sort::Int))
    }

    /// The term of a known string.
    pub fn str(value: &str) -> Term {
        Term::constant(Scalar::str(value))
    }

    /// The term of a variable.
    pub fn var(var: Var) -> Term {
        leaf(var)
    }

    /// The negation of a condition.
    pub fn not(&self) -> Term {
        match self.kind() {
            Kind::Const(Scalar::Bool(value)) => Term::from(!value),
            Kind::Not(inner) => inner.clone(),
            // The negation of Σ + k <= 0 is −Σ − k + 1 <= 0; the coefficients get no common divisor.
            Kind::Le0(linear) => make(Kind::Le0(Box::new(linear.negated().plus_constant(&Int::ONE))), Sort::Bool),
            Kind::And(_) | Kind::Or(_) if self.depth() <= NEGATED_INSIDE => junction::negated(self),
            _ if self.size() < SHARED_FROM - 1 => negation(self),
            _ => make(Kind::Not(self.clone()), Sort::Bool),
        }
    }

    /// The condition `a = b` on two terms of one sort; false if the sorts differ.
    pub fn eq(a: &Term, b: &Term) -> Term {
        if a == b {
            return Term::truth();
        }
        match (a.as_const(), b.as_const()) {
            (Some(x), Some(y)) => return Term::from(x == y),
            (Some(_), None) => return Term::eq(b, a),
            (None, _) => {}
        }
        match a.sort() {
            Sort::Int if b.sort() == Sort::Int => Term::eq0(Linear::of(a).plus(&Int::MINUS_ONE, &Linear::of(b))),
            Sort::Bool if b.sort() == Sort::Bool => iff(a, b),
            sort if !comparable(sort, b.sort()) => Term::falsity(),
            _ => equal_atoms(a, b),
        }
    }

    /// The condition `a != b`.
    pub fn ne(a: &Term, b: &Term) -> Term {
        Term::eq(a, b).not()
    }

    /// The conditional `if condition then yes else no`; the arms have one sort.
    pub fn ite(condition: &Term, yes: &Term, no: &Term) -> Term {
        match condition.kind() {
            Kind::Const(Scalar::Bool(true)) => return yes.clone(),
            Kind::Const(_) => return no.clone(),
            Kind::Not(inner) => return Term::ite(inner, no, yes),
            _ => {}
        }
        if let Some(sum) = counted(condition, yes, no) {
            return sum;
        }
        if let Some(found) = lookup::with_default(condition, yes, no) {
            return found;
        }
        let (yes, no) = (arm::under(condition, yes, ArmSide::Then), arm::under(condition, no, ArmSide::Else));
        if yes == no {
            return yes;
        }
        if let Some(sum) = counted(condition, &yes, &no) {
            return sum;
        }
        if yes.sort() == Sort::Bool {
            return choice(condition, &yes, &no);
        }
        let sort = if yes.as_const().is_some() { no.sort() } else { yes.sort() };
        make(Kind::Ite(condition.clone(), yes, no), sort)
    }

    /// The condition `a < b`: by number, code points, or octets. False on sorts without order.
    pub fn less(a: &Term, b: &Term) -> Term {
        match (a.kind(), b.kind()) {
            _ if a.sort() == Sort::Int => Term::lt(a, b),
            (Kind::Const(Scalar::Str(x)), Kind::Const(Scalar::Str(y))) => Term::from(x < y),
            (Kind::Const(Scalar::Bytes(x)), Kind::Const(Scalar::Bytes(y))) => Term::from(x < y),
            (_, Kind::Const(least)) if *least == a.sort().simplest() => Term::falsity(),
            _ if a == b || !matches!(a.sort(), Sort::Str | Sort::Bytes) || a.sort() != b.sort() => Term::falsity(),
            _ => table::less(a, b)
                .or_else(|| text::simplify_less(a, b))
                .unwrap_or_else(|| make(Kind::Less(a.clone(), b.clone()), Sort::Bool)),
        }
    }

    /// The condition that `term` is an element of `set`.
    pub fn member(term: &Term, set: &KeySet) -> Term {
        if let Some(only) = set.single() {
            return Term::eq(term, &Term::constant(only));
        }
        match term.kind() {
            Kind::Const(scalar) => Term::from(set.contains(scalar)),
            _ if set.is_empty() => Term::falsity(),
            Kind::Ite(condition, yes, no) if yes.as_const().is_some() || no.as_const().is_some() => {
                Term::ite(condition, &Term::member(yes, set), &Term::member(no, set))
            }
            Kind::Linear(sum) if let Some((atom, set)) = without_offset(sum, set) => Term::member(&atom, &set),
            Kind::Text(..) if set.len() <= WRITTEN_OUT => {
                Term::or_all(set.sorted().into_iter().map(|value| Term::eq(term, &Term::constant(value))))
            }
            _ => table::passes(term, Test::In(set.clone()))
                .unwrap_or_else(|| make(Kind::Member(term.clone(), set.clone()), Sort::Bool)),
        }
    }

    /// The conjunction of two conditions.
    pub fn and(a: &Term, b: &Term) -> Term {
        Term::and_all([a.clone(), b.clone()])
    }

    /// The conjunction of any number of conditions; true for none.
    pub fn and_all(parts: impl IntoIterator<Item = Term>) -> Term {
        Junction::And.of(parts)
    }

    /// The disjunction of two conditions.
    pub fn or(a: &Term, b: &Term) -> Term {
        Term::or_all([a.clone(), b.clone()])
    }

    /// The disjunction of any number of conditions; false for none.
    pub fn or_all(parts: impl IntoIterator<Item = Term>) -> Term {
        Junction::Or.of(parts)
    }

    /// The condition that `a` implies `b`.
    pub fn implies(a: &Term, b: &Term) -> Term {
        Term::or(&a.not(), b)
    }

    /// The scalar of a column at a position; beyond both ends the last one.
    pub fn table(index: &Term, column: &Column) -> Term {
        if let Some(known) = index.as_int() {
            return Term::constant(column.total(known).clone());
        }
        if column.sort() == Sort::Bool {
            return table::where_passes(index, column, Test::Is(Scalar::Bool(true)));
        }
        let differs = |position: &usize| column.at(*position).is_some_and(|scalar| scalar != column.last());
        if !(0..column.len()).any(|position| differs(&position)) {
            return Term::constant(column.last().clone());
        }
        match index.kind() {
            Kind::Ite(condition, yes, no) if yes.as_const().is_some() || no.as_const().is_some() => {
                Term::ite(condition, &Term::table(yes, column), &Term::table(no, column))
            }
            Kind::Table(inner, positions) => {
                let known = positions.iter().filter_map(Scalar::as_int).map(|at| column.total(at).clone());
                Column::new(known.collect::<Vec<_>>())
                    .map_or_else(|| Term::constant(column.last().clone()), |column| Term::table(inner, &column))
            }
            _ => make(Kind::Table(index.clone(), column.clone()), column.sort()),
        }
    }

    /// The scalar of a dictionary under a key.
    pub fn lookup(key: &Term, dictionary: &Dictionary) -> Term {
        match key.kind() {
            Kind::Const(known) => Term::constant(dictionary.get(known).clone()),
            Kind::Ite(condition, yes, no) if yes.as_const().is_some() || no.as_const().is_some() => {
                Term::ite(condition, &Term::lookup(yes, dictionary), &Term::lookup(no, dictionary))
            }
            _ if dictionary.sort() == Sort::Bool => lookup::where_passes(key, dictionary, Test::Is(Scalar::Bool(true))),
            _ if dictionary.is_constant() => Term::constant(dictionary.default().clone()),
            _ => make(Kind::Lookup(key.clone(), dictionary.clone()), dictionary.sort()),
        }
    }

    /// The result of `op` on `args`. Arguments of the wrong number or sort give a term that evaluates to nothing.
    pub fn text(op: TextOp, args: impl IntoIterator<Item = Term>) -> Term {
        let args: Terms = args.into_iter().collect();
        let args = if op == TextOp::Concat { text::joined(args) } else { args };
        let scalars: Option<Vec<&Scalar>> = args.iter().map(Term::as_const).collect();
        if let Some(result) = scalars.and_then(|scalars| op.apply_to(&scalars)) {
            return Term::constant(result);
        }
        text::simplified(op, &args).unwrap_or_else(|| {
            let sort = op.sort(args.first().map_or(Sort::Str, Term::sort));
            make(Kind::Text(op, args), sort)
        })
    }

    /// An integer that is 1 if a condition holds, else 0.
    #[must_use]
    pub fn bit(condition: &Term) -> Term {
        Term::ite(condition, &Term::int(1), &Term::int(0))
    }
}

/// The condition that always, or never, holds.
impl From<bool> for Term {
    fn from(value: bool) -> Term {
        if value { Term::truth() } else { Term::falsity() }
    }
}

/// The atom and the set that it must be in, so that `±atom + offset` is in a set of positions.
fn without_offset(sum: &Linear, set: &KeySet) -> Option<(Term, KeySet)> {
    let [(atom, sign)] = sum.terms() else { return None };
    let sign = sign.to_i64().filter(|sign| sign.abs() == 1)?;
    Some((atom.clone(), set.moved(sign, sum.constant())?))
}

fn comparable(a: Sort, b: Sort) -> bool {
    a == b
        || (matches!(a, Sort::Token(_))
            && matches!(b, Sort::Token(_))
            && (a == Sort::ANY_TOKEN || b == Sort::ANY_TOKEN))
}

/// The equality of two conditions; negations go outside.
fn iff(a: &Term, b: &Term) -> Term {
    match (a.kind(), b.kind()) {
        (_, Kind::Const(known)) => {
            if known.as_bool() == Some(true) {
                a.clone()
            } else {
                a.not()
            }
        }
        (Kind::Not(x), Kind::Not(y)) => iff(x, y),
        (Kind::Not(x), _) => iff(x, b).not(),
        (_, Kind::Not(y)) => iff(a, y).not(),
        _ if a == b => Term::truth(),
        _ if *a == b.not() => Term::falsity(),
        _ if a <= b => make(Kind::Eq(a.clone(), b.clone()), Sort::Bool),
        _ => make(Kind::Eq(b.clone(), a.clone()), Sort::Bool),
    }
}

/// The equality of two terms of a sort without arithmetic; a constant stands on the right.
fn equal_atoms(a: &Term, b: &Term) -> Term {
    for (choice, other) in [(a, b), (b, a)] {
        if let Kind::Ite(condition, yes, no) = choice.kind()
            && other.size() <= SPLIT_AGAINST
            && choice.depth() <= SPLIT_DEPTH
        {
            return Term::ite(condition, &Term::eq(yes, other), &Term::eq(no, other));
        }
    }
    if let Some(simpler) = table::equal(a, b).or_else(|| text::simplify_eq(a, b)) {
        return simpler;
    }
    let (a, b) = if b.as_const().is_some() || a <= b { (a, b) } else { (b, a) };
    make(Kind::Eq(a.clone(), b.clone()), Sort::Bool)
}

/// The conditional `if c { x + n } else { x }` as the sum `x + n * [c]`, with the bit `[c]`. Of two constants only neighbours are
/// written so, unless the second one is 0.
fn counted(condition: &Term, yes: &Term, no: &Term) -> Option<Term> {
    if yes.sort() != Sort::Int || no.sort() != Sort::Int || (no.as_int() == Some(&Int::ZERO) && yes.as_int().is_some())
    {
        return None;
    }
    let more = yes.sub(no).as_int()?.clone();
    let is_known = yes.as_const().is_some();
    if is_known && more.abs() != Int::ONE {
        return None;
    }
    Some(Linear::of(no).plus(&more, &Linear::of(&Term::bit(condition))).into_term())
}

/// The conditional of two conditions, `(c and yes) or (not c and no)`, in a short form.
fn choice(condition: &Term, yes: &Term, no: &Term) -> Term {
    match (yes.as_bool(), no.as_bool()) {
        (Some(true), _) => Term::or(condition, no),
        (Some(false), _) => Term::and(&condition.not(), no),
        (_, Some(true)) => Term::or(&condition.not(), yes),
        (_, Some(false)) => Term::and(condition, yes),
        (None, None) => junction::with_common_parts(yes, no, &|yes, no| Term::ite(condition, yes, no))
            .unwrap_or_else(|| Term::or(&Term::and(condition, yes), &Term::and(&condition.not(), no))),
    }
}
