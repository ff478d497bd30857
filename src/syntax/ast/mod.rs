//! The syntax tree: every construct of the language, with its place and a node number.
//!
//! Names are not resolved here. The meaning of the program is in the `Spec` (see `spec`), which refers to this tree by [`NodeId`] only. For
//! example `token Id;` is an [`Item`] of kind `Token` with the [`Name`] `Id`.

mod expression;
mod generate;
mod http;

pub use expression::*;
pub use generate::*;
pub use http::*;

use crate::diagnostic::Span;

/// The number of a node; unique among all files of one load (the parser is given the first free one).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A name without its backquotes, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text, without backquotes.
    pub text: String,
    /// Its place.
    pub span: Span,
    /// The node number, by which the meaning of the name is looked up.
    pub id: NodeId,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Spanned<Kind> {
    /// The kind of the node, with its parts.
    pub kind: Kind,
    /// Its place.
    pub span: Span,
    /// Its number.
    pub id: NodeId,
}

/// A whole file.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    /// The items in their order.
    pub items: Vec<Item>,
    /// All comments in their order; the printer inserts them by their places.
    pub comments: Vec<Comment>,
    /// The span of the whole text.
    pub span: Span,
}

/// A `//` comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The text from `//` on, without trailing blanks.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A top-level item.
pub type Item = Spanned<ItemKind>;

/// The kinds of items.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum ItemKind {
    /// `use other;`
    Use(Name),
    /// `const N: T = e;`
    Const { name: Name, ty: TypeExpr, value: Expr },
    /// `type A = T;`
    Alias { name: Name, ty: TypeExpr },
    /// `token T;`
    Token(Name),
    /// `struct R { f: T, .. }`
    Struct { name: Name, fields: Vec<Field>, openness: Openness },
    /// `enum E { V, V(T), V { f: T } }`
    Enum { name: Name, variants: Vec<Variant> },
    /// `fn` or `def`
    Function { purity: Purity, name: Name, params: Vec<Field>, result: TypeExpr, body: Expr },
    /// `machine m { .. }`
    Machine { name: Name, body: Block },
    /// `protocol p { .. }` or `serial protocol p { .. }`
    Protocol { scheduling: Scheduling, name: Name, members: Vec<Member> },
}

/// The treatment of fields that are not named: of JSON fields in a struct or record variant, of the other fields in a record pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Openness {
    /// Unknown JSON fields are errors.
    Closed,
    /// `..` comes last: they are ignored.
    Open,
}

/// The purity of a function: a `fn` may not choose, a `def` may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purity {
    /// `fn`
    Fn,
    /// `def`
    Def,
}

/// The way in which tasks of different connections interleave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduling {
    /// `protocol`: they interleave at scheduling points.
    Concurrent,
    /// `serial protocol`: they do not interleave.
    Serial,
}

/// `name: T`, of a struct, a variant, a function or a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// The name (in parameters it also binds).
    pub name: Name,
    /// The type.
    pub ty: TypeExpr,
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// The types of its fields.
    pub payload: Payload,
    /// The treatment of JSON fields that a record variant does not name; they are ignored in an open one (`V { f: T, .. }`).
    pub openness: Openness,
    /// Its place.
    pub span: Span,
}

/// The fields of a variant.
#[derive(Clone, PartialEq, Debug)]
pub enum Payload {
    /// `V`
    Unit,
    /// `V(T, U)`
    Tuple(Vec<TypeExpr>),
    /// `V { f: T }`
    Record(Vec<Field>),
}

/// A type expression.
pub type TypeExpr = Spanned<TypeKind>;

/// The kinds of written types.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `int`, `bool`, `string`, `bytes`, `client` or a declared name.
    Name(Name),
    /// `option<T>`
    Option(Box<TypeExpr>),
    /// `list<T>`
    List(Box<TypeExpr>),
    /// `set<T>`
    Set(Box<TypeExpr>),
    /// `map<K, V>`
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// `(T, U, ..)`, two or more
    Tuple(Vec<TypeExpr>),
    /// Not a type; an error was reported.
    Error,
}

/// A member of a protocol.
pub type Member = Spanned<MemberKind>;

