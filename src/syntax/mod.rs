//! Text to tree and back: the lexer, the parser and the printer of the language.
//!
//! [`parse`] never fails: it returns a tree and diagnostics. For example `const N: int = ;` gives a constant whose value is
//! [`ast::ExprKind::Error`], or no item at all, and one diagnostic: expected an expression.

pub mod ast;
mod lexer;
mod literal;
mod operators;
mod parser;
mod print;
mod quote;

pub use parser::{MAX_DEPTH, Parsed, parse, parse_expression};
pub use print::print;
pub(crate) use quote::{AnyNode, choices, on_one_line, quoted_head, quoted_line};
