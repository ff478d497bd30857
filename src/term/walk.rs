//! Walks over terms: variables, substitution, evaluation.
//!
//! For example substituting 3 for `#1` in `#1 + #2` gives `#2 + 3`, and evaluating that at `#2 = 4` gives 7. No walk recurses
//! deeper than a fixed bound, and shared nodes of large terms are visited once.

use super::node::{SHALLOW, SMALL, count_walked, for_each_child};
use super::{Kind, Linear, Term, Terms, Var};
use crate::scalar::{Int, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

impl Term {
    /// Calls `f` on each variable of the term, once each.
    pub fn vars(&self, f: &mut impl FnMut(Var)) {
        match self.kind() {
            Kind::Const(_) => return,
            Kind::Var(var) => return f(*var),
            // No atom occurs twice in a sum.
            Kind::Le0(sum) | Kind::Eq0(sum) | Kind::Linear(sum) if sum.is_plain() => {
                return sum.terms().iter().filter_map(|(atom, _)| atom.as_var()).for_each(f);
            }
            _ => {}
        }
        let mut few: SmallVec<[Var; 8]> = SmallVec::new();
        let mut many = FxHashSet::default();
        self.any_var(&mut |var| {
            if few.contains(&var) || many.contains(&var) {
                return false;
            }
            if few.len() < 8 {
                few.push(var);
            } else {
                many.insert(var);
            }
            f(var);
            false
        });
    }

    /// Tests whether some variable of the term passes the test, which may be called more than once for a variable.
    pub fn any_var(&self, test: &mut impl FnMut(Var) -> bool) -> bool {
        if self.is_small() {
            return any_small(self, test);
        }
        self.nodes().into_iter().filter_map(Term::as_var).any(test)
    }

    /// Tests whether a walk visits each node as often as it occurs. The walk through another term visits each node once, and counts as
    /// work ([`made`](super::made)).
    pub(crate) fn is_small(&self) -> bool {
        self.depth() < SHALLOW && self.size() < SMALL
    }

    /// Tests whether `var` occurs in the term.
    pub fn mentions(&self, var: Var) -> bool {
        self.var_range().is_some_and(|(first, last)| first <= var.id && var.id <= last)
            && self.any_var(&mut |known| known == var)
    }

    /// Calls `f` on each child, in order.
    pub fn for_each_child(&self, f: &mut impl FnMut(&Term)) {
        for_each_child(self.kind(), &mut |child| f(child));
    }

    /// Calls `f` on every node, children first; shared nodes of large terms once.
    pub fn visit(&self, f: &mut impl FnMut(&Term)) {
        self.nodes().into_iter().for_each(f);
    }

    /// Tests whether the term has no variable.
    pub fn is_ground(&self) -> bool {
        self.var_range().is_none()
    }

    /// All nodes, children first; shared nodes of large terms once.
    fn nodes(&self) -> Vec<&Term> {
        let mut order = Vec::new();
        if self.is_small() {
            small_nodes(self, &mut order);
            return order;
        }
        let mut seen = FxHashSet::default();
        let mut pending = vec![(self, Visit::Enter)];
        while let Some((term, visit)) = pending.pop() {
            match visit {
                Visit::Leave => order.push(term),
                Visit::Enter if seen.insert(term.address()) => {
                    pending.push((term, Visit::Leave));
                    for_each_child(term.kind(), &mut |child| pending.push((child, Visit::Enter)));
                }
                Visit::Enter => {}
            }
        }
        count_walked(order.len());
        order
    }

    /// The result of a fold over the term: the function makes the result of a node from those of its children.
    fn fold<R: Clone>(&self, mut result: impl FnMut(&Term, &mut dyn FnMut(&Term) -> R) -> R) -> R {
        let mut done: FxHashMap<usize, R> = FxHashMap::default();
        for node in self.nodes() {
            let made = result(node, &mut |child| done[&child.address()].clone());
            done.insert(node.address(), made);
        }
        done[&self.address()].clone()
    }

    /// Replaces variables by terms of their sort, all at once, and simplifies. The same node comes back if nothing changed.
    pub fn substitute(&self, replace: &mut impl FnMut(Var) -> Option<Term>) -> Term {
        match self.kind() {
            Kind::Const(_) => return self.clone(),
            Kind::Var(var) => return replace(*var).unwrap_or_else(|| self.clone()),
            _ => {}
        }
        if self.is_small() {
            return substitute_small(self, replace);
        }
        self.fold(|node, done| match node.kind() {
            Kind::Var(var) => replace(*var).unwrap_or_else(|| node.clone()),
            _ => rebuild(node, done),
        })
    }

    /// Replaces nodes, children first: `instead` is called on each node after its children were replaced, and may give another one.
    pub(crate) fn replace(&self, instead: &impl Fn(&Term) -> Option<Term>) -> Term {
        self.fold(|node, done| {
            let same = rebuild(node, done);
            instead(&same).unwrap_or(same)
        })
    }

    /// The scalar that the term stands for under an assignment; `None` if a variable that matters has no value.
    pub fn eval(&self, value: &mut impl FnMut(Var) -> Option<Scalar>) -> Option<Scalar> {
        if self.is_small() {
            return eval_small(self, value);
        }
        self.fold(|node, done| match node.kind() {
            Kind::Var(var) => value(*var),
            kind => apply(kind, done),
        })
    }
}

#[derive(Clone, Copy)]
enum Visit {
    Enter,
    Leave,
}

fn any_small(term: &Term, test: &mut impl FnMut(Var) -> bool) -> bool {
    match term.kind() {
        Kind::Const(_) => false,
        Kind::Var(var) => test(*var),
        kind => {
            let mut found = false;
            for_each_child(kind, &mut |child| found = found || any_small(child, test));
            found
        }
    }
}

fn small_nodes<'a>(term: &'a Term, order: &mut Vec<&'a Term>) {
    for_each_child(term.kind(), &mut |child| small_nodes(child, order));
    order.push(term);
}

