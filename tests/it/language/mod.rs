//! The language: what is read, checked, printed, compiled and said of it.

mod check;
mod diagnostic;
mod dualize;
mod language_doc;
mod mutate;
mod passes;
mod specs;
mod syntax;
mod types;
