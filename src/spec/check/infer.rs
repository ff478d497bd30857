//! Types that are not known yet: variables, types with variables inside, and unification (Robinson's algorithm with an
//! occurs check, on a graph, so that sharing costs nothing).
//!
//! They live for one unit, the expression of a statement, of an item, or of a handler's guard: in `x == {}` the type of
//! `{}` is a variable until the operands are unified. Numbers from [`FIRST`] on are nodes of this graph, all below are
//! types of [`Types`].

use crate::diagnostic::Span;
use crate::spec::types::{ERROR, Type, TypeId, Types};

/// The largest depth to which types may nest: far beyond use, and no walk over a type needs more stack than this.
pub(super) const DEEPEST_TYPE: u32 = 200;

/// The first number that is a node of the graph.
const FIRST: u32 = 1 << 31;

/// The reason why a type was left open, for the message if it stays open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Nothing: whatever comes.
    Context,
    /// `choose`
    Choose,
    /// `None`
    Absent,
    /// `[]`
    EmptyList,
    /// The elements of `{}`
    EmptyBraces,
    /// `{}` itself: a set or a map
    SetOrMap,
}

#[derive(Clone, Debug)]
enum Node {
    Free(Origin, Span),
    Link(TypeId),
    Of(Type),
}

/// A type that stayed open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) origin: Origin,
    pub(super) span: Span,
}

/// The graph of one unit.
#[derive(Default, Debug)]
pub(super) struct Infer {
    nodes: Vec<Node>,
}

impl Infer {
    /// Forgets all nodes: a new unit begins.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Tests whether the number of a type belongs to this graph, and not to [`Types`].
    pub(super) fn is_open(id: TypeId) -> bool {
        id.0 >= FIRST
    }

    fn push(&mut self, node: Node) -> TypeId {
        self.nodes.push(node);
        TypeId(FIRST + self.nodes.len() as u32 - 1)
    }

    /// A new variable.
    pub(super) fn fresh(&mut self, origin: Origin, span: Span) -> TypeId {
        self.push(Node::Free(origin, span))
    }

    /// A type whose parts may be open.
    pub(super) fn build(&mut self, types: &mut Types, ty: Type) -> TypeId {
        if parts(&ty).iter().any(|&part| Infer::is_open(part)) { self.push(Node::Of(ty)) } else { types.intern(ty) }
    }

    fn node(&self, id: TypeId) -> &Node {
        &self.nodes[(id.0 - FIRST) as usize]
    }

    fn set(&mut self, id: TypeId, node: Node) {
        self.nodes[(id.0 - FIRST) as usize] = node;
    }

    /// Follows links.
    pub(super) fn find(&self, mut id: TypeId) -> TypeId {
        while Infer::is_open(id) {
            match self.node(id) {
                Node::Link(next) => id = *next,
                Node::Free(..) | Node::Of(_) => break,
            }
        }
        id
    }

    /// The outermost constructor, if it is known.
    pub(super) fn head(&self, types: &Types, id: TypeId) -> Option<Type> {
        let id = self.find(id);
        if !Infer::is_open(id) {
            return Some(types.get(id).clone());
        }
        match self.node(id) {
            Node::Of(ty) => Some(ty.clone()),
            Node::Free(..) | Node::Link(_) => None,
        }
    }

    /// Tests whether a type is a variable that nothing is known of.
    pub(super) fn is_free(&self, id: TypeId) -> bool {
        let id = self.find(id);
        Infer::is_open(id) && matches!(self.node(id), Node::Free(..))
    }

    /// Makes two types equal, or says that they cannot be.
    pub(super) fn unify(&mut self, types: &Types, a: TypeId, b: TypeId) -> bool {
        self.unify_at(types, a, b, 0)
    }

