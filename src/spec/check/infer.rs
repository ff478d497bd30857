//! Type inference: type variables, types with variables inside, and unification (Robinson's algorithm with an occurs check, on a graph, so
//! that shared parts are unified once).
//!
//! In `x == {}` the type of `{}` is a variable until the operands are unified. Variables live for one unit: the expression of a statement,
//! of an item, or of a handler's guard. Numbers from [`FIRST`] on are nodes of the unit's graph, all below are types of [`Types`].
//!
//! ```text
//! x == {}      x: set<int>             {}: #0 free      before the operands are unified
//!                                      #0 -> set<int>   after
//! ```

use crate::diagnostic::Span;
use crate::spec::types::{ERROR, Type, TypeId, Types};

/// The largest depth to which types may nest: no useful type comes near it, and it bounds the stack that a walk over a type needs.
pub(super) const DEEPEST_TYPE: u32 = 200;

/// The first number that is a node of the graph.
const FIRST: u32 = 1 << 31;

/// The origin of a type variable, for the message if its type stays open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The context; the message names nothing else.
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

/// A type variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenType {
    pub(super) origin: Origin,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
enum TypeNode {
    Free(OpenType),
    Link(TypeId),
    Of(Type),
}

/// The graph of one unit.
#[derive(Clone, Default, Debug)]
pub(super) struct Infer {
    nodes: Vec<TypeNode>,
}

impl Infer {
    /// Removes all nodes: a new unit begins.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Tests whether the number of a type belongs to this graph, and not to [`Types`].
    pub(super) fn is_open(id: TypeId) -> bool {
        id.0 >= FIRST
    }

    fn push(&mut self, node: TypeNode) -> TypeId {
        self.nodes.push(node);
        TypeId(FIRST + self.nodes.len() as u32 - 1)
    }

    /// A new variable.
    pub(super) fn fresh(&mut self, origin: Origin, span: Span) -> TypeId {
        self.push(TypeNode::Free(OpenType { origin, span }))
    }

    /// A type whose parts may be open.
    pub(super) fn build(&mut self, types: &mut Types, ty: Type) -> TypeId {
        let open = parts(&ty).into_iter().any(Infer::is_open);
        if open { self.push(TypeNode::Of(ty)) } else { types.intern(ty) }
    }

    fn node(&self, id: TypeId) -> &TypeNode {
        &self.nodes[(id.0 - FIRST) as usize]
    }

    fn set(&mut self, id: TypeId, node: TypeNode) {
        self.nodes[(id.0 - FIRST) as usize] = node;
    }

    /// Follows links to the node that represents the type.
    pub(super) fn find(&self, mut id: TypeId) -> TypeId {
        while Infer::is_open(id)
            && let TypeNode::Link(next) = self.node(id)
        {
            id = *next;
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
            TypeNode::Of(ty) => Some(ty.clone()),
            TypeNode::Free(_) | TypeNode::Link(_) => None,
        }
    }

    /// Tests whether a type is a free variable.
    pub(super) fn is_free(&self, id: TypeId) -> bool {
        self.free(self.find(id)).is_some()
    }

    fn free(&self, id: TypeId) -> Option<OpenType> {
        match Infer::is_open(id).then(|| self.node(id)) {
            Some(TypeNode::Free(open)) => Some(*open),
            Some(TypeNode::Link(_) | TypeNode::Of(_)) | None => None,
        }
    }

