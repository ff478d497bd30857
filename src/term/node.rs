//! Nodes: the cached properties of a term, and the comparison, order, sharing and freeing of terms.
//!
//! For example two terms `#1 + #2` that were built separately are equal, and hash alike in every run. Equality is structural.
//! A small per-thread table makes equal larger terms share a node if it can (hash consing), so that most comparisons are of
//! pointers. The order puts small variable numbers first and does not depend on addresses.

use super::display::{NamedTerm, VariableNames};
use super::{Kind, Linear, Var};
use crate::scalar::{Int, Scalar, Sort};
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// Terms of less than this depth may be walked by plain recursion.
pub(super) const SHALLOW: u32 = 64;
/// Terms of fewer nodes than this are walked as trees, without remembering shared nodes.
pub(super) const SMALL: u32 = 96;
/// Terms of fewer nodes than this are not looked up in the sharing table: making them anew is cheaper.
pub(super) const SHARED_FROM: u32 = 5;
const SHARING_SLOTS: usize = 4096;
/// The head hash of a negation: its hash before that of the operand is mixed in.
const NEGATED: u64 = 4;

/// A symbolic scalar: immutable, shared, compared by structure (pointer and cached hash first).
#[derive(Clone)]
pub struct Term(Arc<Node>);

/// A node, built once and never changed. `#1 + 3 <= #2` and `#1 != #2` share the leaves of their variables if they were made of the
/// same terms; an equal larger node that the table still knows is shared, too:
///
/// ```text
///   Term ──▶ Le0 ──▶ #1 ◀── Eq0 ◀── Not ◀── Term      table: slot hash % 4096 ┄┄▶ Le0 (weak)
///             └────▶ #2 ◀────┘
/// ```
///
/// Invariants:
/// 1. `kind` is in normal form: it was made by a smart constructor.
/// 2. All other fields are functions of `kind` and `sort`: equal kinds have equal hashes, sizes and depths.
/// 3. `first` and `last` are the least and the greatest number of its variables; `first > last` if and only if it has none.
/// 4. `size` and `depth` saturate: they may be too small, never too large.
pub(super) struct Node {
    pub(super) hash: u64,
    pub(super) shape: u64,
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) size: u32,
    pub(super) depth: u32,
    pub(super) sort: Sort,
    pub(super) kind: Kind,
}

/// A node is 88 octets, without its two reference counts: a state of thousands of unknowns consists mostly of nodes.
const _: () = assert!(std::mem::size_of::<Node>() <= 88);

/// A walk through this many nodes counts as one made node: it takes about as long.
const WALKED: u64 = 2;

thread_local! {
    /// The most recent node of each slot. A weak reference keeps no term alive, only a bounded number of empty allocations.
    static SHARING: RefCell<Vec<Weak<Node>>> = const { RefCell::new(Vec::new()) };
    static MADE: Cell<u64> = const { Cell::new(0) };
}

/// The work of this thread so far, in made nodes: a node counts even if a shared one takes its place. Nodes of large terms that are
/// walked, and entries of maps that are listed, count in part. The difference of two readings is a measure of work that is the same
/// on every machine.
#[must_use]
pub fn made() -> u64 {
    MADE.get()
}

/// Counts a walk through this many nodes of a large term, operands of a wide one, or entries of a map, as work ([`made`]).
pub(crate) fn count_walked(nodes: usize) {
    MADE.set(MADE.get() + nodes as u64 / WALKED);
}

impl Term {
    /// The outermost operation, with its operands.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// The sort of the term ([`Sort::ANY_TOKEN`] if only known tokens are involved).
    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    /// The known scalar, if the term is one.
    pub fn as_const(&self) -> Option<&Scalar> {
        if let Kind::Const(scalar) = self.kind() { Some(scalar) } else { None }
    }