    fn unify_at(&mut self, types: &Types, a: TypeId, b: TypeId, depth: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return true;
        }
        if a == ERROR || b == ERROR {
            self.poison(a);
            self.poison(b);
            return true;
        }
        match (self.free(a), self.free(b)) {
            (Some(left), Some(right)) => self.join(a, left, b, right),
            (Some(open), None) => self.bind(types, a, open, b),
            (None, Some(open)) => self.bind(types, b, open, a),
            (None, None) => depth <= DEEPEST_TYPE && self.unify_parts(types, a, b, depth + 1),
        }
    }

    /// Of what meets a reported type nothing is asked: its variables are [`ERROR`] from here on.
    pub(super) fn poison(&mut self, id: TypeId) {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let id = self.find(id);
            if !Infer::is_open(id) || std::mem::replace(&mut seen[(id.0 - FIRST) as usize], true) {
                continue;
            }
            match self.node(id).clone() {
                Node::Free(..) => self.set(id, Node::Link(ERROR)),
                Node::Of(ty) => todo.extend(parts(&ty)),
                Node::Link(_) => {}
            }
        }
    }

    fn free(&self, id: TypeId) -> Option<Open> {
        if !Infer::is_open(id) {
            return None;
        }
        match self.node(id) {
            Node::Free(origin, span) => Some(Open { origin: *origin, span: *span }),
            Node::Link(_) | Node::Of(_) => None,
        }
    }

    fn join(&mut self, a: TypeId, left: Open, b: TypeId, right: Open) -> bool {
        let keep_left = left.origin == Origin::SetOrMap || right.origin == Origin::Context;
        if keep_left && right.origin != Origin::SetOrMap {
            self.set(b, Node::Link(a));
        } else {
            self.set(a, Node::Link(b));
        }
        true
    }

    fn bind(&mut self, types: &Types, variable: TypeId, open: Open, to: TypeId) -> bool {
        let fits = match self.head(types, to) {
            Some(Type::Set(_) | Type::Map(..)) => true,
            Some(_) | None => open.origin != Origin::SetOrMap,
        };
        if !fits || self.occurs(variable, to) {
            return false;
        }
        self.set(variable, Node::Link(to));
        true
    }

    fn occurs(&self, variable: TypeId, inside: TypeId) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = vec![inside];
        while let Some(id) = todo.pop() {
            let id = self.find(id);
            if id == variable {
                return true;
            }
            if !Infer::is_open(id) || std::mem::replace(&mut seen[(id.0 - FIRST) as usize], true) {
                continue;
            }
            if let Node::Of(ty) = self.node(id) {
                todo.extend(parts(ty));
            }
        }
        false
    }

    fn unify_parts(&mut self, types: &Types, a: TypeId, b: TypeId, depth: u32) -> bool {
        let (Some(left), Some(right)) = (self.head(types, a), self.head(types, b)) else { return false };
        if std::mem::discriminant(&left) != std::mem::discriminant(&right) {
            return false;
        }
        let (inner, outer) = (parts(&left), parts(&right));
        if inner.is_empty() || inner.len() != outer.len() {
            return left == right;
        }
        let before = if Infer::is_open(a) { Some((a, self.node(a).clone(), b)) } else { None };
        let before = before.or_else(|| Infer::is_open(b).then(|| (b, self.node(b).clone(), a)));
        if let Some((from, _, to)) = &before {
            self.set(*from, Node::Link(*to));
        }
        let fits = inner.iter().zip(&outer).all(|(&x, &y)| self.unify_at(types, x, y, depth));
        if let (false, Some((from, node, _))) = (fits, before) {
            self.set(from, node);
        }
        fits
    }

    /// The type without variables, each replaced by what `open` gives for it; what nests too deep is [`ERROR`].
    pub(super) fn resolve(&mut self, types: &mut Types, id: TypeId, open: &mut dyn FnMut(Open) -> TypeId) -> TypeId {
        self.resolve_at(types, id, open, 0)
    }

    fn resolve_at(
        &mut self,
        types: &mut Types,
        id: TypeId,
        open: &mut dyn FnMut(Open) -> TypeId,
        depth: u32,
    ) -> TypeId {
        let id = self.find(id);
        if !Infer::is_open(id) {
            return id;
        }
        let known = match self.node(id).clone() {
            Node::Free(origin, span) => open(Open { origin, span }),
            Node::Of(_) if depth > DEEPEST_TYPE => ERROR,
            Node::Of(ty) => {
                let ty = map_parts(ty, &mut |part| self.resolve_at(types, part, open, depth + 1));
                types.intern(ty)
            }
            Node::Link(to) => to,
        };
        self.set(id, Node::Link(known));
        known
    }

    /// The name of a type; what is open in it is a `_`.
    pub(super) fn name(&self, types: &mut Types, id: TypeId) -> String {
        let id = self.find(id);
        if !Infer::is_open(id) {
            return types.name(id);
        }
        match self.free(id) {
            Some(Open { origin: Origin::SetOrMap, .. }) => "a set or map".into(),
            Some(_) => "_".into(),
            None => {
                let known = Infer { nodes: self.nodes.clone() }.resolve(types, id, &mut |_| ERROR);
                types.name(known)
            }
        }
    }
}

/// The types that a structural type is built from.
fn parts(ty: &Type) -> Vec<TypeId> {
    match ty {
        Type::Option(of) | Type::List(of) | Type::Set(of) => vec![*of],
        Type::Map(key, value) => vec![*key, *value],
        Type::Tuple(of) => of.clone(),
        Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client => Vec::new(),
        Type::Json | Type::Token(_) | Type::Struct(_) | Type::Enum(_) | Type::Error => Vec::new(),
    }
}

fn map_parts(ty: Type, map: &mut dyn FnMut(TypeId) -> TypeId) -> Type {
    match ty {
        Type::Option(of) => Type::Option(map(of)),
        Type::List(of) => Type::List(map(of)),
        Type::Set(of) => Type::Set(map(of)),
        Type::Map(key, value) => Type::Map(map(key), map(value)),
        Type::Tuple(of) => Type::Tuple(of.into_iter().map(map).collect()),
        Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client => ty,
        Type::Json | Type::Token(_) | Type::Struct(_) | Type::Enum(_) | Type::Error => ty,
    }
}
