//! Text to tree and back: the lexer, the parser and the printer of the language.
pub mod ast;
