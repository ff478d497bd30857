//! The result of checking: the item tables and, by node number, the meaning of every name, expression and pattern.
//!
//! The compiler reads the tree together with these tables and repeats no decision of the checker. In `on q { reply q; }`
//! the second `q` resolves to [`Res::Local`] of the node of the first, and its type is the request type.

use crate::diagnostic::Span;
use crate::spec::generation::Generation;
use crate::spec::http::HttpForms;
use crate::spec::types::{ERROR, TypeId, Types};
use crate::syntax::ast::{Block, Expr, Name, NodeId, Purity, Scheduling, Trigger};
use rustc_hash::{FxHashMap, FxHashSet};

/// The entity that a name refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Res {
    /// A parameter, pattern binding or local variable: the node of the [`Name`] that binds it. A binding name refers to itself, but in
    /// `P | Q` the names of `Q` refer to those of `P`.
    Local(NodeId),
    /// A variable of the protocol, by its index in [`Protocol::vars`].
    StateVar(u32),
    /// An index into [`Checked::consts`].
    Const(u32),
    /// An index into [`Checked::functions`].
    Function(u32),
    /// A variant of an enum or option.
    Variant {
        /// The enum or option type.
        ty: TypeId,
        /// In the order of declaration; `None` is 0, `Some` is 1.
        index: u32,
    },
    /// An index into [`Types::structs`].
    Struct(u32),
    /// An index into [`Protocol::procs`].
    Proc(u32),
    /// An index into [`Protocol::peers`].
    Peer(u32),
    /// A function or method of the language.
    Builtin(Builtin),
}

/// The functions and methods of the language. Methods of the same name on different types are different variants here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `len(x)` of a list, set, map, string or bytes
    Len,
    /// `m.get(k)`
    Get,
    /// `m.get_or(k, d)`
    GetOr,
    /// `m.contains(k)` of a map
    Contains,
    /// `m.remove(k)`
    Remove,
    /// `m.with(k, v)`
    With,
    /// `m.keys()`
    Keys,
    /// `m.values()`, in the order of the keys
    Values,
    /// `m.to_list()`: the pairs of a map in the order of the keys
    Entries,
    /// `s.to_list()` of a set, in order
    ToList,
    /// `l.starts_with(m)` of lists
    BeginsWith,
    /// `o.or(d)` of an option
    Or,
    /// `s.contains(t)` of a string or bytes
    ContainsText,
    /// `s.starts_with(t)` of a string or bytes
    StartsWith,
    /// `s.ends_with(t)` of a string or bytes
    EndsWith,
    /// `s.split(t)`
    Split,
    /// `s.lower()`
    Lower,
    /// `s.to_int()`
    ToInt,
    /// `n.to_string()`
    ToString,
}

impl Builtin {
    /// Tests whether it counts or lists all elements of a collection, which is impossible for an unknown one.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Builtin::Len | Builtin::Values | Builtin::Entries | Builtin::ToList)
    }
}

/// The meanings of nodes, by node number.
#[derive(Clone, Default, Debug)]
pub struct Tables {
    types: Vec<TypeId>,
    resolutions: Vec<Option<Res>>,
    spans: Vec<Span>,
    fields: FxHashMap<NodeId, u32>,
    /// The subjects of exhaustive `match`es: some arm fits every value.
    exhaustive: FxHashSet<NodeId>,
}

impl Tables {
    /// The type of an expression, pattern, binding name, or field name in a place; [`ERROR`] for other nodes.
    #[must_use]
    pub fn type_of(&self, node: NodeId) -> TypeId {
        self.types.get(node.0 as usize).copied().unwrap_or(ERROR)
    }

    /// Returns the entity that a name refers to, by the name's own node. The name is a variable, a called function or method (a
    /// [`Builtin`]), the name of a record literal or pattern, a variant, the root of a place, a binding name, or the short form `f` of a
    /// field in a literal.
    #[must_use]
    pub fn resolution(&self, node: NodeId) -> Option<Res> {
        self.resolutions.get(node.0 as usize).copied().flatten()
    }

    /// The position of a field, by the node of its name: in `e.f`, places, literals, `with` and patterns.
    #[must_use]
    pub fn field(&self, node: NodeId) -> Option<u32> {
        self.fields.get(&node).copied()
    }

    /// Tests whether the `match` with this subject is exhaustive: some arm fits every value.
    #[must_use]
    pub fn is_exhaustive(&self, subject: NodeId) -> bool {
        self.exhaustive.contains(&subject)
    }

    /// The place of an expression, pattern, statement or name.
    #[must_use]
    pub fn span(&self, node: NodeId) -> Span {
        self.spans.get(node.0 as usize).copied().unwrap_or_default()
    }

    /// The places of all nodes, by number.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    pub(super) fn set_exhaustive(&mut self, subject: NodeId) {
        self.exhaustive.insert(subject);
    }

    pub(super) fn set_type(&mut self, node: NodeId, ty: TypeId) {
        *slot(&mut self.types, node, ERROR) = ty;
    }

    pub(super) fn set_resolution(&mut self, node: NodeId, res: Res) {
        *slot(&mut self.resolutions, node, None) = Some(res);
    }

    pub(super) fn set_field(&mut self, node: NodeId, index: u32) {
        self.fields.insert(node, index);
    }

    pub(super) fn set_span(&mut self, node: NodeId, span: Span) {
        *slot(&mut self.spans, node, Span::default()) = span;
    }
}