fn substitute_small(term: &Term, replace: &mut impl FnMut(Var) -> Option<Term>) -> Term {
    match term.kind() {
        Kind::Const(_) => term.clone(),
        Kind::Var(var) => replace(*var).unwrap_or_else(|| term.clone()),
        _ => rebuild(term, &mut |child| substitute_small(child, replace)),
    }
}

/// The term with changed children, simplified; the same node if no child changed.
fn rebuild(term: &Term, change: &mut (impl FnMut(&Term) -> Term + ?Sized)) -> Term {
    let mut changed: SmallVec<[Term; 4]> = SmallVec::new();
    let mut same = true;
    for_each_child(term.kind(), &mut |child| {
        let new = change(child);
        same &= new.same(child);
        changed.push(new);
    });
    if same { term.clone() } else { with_children(term.kind(), &changed) }
}

/// The term with the operation of `kind` and other children, as many as it has.
fn with_children(kind: &Kind, new: &[Term]) -> Term {
    match kind {
        Kind::Const(scalar) => Term::constant(scalar.clone()),
        Kind::Var(var) => Term::var(*var),
        Kind::Not(_) => new[0].not(),
        Kind::And(_) => Term::and_all(new.iter().cloned()),
        Kind::Or(_) => Term::or_all(new.iter().cloned()),
        Kind::Eq(..) => Term::eq(&new[0], &new[1]),
        Kind::Eq0(linear) => Term::eq0(sum(linear, new)),
        Kind::Le0(linear) => Term::le0(sum(linear, new)),
        Kind::Linear(linear) => sum(linear, new).into_term(),
        Kind::Less(..) => Term::less(&new[0], &new[1]),
        Kind::Member(_, set) => Term::member(&new[0], set),
        Kind::Mul(..) => new[0].mul(&new[1]),
        Kind::Div(..) => new[0].div(&new[1]),
        Kind::Mod(..) => new[0].rem(&new[1]),
        Kind::Ite(..) => Term::ite(&new[0], &new[1], &new[2]),
        Kind::Table(_, column) => Term::table(&new[0], column),
        Kind::Lookup(_, dictionary) => Term::lookup(&new[0], dictionary),
        Kind::Text(op, _) => Term::text(*op, new.iter().cloned().collect::<Terms>()),
    }
}