    /// The known truth value, if the term is one.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_const().and_then(Scalar::as_bool)
    }

    /// The known integer, if the term is one.
    pub fn as_int(&self) -> Option<&Int> {
        self.as_const().and_then(Scalar::as_int)
    }

    /// The variable, if the term is one.
    pub fn as_var(&self) -> Option<Var> {
        if let Kind::Var(var) = self.kind() { Some(*var) } else { None }
    }

    /// Tests whether the term is a variable or a negated one.
    pub fn is_literal(&self) -> bool {
        match self.kind() {
            Kind::Var(_) => true,
            Kind::Not(inner) => inner.as_var().is_some(),
            _ => false,
        }
    }

    /// The number of nodes of the term as a tree; saturating.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// The number of nodes on the longest path to a leaf; saturating.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The smallest and the largest number of a variable in the term, if it has any.
    pub fn var_range(&self) -> Option<(u64, u64)> {
        (self.0.first <= self.0.last).then_some((self.0.first, self.0.last))
    }

    /// Tests whether the two are one and the same node.
    pub fn same(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Tests whether another reference to this node exists. Equal terms with nodes of their own may exist in any case.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// A hash of the structure that is the same in every run.
    pub fn structural_hash(&self) -> u64 {
        self.0.hash
    }

    /// The term in the notation of the language, its variables under their names.
    pub(crate) fn display_with<'t>(&'t self, names: &'t VariableNames) -> NamedTerm<'t> {
        NamedTerm::new(self, names)
    }

    /// A number that identifies the node while it lives.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The condition of a [bit](Term::bit), if the term is one.
    #[must_use]
    pub fn as_bit(&self) -> Option<&Term> {
        let Kind::Ite(condition, one, zero) = self.kind() else { return None };
        (one.as_int() == Some(&Int::ONE) && zero.as_int() == Some(&Int::ZERO)).then_some(condition)
    }

    /// Tests whether the term is one of several known scalars: by a position, or by a key.
    pub(super) fn is_listed(&self) -> bool {
        matches!(self.kind(), Kind::Table(..) | Kind::Lookup(..))
    }

    /// The variable and the scalar of a condition like `#1 = 5`, if the term is one.
    pub fn as_equation(&self) -> Option<(Var, Scalar)> {
        match self.kind() {
            Kind::Eq(term, known) => term.as_var().zip(known.as_const().cloned()),
            Kind::Eq0(sum) => match sum.terms() {
                [(atom, factor)] if factor.to_i64() == Some(1) => {
                    Some((atom.as_var()?, Scalar::Int(sum.constant().neg())))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The node of a variable, made without a walk over operands.
pub(super) fn leaf(var: Var) -> Term {
    MADE.set(MADE.get() + 1);
    let shape = hash_of_sort(var.sort);
    let (first, last, hash) = (var.id, var.id, mix(shape, var.id));
    Term(Arc::new(Node { hash, shape, first, last, size: 1, depth: 1, sort: var.sort, kind: Kind::Var(var) }))
}

/// The node of a negation that is too small to be shared: the same node as [`make`] gives, made faster.
pub(super) fn negation(inner: &Term) -> Term {
    MADE.set(MADE.get() + 1);
    let Node { hash, shape, first, last, size, depth, .. } = *inner.0;
    let (hash, shape) = (mix(NEGATED, hash), mix(NEGATED, shape));
    let kind = Kind::Not(inner.clone());
    Term(Arc::new(Node { hash, shape, first, last, size: size + 1, depth: depth + 1, sort: Sort::Bool, kind }))
}

/// The node of `kind`, which must be in normal form.
pub(super) fn make(kind: Kind, sort: Sort) -> Term {
    MADE.set(MADE.get() + 1);
    let node = Node::new(kind, sort);
    if node.size < SHARED_FROM { Term(Arc::new(node)) } else { share(node) }
}

fn share(node: Node) -> Term {
    let mut wide = 0;
    for_each_child(&node.kind, &mut |_| wide += 1);
    count_walked(wide);
    SHARING.with_borrow_mut(|slots| {
        if slots.is_empty() {
            slots.resize(SHARING_SLOTS, Weak::new());
        }
        let slot = &mut slots[node.hash as usize % SHARING_SLOTS];
        if let Some(known) = slot.upgrade()
            && known.hash == node.hash
            && known.depth < SHALLOW
            && known.size < SMALL
            && known.kind == node.kind
        {
            return Term(known);
        }
        if let Some(known) = slot.upgrade()
            && known.hash == node.hash
            && heads_agree(&known.kind, &node.kind)
            && children(&known.kind).iter().zip(children(&node.kind)).all(|(a, b)| a.same(b))
        {
            return Term(known);
        }
        let fresh = Arc::new(node);
        *slot = Arc::downgrade(&fresh);
        Term(fresh)
    })
}

impl Node {
    fn new(kind: Kind, sort: Sort) -> Node {
        let head = head_hash(&kind);
        let mut node = Node { hash: head, shape: head, first: u64::MAX, last: 0, size: 1, depth: 1, sort, kind };
        let (mut hash, mut shape, mut first, mut last) = (node.hash, node.shape, node.first, node.last);
        let (mut size, mut depth) = (1u32, 0u32);
        for_each_child(&node.kind, &mut |child| {
            hash = mix(hash, child.0.hash);
            shape = mix(shape, child.0.shape);
            first = first.min(child.0.first);
            last = last.max(child.0.last);
            size = size.saturating_add(child.0.size);
            depth = depth.max(child.0.depth);
        });
        (node.hash, node.shape, node.first, node.last) = (hash, shape, first, last);
        (node.size, node.depth) = (size, depth.saturating_add(1));
        node
    }
}

/// Deep terms are freed without recursion.
impl Drop for Node {
    fn drop(&mut self) {
        if self.depth < SHALLOW {
            return;
        }
        let mut pending = vec![std::mem::replace(&mut self.kind, Kind::Const(Scalar::Bool(false)))];
        while let Some(kind) = pending.pop() {
            for_each_child(&kind, &mut |child| {
                // A node that only `kind` holds would be dropped inside it: keep it, and take it apart afterwards.
                if Arc::strong_count(&child.0) == 1 && child.0.depth >= SHALLOW {
                    KEPT.with_borrow_mut(|kept| kept.push(child.clone()));
                }
            });
            drop(kind);
            for term in KEPT.with_borrow_mut(std::mem::take) {
                if let Some(mut node) = Arc::into_inner(term.0) {
                    pending.push(std::mem::replace(&mut node.kind, Kind::Const(Scalar::Bool(false))));
                    node.depth = 0;
                }
            }
        }
    }
}

thread_local! {
    static KEPT: RefCell<Vec<Term>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state.rotate_left(23) ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f_u128;
    (product as u64) ^ ((product >> 64) as u64)
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn hash_of_sort(sort: Sort) -> u64 {
    mix(3, hash_of(&sort))
}

fn hash_int(value: &Int) -> u64 {
    value.to_i64().map_or_else(|| hash_of(value), |small| small as u64)
}

/// The hash of a node without its children; variables that differ in number only hash alike.
fn head_hash(kind: &Kind) -> u64 {
    let sum = |number, linear: &Linear| {
        linear.terms().iter().fold(mix(number, hash_int(linear.constant())), |h, (_, c)| mix(h, hash_int(c)))
    };
    match kind {
        Kind::Const(Scalar::Int(value)) => mix(1, hash_int(value)),
        Kind::Const(scalar) => mix(2, hash_of(scalar)),
        Kind::Var(var) => hash_of_sort(var.sort),
        Kind::Not(_) => NEGATED,
        Kind::And(_) => 5,
        Kind::Or(_) => 6,
        Kind::Eq(..) => 7,
        Kind::Eq0(linear) => sum(8, linear),
        Kind::Le0(linear) => sum(9, linear),
        Kind::Less(..) => 10,
        Kind::Member(_, set) => mix(11, set.content_hash()),
        Kind::Linear(linear) => sum(12, linear),
        Kind::Mul(..) => 13,
        Kind::Div(..) => 14,
        Kind::Mod(..) => 15,
        Kind::Ite(..) => 16,
        Kind::Text(op, _) => mix(17, *op as u64),
        Kind::Table(_, column) => mix(18, column.sampled_hash()),
        Kind::Lookup(_, dictionary) => mix(19, dictionary.content_hash()),
    }
}

/// Calls `f` on each child, in order.
pub(super) fn for_each_child<'a>(kind: &'a Kind, f: &mut impl FnMut(&'a Term)) {
    match kind {
        Kind::Const(_) | Kind::Var(_) => {}
        Kind::Not(a) | Kind::Member(a, _) | Kind::Table(a, _) | Kind::Lookup(a, _) => f(a),
        Kind::And(parts) | Kind::Or(parts) | Kind::Text(_, parts) => parts.iter().for_each(f),
        Kind::Eq0(linear) | Kind::Le0(linear) | Kind::Linear(linear) => {
            linear.terms().iter().for_each(|(atom, _)| f(atom))
        }
        Kind::Eq(a, b) | Kind::Less(a, b) | Kind::Mul(a, b) | Kind::Div(a, b) | Kind::Mod(a, b) => {
            f(a);
            f(b);
        }
        Kind::Ite(c, a, b) => {
            f(c);
            f(a);
            f(b);
        }
    }
}

/// The children, in order.
pub(super) fn children(kind: &Kind) -> SmallVec<[&Term; 4]> {
    let mut list = SmallVec::new();
    for_each_child(kind, &mut |child| list.push(child));
    list
}

/// Tests whether two nodes agree in everything but their children.
fn heads_agree(a: &Kind, b: &Kind) -> bool {
    match (a, b) {
        (Kind::Const(x), Kind::Const(y)) => x == y,
        (Kind::Var(x), Kind::Var(y)) => x == y,
        (Kind::Member(_, s), Kind::Member(_, t)) => s == t,
        (Kind::Table(_, s), Kind::Table(_, t)) => s == t,
        (Kind::Lookup(_, s), Kind::Lookup(_, t)) => s == t,
        (Kind::Text(f, s), Kind::Text(g, t)) => f == g && s.len() == t.len(),
        (Kind::And(s), Kind::And(t)) | (Kind::Or(s), Kind::Or(t)) => s.len() == t.len(),
        (Kind::Eq0(s), Kind::Eq0(t)) | (Kind::Le0(s), Kind::Le0(t)) | (Kind::Linear(s), Kind::Linear(t)) => {
            s.same_head(t)
        }
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display_with(&VariableNames::default()).fmt(f)
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.same(other) || (self.0.hash == other.0.hash && self.0.size == other.0.size && equal_nodes(self, other))
    }
}

fn equal_nodes(a: &Term, b: &Term) -> bool {
    if a.0.depth < SHALLOW && a.0.size < SMALL {
        return a.0.kind == b.0.kind;
    }
    let mut seen = FxHashSet::default();
    let mut pending = vec![(a, b)];
    while let Some((a, b)) = pending.pop() {
        if a.same(b) || !seen.insert((a.address(), b.address())) {
            continue;
        }
        if a.0.hash != b.0.hash || a.0.size != b.0.size || !heads_agree(&a.0.kind, &b.0.kind) {
            return false;
        }
        pending.extend(children(&a.0.kind).into_iter().zip(children(&b.0.kind)));
    }
    true
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Terms are ordered by variable numbers, then by shape. The order is the same in every run, and every renumbering that keeps the
/// order of variables keeps it.
impl Ord for Term {
    fn cmp(&self, other: &Term) -> Ordering {
        let (a, b) = (&*self.0, &*other.0);
        let key = |n: &Node| (n.first, n.last, n.size, n.shape, n.hash);
        key(a).cmp(&key(b)).then_with(|| tie(self, other))
    }
}

/// The order of two terms with equal hashes: by their printed form, then by the contents that are not printed.
fn tie(a: &Term, b: &Term) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    a.to_string().cmp(&b.to_string()).then_with(|| contents(a).cmp(&contents(b)))
}

/// The scalars of the columns and sets in a term, in order: these may be too large to be printed whole.
fn contents(term: &Term) -> Vec<Vec<Scalar>> {
    let mut all = Vec::new();
    term.visit(&mut |node| match node.kind() {
        Kind::Table(_, column) => all.push(column.iter().cloned().collect()),
        Kind::Lookup(_, dictionary) => {
            let (keys, scalars) = dictionary.sorted().into_iter().unzip();
            all.extend([keys, scalars, vec![dictionary.default().clone()]]);
        }
        Kind::Member(_, set) => all.push(set.sorted()),
        _ => {}
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_negation_is_made_as_any_other_term_is() {
        let truth = |id| Term::var(Var { id, sort: Sort::Bool });
        let token = Term::var(Var { id: 3, sort: Sort::Token(0) });
        for inner in [truth(1), truth(2), Term::eq(&token, &Term::constant(Scalar::token("a")))] {
            let (short, long) = (inner.not(), make(Kind::Not(inner.clone()), Sort::Bool));
            let about = |term: &Term| {
                let Node { hash, shape, first, last, size, depth, sort, .. } = *term.0;
                (hash, shape, first, last, size, depth, sort)
            };
            assert_eq!(about(&short), about(&long));
            assert!(short == long && short.cmp(&long) == Ordering::Equal);
        }
    }

    #[test]
    fn what_is_too_large_to_be_counted_is_negated() {
        let mut product = Term::var(Var { id: 1, sort: Sort::Int });
        for _ in 0..40 {
            product = product.mul(&product);
        }
        let zero = Term::eq(&product, &Term::constant(Scalar::int(0)));
        assert_eq!(zero.size(), u32::MAX);
        assert_eq!(zero.not().size(), u32::MAX);
    }
}