/// The entry of a node in a dense table, which grows as needed.
fn slot<T: Clone>(table: &mut Vec<T>, node: NodeId, empty: T) -> &mut T {
    let index = node.0 as usize;
    if table.len() <= index {
        table.resize(index + 1, empty);
    }
    &mut table[index]
}

/// All files of one load, resolved and typed.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// The types.
    pub types: Types,
    /// Meanings by node number.
    pub tables: Tables,
    /// The constants of all files.
    pub consts: Vec<Const<'a>>,
    /// The constants, each after the constants that its value needs, directly or through functions.
    pub const_order: Vec<u32>,
    /// The functions of all files.
    pub functions: Vec<FunctionDef<'a>>,
    /// The machines of all files, those of the first file first.
    pub machines: Vec<Machine<'a>>,
    /// The protocols of all files, those of the first file first.
    pub protocols: Vec<Protocol<'a>>,
}

impl Checked<'_> {
    /// The names of the machines and protocols.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let machines = self.machines.iter().map(|machine| &machine.name.text);
        machines.chain(self.protocols.iter().map(|protocol| &protocol.name.text)).map(String::as_str)
    }

    /// The constant of that name, for an override from outside.
    #[must_use]
    pub fn const_named(&self, name: &str) -> Option<u32> {
        self.consts.iter().position(|known| known.name.text == name).map(|index| index as u32)
    }
}

/// `const N: T = e;`
#[derive(Clone, Debug)]
pub struct Const<'a> {
    /// Its name.
    pub name: &'a Name,
    /// Its type.
    pub ty: TypeId,
    /// Its value, unless it is overridden.
    pub value: &'a Expr,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param<'a> {
    /// The name that binds it.
    pub name: &'a Name,
    /// Its type.
    pub ty: TypeId,
}

/// `fn` or `def`
#[derive(Clone, Debug)]
pub struct FunctionDef<'a> {
    /// Its name.
    pub name: &'a Name,
    /// The kind of the function, `fn` or `def`; only a `def` may choose.
    pub purity: Purity,
    /// Its parameters.
    pub params: Vec<Param<'a>>,
    /// The type of its result.
    pub result: TypeId,
    /// Its result.
    pub body: &'a Expr,
}

/// `machine m { .. }`
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    /// Its name.
    pub name: &'a Name,
    /// Its program.
    pub body: &'a Block,
    /// The cells that the machine names, and 0 and 1, in increasing order.
    pub cells: Vec<u32>,
}

/// `protocol p { .. }`
#[derive(Clone, Debug)]
pub struct Protocol<'a> {
    /// Its name.
    pub name: &'a Name,
    /// The way in which the protocol's tasks interleave.
    pub scheduling: Scheduling,
    /// The type of requests.
    pub request: TypeId,
    /// The type of answers.
    pub response: TypeId,
    /// Its variables; an initial value may read those before it.
    pub vars: Vec<VarDef<'a>>,
    /// Its handlers in the order in which they are tried.
    pub handlers: Vec<Handler<'a>>,
    /// Its procs.
    pub procs: Vec<Proc<'a>>,
    /// The steps that the protocol may take by itself.
    pub steps: Vec<StepDef<'a>>,
    /// The endpoints that it calls.
    pub peers: Vec<Peer<'a>>,
    /// The forms of requests and answers on the wire, if the protocol has an `http` block.
    pub http: Option<HttpForms>,
    /// The `generate` block, if the protocol has one.
    pub generate: Option<Generate<'a>>,
}

/// `generate { .. }`
#[derive(Clone, Default, Debug)]
pub struct Generate<'a> {
    /// Its checked form.
    pub generation: Generation,
    /// The variables that hold its lists.
    pub values: Vec<VarDef<'a>>,
}

/// `var x: T = e;` of a protocol
#[derive(Clone, Debug)]
pub struct VarDef<'a> {
    /// Its name.
    pub name: &'a Name,
    /// Its type.
    pub ty: TypeId,
    /// Its initial value.
    pub value: &'a Expr,
}

/// `on P from c if e { .. }`
#[derive(Clone, Debug)]
pub struct Handler<'a> {
    /// The member's node.
    pub id: NodeId,
    /// The event that the handler answers to: a request, or the start or end of a connection.
    pub trigger: &'a Trigger,
    /// The name of the client.
    pub from: Option<&'a Name>,
    /// The condition under which the handler takes the request.
    pub guard: Option<&'a Expr>,
    /// The statements that the handler runs.
    pub body: &'a Block,
}

/// `proc p(..) { .. }`, `proc p(..): T { .. }`
#[derive(Clone, Debug)]
pub struct Proc<'a> {
    /// Its name.
    pub name: &'a Name,
    /// Its parameters.
    pub params: Vec<Param<'a>>,
    /// The type of the returned value, if there is one, and the place where this type is written.
    pub result: Option<(TypeId, Span)>,
    /// The statements that the proc runs.
    pub body: &'a Block,
}

/// `step { .. }`
#[derive(Clone, Debug)]
pub struct StepDef<'a> {
    /// The member's node.
    pub id: NodeId,
    /// The statements that the step runs.
    pub body: &'a Block,
}

/// `peer p(key: T): Req -> Resp;`, `peer p: Req -> Resp;`
#[derive(Clone, Debug)]
pub struct Peer<'a> {
    /// Its name.
    pub name: &'a Name,
    /// The type of the key that tells the peers of this name apart; none if there is only one.
    pub key: Option<TypeId>,
    /// The type of the requests to it.
    pub request: TypeId,
    /// The type of its answers; a call yields an option of it.
    pub response: TypeId,
}
