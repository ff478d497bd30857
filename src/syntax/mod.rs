//! Text to tree and back: the lexer, the parser and the printer of the language.
//!
//! [`parse`] never fails: it gives a tree and what is wrong with the text. For example `const N: int = ;` gives a
//! constant whose value is [`ast::ExprKind::Error`], or no item at all, and one diagnostic: expected an expression.

pub mod ast;
mod lexer;
mod literal;
mod operators;
mod parser;
mod print;

pub(crate) use lexer::on_one_line;
pub use parser::{MAX_DEPTH, Parsed, parse, parse_expression};
pub use print::{print, print_statement};