fn sum(linear: &Linear, atoms: &[Term]) -> Linear {
    let pairs = linear.terms().iter().zip(atoms);
    pairs.fold(Linear::constant_of(linear.constant().clone()), |sum, ((_, c), atom)| sum.plus(c, &Linear::of(atom)))
}

fn eval_small(term: &Term, value: &mut impl FnMut(Var) -> Option<Scalar>) -> Option<Scalar> {
    match term.kind() {
        Kind::Const(scalar) => Some(scalar.clone()),
        Kind::Var(var) => value(*var),
        kind => apply(kind, &mut |child| eval_small(child, value)),
    }
}

/// The value of an operation, from the values of its children. Connectives and conditionals need only the children that decide.
fn apply(kind: &Kind, of: &mut (impl FnMut(&Term) -> Option<Scalar> + ?Sized)) -> Option<Scalar> {
    match kind {
        Kind::Const(scalar) => Some(scalar.clone()),
        Kind::Var(_) => None,
        Kind::Not(a) => of(a)?.as_bool().map(|value| Scalar::Bool(!value)),
        Kind::And(parts) => decide(parts, false, of),
        Kind::Or(parts) => decide(parts, true, of),
        Kind::Eq(a, b) => Some(Scalar::Bool(of(a)? == of(b)?)),
        Kind::Eq0(linear) => Some(Scalar::Bool(total(linear, of)?.is_zero())),
        Kind::Le0(linear) => Some(Scalar::Bool(total(linear, of)?.signum() <= 0)),
        Kind::Linear(linear) => total(linear, of).map(Scalar::Int),
        Kind::Less(a, b) => Some(Scalar::Bool(of(a)? < of(b)?)),
        Kind::Member(a, set) => Some(Scalar::Bool(set.contains(&of(a)?))),
        Kind::Mul(a, b) => Some(Scalar::Int(of(a)?.as_int()?.mul(of(b)?.as_int()?))),
        Kind::Div(a, b) => Some(Scalar::Int(of(a)?.as_int()?.floor_div(of(b)?.as_int()?))),
        Kind::Mod(a, b) => Some(Scalar::Int(of(a)?.as_int()?.modulo(of(b)?.as_int()?))),
        Kind::Ite(c, a, b) => {
            if of(c)?.as_bool()? {
                of(a)
            } else {
                of(b)
            }
        }
        Kind::Table(index, column) => Some(column.total(of(index)?.as_int()?).clone()),
        Kind::Lookup(key, dictionary) => Some(dictionary.get(&of(key)?).clone()),
        Kind::Text(op, args) => op.apply(&args.iter().map(of).collect::<Option<Vec<Scalar>>>()?),
    }
}

fn total(linear: &Linear, of: &mut (impl FnMut(&Term) -> Option<Scalar> + ?Sized)) -> Option<Int> {
    let mut sum = linear.constant().clone();
    for (atom, coefficient) in linear.terms() {
        sum = sum.add(&of(atom)?.as_int()?.mul(coefficient));
    }
    Some(sum)
}

/// The value of a connective: a part with the value `zero` decides it; otherwise all parts are needed.
fn decide(parts: &Terms, zero: bool, of: &mut (impl FnMut(&Term) -> Option<Scalar> + ?Sized)) -> Option<Scalar> {
    let mut complete = true;
    for part in parts {
        match of(part).and_then(|scalar| scalar.as_bool()) {
            Some(value) if value == zero => return Some(Scalar::Bool(zero)),
            Some(_) => {}
            None => complete = false,
        }
    }
    complete.then_some(Scalar::Bool(!zero))
}
