//! The tree of expressions and patterns.
//!
//! `1 + f(x)` is a `Binary` of an `Int` and a `Call`; parentheses are nodes, so that the printer keeps them.

use crate::diagnostic::Span;
use crate::scalar::Int;

use super::{Arm, Name, NodeId, Openness, Spanned, TypeExpr};

/// An expression.
pub type Expr = Spanned<ExprKind>;

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum ExprKind {
    /// An integer literal (never negative; `-5` is a negation).
    Int(Int),
    /// A string or bytes literal.
    Text(TextLiteral),
    /// `true`, `false`
    Bool(bool),
    /// `!k` (machines)
    Cell(u32),
    /// A variable, constant or unit variant.
    Name(Name),
    /// `choose`, `choose T`
    Choose(Option<TypeExpr>),
    /// `choose x: T where e`
    ChooseWhere { name: Name, ty: TypeExpr, condition: Box<Expr> },
    /// `pick e`
    Pick(Box<Expr>),
    /// `pick x in e where p`
    PickWhere { name: Name, over: Box<Expr>, condition: Box<Expr> },
    /// `either e or e ..`
    Either(Vec<Expr>),
    /// `any x in e: p`, `all x in e: p`
    Quantified { quantifier: Quantifier, binder: Pattern, over: Box<Expr>, body: Box<Expr> },
    /// `!e`, `-e`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b` ..
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `e is P`
    Is(Box<Expr>, Box<Pattern>),
    /// `a..b`
    Range(Box<Expr>, Box<Expr>),
    /// `e.f`, or `Enum.V`
    Field(Box<Expr>, Name),
    /// `e.m(..)`, or `Enum.V(..)`
    Method { receiver: Box<Expr>, name: Name, args: Vec<Expr> },
    /// `e[i]`; a slice if the index is a `Range`
    Index(Box<Expr>, Box<Expr>),
    /// `f(..)`: a function, a builtin (`len`) or a variant; a proc only as an entire right side
    Call { name: Name, args: Vec<Expr> },
    /// `(a, b, ..)`, two or more
    Tuple(Vec<Expr>),
    /// `(e)`
    Paren(Box<Expr>),
    /// `R { f: e, g, ..choose }`, `Enum.V { .. }`
    Record { qualifier: Option<Name>, name: Name, fields: Vec<Init>, rest: Rest },
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{}`: the empty set or map
    EmptyBraces,
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `{k: v, ..}`
    Map(Vec<(Expr, Expr)>),
    /// `[a, b if p]`, `{a, b for b in l}`, `{k: v, l: w if p}`: two or more parts, of which some have clauses
    Gathered { of: GatheredKind, parts: Vec<GatheredPart> },
    /// `{ e with f: v }`
    With { base: Box<Expr>, fields: Vec<Init> },
    /// `[e for x in l if p]`
    ListComprehension { element: Box<Expr>, clauses: Vec<Clause> },
    /// `{e for x in l if p}`
    SetComprehension { element: Box<Expr>, clauses: Vec<Clause> },
    /// `{k: v for x in l if p}`
    MapComprehension { key: Box<Expr>, value: Box<Expr>, clauses: Vec<Clause> },
    /// `{ let x = e; .. f }`
    Let { bindings: Vec<(Pattern, Expr)>, body: Box<Expr> },
    /// `if c { a } else { b }`
    If { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// `match e { p if g => f, .. }`
    Match { subject: Box<Expr>, arms: Vec<Arm<Expr>> },
    /// `call p(k), e`, `call p, e`: only as an entire right side or a statement
    PeerCall { peer: Name, args: Vec<Expr>, message: Box<Expr> },
    /// `call all p(k) for k in l, e`, `call any n of p(k) for k in l if c, e`: only where a `call` is allowed
    PeerCalls { least: Option<Box<Expr>>, peer: Name, args: Vec<Expr>, clauses: Vec<Clause>, message: Box<Expr> },
    /// Not an expression; an error was reported.
    Error,
}

/// A string literal, as octets, since `\xNN` is allowed in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextLiteral {
    /// The octets: UTF-8, except for octets written `\xNN`.
    pub octets: Vec<u8>,
    /// True if `\xNN` occurs, so that the literal can only have the type `bytes`.
    pub escapes_octets: bool,
}

/// The end of a record literal: it names all fields, or chooses the other fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// All fields are named.
    Nothing,
    /// `..choose`
    Choose(Span, NodeId),
}

/// `f: e`, or `f` alone for `f: f`.
#[derive(Clone, PartialEq, Debug)]
pub struct Init {
    /// The name of the field (in the short form also of the variable that is read).
    pub name: Name,
    /// The value.
    pub value: Option<Expr>,
}

/// The kind of collection of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GatheredKind {
    /// `[..]`
    List,
    /// `{..}`
    Set,
    /// `{k: v, ..}`
    Map,
}

/// A part of a literal: an element, or a key with its value, for each combination of its clauses.
#[derive(Clone, PartialEq, Debug)]
pub struct GatheredPart {
    /// The element or key.
    pub element: Expr,
    /// The value, in a map.
    pub value: Option<Expr>,
    /// The clauses, if it has any.
    pub clauses: Vec<Clause>,
}

/// `for x in e` or `if e` of a comprehension.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum Clause {
    /// `for x in e`
    For { binder: Pattern, over: Expr },
    /// `if e`
    If(Expr),
}

/// `any` or `all`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `any`
    Any,
    /// `all`
    All,
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&` of sets
    Intersect,
}