/// The kinds of members.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum MemberKind {
    /// `request T;`
    Request(TypeExpr),
    /// `response T;`
    Response(TypeExpr),
    /// `var x: T = e;`
    Var { name: Name, ty: TypeExpr, value: Expr },
    /// `on PATTERN [from c] [if e] { .. }`, `on open ..`, `on close ..`, `on restart [if e] { .. }`
    On { trigger: Trigger, from: Option<Name>, guard: Option<Expr>, body: Block },
    /// `proc p(..) { .. }`, `proc p(..): T { .. }`
    Proc { name: Name, params: Vec<Field>, result: Option<TypeExpr>, body: Block },
    /// `step { .. }`
    Step(Block),
    /// `peer p(key: T): Req -> Resp;`, `peer p: Req -> Resp;`
    Peer { name: Name, key: Option<Field>, request: TypeExpr, response: TypeExpr },
    /// `http { .. }`
    Http(Vec<HttpLine>),
    /// `generate { .. }`
    Generate(Vec<GenerateLine>),
}

/// The event that a handler answers to.
#[derive(Clone, PartialEq, Debug)]
pub enum Trigger {
    /// A request that matches the pattern.
    Request(Pattern),
    /// A new connection.
    Open(Span),
    /// A connection's end.
    Close(Span),
    /// A start of the server after it was killed.
    Restart(Span),
}

/// `{ s; .. }`
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// The place, both braces included.
    pub span: Span,
}

/// A statement.
pub type Statement = Spanned<StatementKind>;

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum StatementKind {
    /// `let p: T = e;` (the right side may be a call of a peer or a proc)
    Let { pattern: Pattern, ty: Option<TypeExpr>, value: Expr },
    /// `var x: T = e;` (a local)
    Var { name: Name, ty: Option<TypeExpr>, value: Expr },
    /// `place := e;`
    Assign { place: PlaceExpr, value: Expr },
    /// `p(a);`
    ProcCall { name: Name, args: Vec<Expr> },
    /// `call p(k), e;`
    PeerCall(Expr),
    /// `if c { .. } else { .. }`; for an `else if`, `otherwise` is a block with one `If` statement.
    If { condition: Expr, then: Block, otherwise: Option<Block> },
    /// `match e { p if g => { .. } }`
    Match { subject: Expr, arms: Vec<Arm<Block>> },
    /// `for x in e { .. }`
    For { binder: Pattern, over: Expr, body: Block },
    /// `while c { .. }`
    While { condition: Expr, body: Block },
    /// `either { .. } or { .. }`
    Either(Vec<Block>),
    /// `assume e;`
    Assume(Expr),
    /// `expects e;`
    Expects(Expr),
    /// `reply e;`
    Reply(Expr),
    /// `reply e then { .. }`
    ReplyThen { answer: Expr, then: Block },
    /// `close c;`
    Close(Expr),
    /// `send c, e;`
    Send { to: Expr, message: Expr },
    /// `yield;`
    Yield,
    /// `return;`, `return e;`
    Return(Option<Expr>),
    /// Not a statement; an error was reported.
    Error,
}

/// One arm of a `match`.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm<Body> {
    /// The pattern that the subject must fit.
    pub pattern: Pattern,
    /// `if e`
    pub guard: Option<Expr>,
    /// The block to run or the expression to evaluate if the pattern and the guard match.
    pub body: Body,
    /// The whole arm.
    pub span: Span,
}

/// The left side of `:=`.
#[derive(Clone, PartialEq, Debug)]
pub struct PlaceExpr {
    /// The variable or cell at its beginning.
    pub root: PlaceRoot,
    /// `.f` and `[k]`, from left to right.
    pub path: Vec<PlaceStep>,
    /// Its place.
    pub span: Span,
}

/// The variable or cell that is assigned to, as a whole or in part.
#[derive(Clone, PartialEq, Debug)]
pub enum PlaceRoot {
    /// A variable.
    Name(Name),
    /// `!k`
    Cell(u32, Span),
}

/// One step into a part of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum PlaceStep {
    /// `.f`
    Field(Name),
    /// `[k]`
    Index(Expr),
}
