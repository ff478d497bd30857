//! Flow.
use super::checked::Protocol;
use super::context::Checker;
use crate::syntax::ast::Block;
impl<'a> Checker<'a> {
    pub(super) fn lint_flow(&mut self, _protocol: &Protocol<'a>) {}
    pub(super) fn lint_machine(&mut self, _body: &'a Block) {}
}