/// A pattern.
pub type Pattern = Spanned<PatternKind>;

/// The kinds of patterns.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the form that is shown names the parts")]
pub enum PatternKind {
    /// `_`
    Wildcard,
    /// A name: with a capital letter it is a variant without fields, any other name binds.
    Name(Name),
    /// An integer, possibly negative.
    Int(Int),
    /// A string or bytes literal.
    Text(TextLiteral),
    /// `true`, `false`
    Bool(bool),
    /// `V(p, q)`, `Enum.V(p)`, also `Enum.v` (no arguments)
    Variant { qualifier: Option<Name>, name: Name, args: Vec<Pattern> },
    /// `V { f, g: p, .. }`
    Record { qualifier: Option<Name>, name: Name, fields: Vec<FieldPattern>, openness: Openness },
    /// `(p, q)`; `(p)` is `p` in parentheses
    Tuple(Vec<Pattern>),
    /// `[p, q]`, `[p, ..rest]`, `[p, .., q]`; `rest` is `Some(None)` for `..` without a name, and `last` has the patterns after it
    List { elements: Vec<Pattern>, rest: Option<Option<Name>>, last: Vec<Pattern> },
    /// `P | Q`
    Or(Vec<Pattern>),
    /// Not a pattern; an error was reported.
    Error,
}

impl Pattern {
    /// The lone names in it, in the order of the text: each binds, or is a variant.
    pub(crate) fn names(&self) -> Vec<&Name> {
        match &self.kind {
            PatternKind::Name(name) => vec![name],
            PatternKind::Variant { args: parts, .. } | PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
                parts.iter().flat_map(Pattern::names).collect()
            }
            PatternKind::Record { fields, .. } => fields
                .iter()
                .flat_map(|field| field.pattern.as_ref().map_or(vec![&field.name], Pattern::names))
                .collect(),
            PatternKind::List { elements, rest, last } => {
                let after = rest.iter().flatten().chain(last.iter().flat_map(Pattern::names));
                elements.iter().flat_map(Pattern::names).chain(after).collect()
            }
            PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Text(_) => Vec::new(),
            PatternKind::Bool(_) | PatternKind::Error => Vec::new(),
        }
    }
}

/// `f` or `f: p` in a record pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldPattern {
    /// The name of the field (in the short form it also binds).
    pub name: Name,
    /// The pattern for the field's value; `None` in the short form.
    pub pattern: Option<Pattern>,
}
