//! The integer machine (semantics 2): cell 0 holds the choice, cell 1 the query and then the answer.

use super::Context;
use super::emit::{Body, Emitter, Label};
use crate::spec::check::Machine;
use crate::spec::code::{Domain, Op, Operand, Slot};
use crate::spec::types::INT;
use crate::syntax::ast::{Block, NodeId, PlaceRoot, Statement, StatementKind};
use crate::value::Value;

impl<'a> Context<'_, 'a> {
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
        serve.note_choice("!0");
        let chosen = serve.give(|dst| Op::Choose { dst, domain: Domain::Type(INT) });
        serve.emit(Op::Store { slot: 0, src: chosen });
        serve.emit(Op::Store { slot: 1, src: Operand::Register(request) });
        serve.machine_block(machine.body, Operand::Slot(1));
        let serve = serve.finish(&machine.name.text, 2);
        self.functions = vec![init, serve];
        (self.init, self.serve) = (0, 1);
    }
}

impl Emitter<'_, '_, '_> {
    /// The slot of a cell; a cell that the machine never names is not stored.
    pub(super) fn cell(&mut self, cell: u32) -> Operand {
        match self.context.cells.iter().position(|known| *known == cell) {
            Some(slot) => Operand::Slot(slot as u32),
            None => self.constant(Value::from(0)),
        }
    }

    /// A block at whose end the machine answers. Short tails are duplicated into the branches, so that a branch that
    /// answers with a constant is known to do so.
    fn machine_block(&mut self, block: &Block, mut answer: Operand) {
        for (at, statement) in block.statements.iter().enumerate() {
            let last = at + 1 == block.statements.len();
            match &statement.kind {
                StatementKind::If { condition, then, otherwise } if last => {
                    self.site = statement.id;
                    let cond = self.expr(condition);
                    let mut other = Label::default();
                    self.emit_to(&mut other, Op::Branch { cond, otherwise: 0 });
                    self.machine_block(then, answer);
                    self.place(other);
                    match otherwise {
                        Some(otherwise) => self.machine_block(otherwise, answer),
                        None => drop(self.emit(Op::Reply { src: answer })),
                    }
                    return;
                }
                StatementKind::Return => break,
                StatementKind::Assign { .. } => answer = self.machine_assign(statement, answer),
                _ => {
                    self.statement(statement);
                    answer = Operand::Slot(1);
                }
            }
        }
        self.emit(Op::Reply { src: answer });
    }

    /// Carries out an assignment; what the answer is then.
    fn machine_assign(&mut self, statement: &Statement, answer: Operand) -> Operand {
        let StatementKind::Assign { place, value } = &statement.kind else { return answer };
        self.site = statement.id;
        let src = self.expr(value);
        self.assign(place, src);
        match (&place.root, src) {
            (PlaceRoot::Cell(1, _), Operand::Constant(_)) => src,
            (PlaceRoot::Cell(1, _), _) => Operand::Slot(1),
            (PlaceRoot::Cell(..) | PlaceRoot::Name(_), _) => answer,
        }
    }
}