    /// Makes two types equal; returns whether that is possible.
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
            (Some(left), Some(right)) => {
                // The variable whose origin gives the better message stays.
                let left_stays = left.origin == Origin::SetOrMap || right.origin == Origin::Context;
                let (from, to) = if left_stays && right.origin != Origin::SetOrMap { (b, a) } else { (a, b) };
                self.set(from, TypeNode::Link(to));
                true
            }
            (Some(open), None) => self.bind(types, a, open, b),
            (None, Some(open)) => self.bind(types, b, open, a),
            (None, None) => depth <= DEEPEST_TYPE && self.unify_parts(types, a, b, depth + 1),
        }
    }

    /// Links the variables of a type to [`ERROR`]: it met a type that was reported, so nothing more is reported about it.
    pub(super) fn poison(&mut self, id: TypeId) {
        for id in self.inside(id) {
            if self.free(id).is_some() {
                self.set(id, TypeNode::Link(ERROR));
            }
        }
    }

    /// The graph nodes that a type is made of, itself included, with links followed.
    fn inside(&self, id: TypeId) -> Vec<TypeId> {
        let mut seen = vec![false; self.nodes.len()];
        let (mut todo, mut found) = (vec![id], Vec::new());
        while let Some(id) = todo.pop().map(|id| self.find(id)) {
            if !Infer::is_open(id) || std::mem::replace(&mut seen[(id.0 - FIRST) as usize], true) {
                continue;
            }
            found.push(id);
            if let TypeNode::Of(ty) = self.node(id) {
                todo.extend(parts(ty));
            }
        }
        found
    }

    fn bind(&mut self, types: &Types, variable: TypeId, open: OpenType, to: TypeId) -> bool {
        let fits =
            open.origin != Origin::SetOrMap || matches!(self.head(types, to), Some(Type::Set(_) | Type::Map(..)));
        let fits = fits && !self.inside(to).contains(&variable);
        if fits {
            self.set(variable, TypeNode::Link(to));
        }
        fits
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
        // Linking the nodes first keeps parts that they share from being unified again. The link is undone if the types do not fit.
        let (from, to) = if Infer::is_open(a) { (a, b) } else { (b, a) };
        let before = Infer::is_open(from).then(|| self.node(from).clone());
        if before.is_some() {
            self.set(from, TypeNode::Link(to));
        }
        let fits = inner.iter().zip(&outer).all(|(&x, &y)| self.unify_at(types, x, y, depth));
        if let (false, Some(node)) = (fits, before) {
            self.set(from, node);
        }
        fits
    }

    /// The type with each variable replaced by the result of `open`; [`ERROR`] for parts that nest too deep.
    pub(super) fn resolve(
        &mut self,
        types: &mut Types,
        id: TypeId,
        open: &mut dyn FnMut(OpenType) -> TypeId,
    ) -> TypeId {
        self.resolve_at(types, id, open, 0)
    }

    fn resolve_at(
        &mut self,
        types: &mut Types,
        id: TypeId,
        open: &mut dyn FnMut(OpenType) -> TypeId,
        depth: u32,
    ) -> TypeId {
        let id = self.find(id);
        if !Infer::is_open(id) {
            return id;
        }
        let known = match self.node(id).clone() {
            TypeNode::Free(variable) => open(variable),
            TypeNode::Of(_) if depth > DEEPEST_TYPE => ERROR,
            TypeNode::Of(ty) => {
                let ty = map_parts(ty, &mut |part| self.resolve_at(types, part, open, depth + 1));
                types.intern(ty)
            }
            TypeNode::Link(to) => to,
        };
        self.set(id, TypeNode::Link(known));
        known
    }

    /// The type as far as it is known, with [`ERROR`] for open parts. Until the unit ends, [`Types`] can only answer questions about this
    /// type.
    pub(super) fn so_far(&self, types: &mut Types, id: TypeId) -> TypeId {
        self.clone().resolve(types, id, &mut |_| ERROR)
    }

    /// The name of a type, with `_` for open parts.
    pub(super) fn name(&self, types: &mut Types, id: TypeId) -> String {
        match self.free(self.find(id)) {
            Some(OpenType { origin: Origin::SetOrMap, .. }) => "a set or map".into(),
            Some(_) => "_".into(),
            None => {
                let known = self.so_far(types, id);
                types.name(known)
            }
        }
    }
}

/// The component types of a structural type.
pub(super) fn parts(ty: &Type) -> Vec<TypeId> {
    let mut found = Vec::new();
    map_parts(ty.clone(), &mut |part| {
        found.push(part);
        part
    });
    found
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
