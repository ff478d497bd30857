//! Lowering of integer machines: cell 0 holds the choice, cell 1 the query and then the answer, other cells the state.

use super::Lowering;
use super::emit::{Body, Emitter, JumpTarget};
use super::place::assign;
use super::statement::lower_statement;
use super::subject::note_choice;
use crate::spec::check::Machine;
use crate::spec::code::{ChoiceDomain, Op, Operand, Slot};
use crate::spec::types::INT;
use crate::syntax::ast::{Block, NodeId, PlaceRoot, Statement, StatementKind};
use crate::value::Value;

impl<'a> Lowering<'_, 'a> {
    pub(super) fn machine(&mut self, machine: &Machine<'a>) {
        let mut cells = vec![0, 1];
        cells.extend(machine.cells.iter().copied().filter(|cell| *cell > 1));
        self.cells.clone_from(&cells);
        self.slots = cells.iter().map(|cell| Slot { name: format!("!{cell}"), ty: INT }).collect();
        self.state_slots = self.slots.len() as u32;
        let mut init = Emitter::new(self, NodeId(0), Body::Handler);
        let zero = init.constant(Value::from(0));
        for slot in 0..cells.len() as u32 {
            init.emit(Op::Store { slot, src: zero });
        }
        init.emit(Op::End);
        let init = init.finish("init", 0);
        let mut serve = Emitter::new(self, machine.name.id, Body::Machine);
        let (request, _client) = (serve.register(), serve.register());
        serve.subject.push_str("!0");
        note_choice(&mut serve, "!0");
        let chosen = serve.give(|dst| Op::Choose { dst, domain: ChoiceDomain::Type(INT) });
        serve.emit(Op::Store { slot: 0, src: chosen });
        serve.emit(Op::Store { slot: 1, src: Operand::Register(request) });
        machine_block(&mut serve, machine.body, Operand::Slot(1));
        let serve = serve.finish(&machine.name.text, 2);
        self.functions = vec![init, serve];
        (self.init, self.serve) = (0, 1);
    }
}

/// Emits a block at whose end the machine answers. Each branch of a last `if` answers by itself, so that the analysis of reply shapes
/// sees a branch that answers with a constant.
fn machine_block(e: &mut Emitter, block: &Block, mut answer: Operand) {
    for (at, statement) in block.statements.iter().enumerate() {
        let last = at + 1 == block.statements.len();
        match &statement.kind {
            StatementKind::If { condition, then, otherwise } if last => {
                e.site = statement.id;
                let cond = e.expr(condition);
                let mut other = JumpTarget::default();
                e.emit_to(&mut other, Op::Branch { cond, otherwise: 0 });
                machine_block(e, then, answer);
                e.place(other);
                match otherwise {
                    Some(otherwise) => machine_block(e, otherwise, answer),
                    None => drop(e.emit(Op::Reply { src: answer })),
                }
                return;
            }
            StatementKind::Return(_) => break,
            StatementKind::Assign { .. } => answer = machine_assign(e, statement, answer),
            _ => {
                lower_statement(e, statement);
                answer = Operand::Slot(1);
            }
        }
    }
    e.emit(Op::Reply { src: answer });
}

/// Emits an assignment; returns the operand of the answer after it.
fn machine_assign(e: &mut Emitter, statement: &Statement, answer: Operand) -> Operand {
    let StatementKind::Assign { place, value } = &statement.kind else { return answer };
    e.site = statement.id;
    let src = e.expr(value);
    assign(e, place, src);
    match (&place.root, src) {
        (PlaceRoot::Cell(1, _), Operand::Constant(_)) => src,
        (PlaceRoot::Cell(1, _), _) => Operand::Slot(1),
        (PlaceRoot::Cell(..) | PlaceRoot::Name(_), _) => answer,
    }
}
