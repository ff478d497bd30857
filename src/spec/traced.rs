//! A specification whose writes to variables leave a trace, for explanations.
//!
//! Each instruction that writes to the state is [watched](Op::Watched) and touches a slot of its own. The numbers of these slots follow
//! those of the variables. Otherwise the program is the same, instruction by instruction, so a running process can continue in it from any
//! position.

use std::sync::Arc;

use super::code::{Op, Touch};
use super::{Site, Spec};

/// An instruction that writes to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TracedWrite {
    /// The variable.
    pub slot: u32,
    /// The statement.
    pub site: Site,
}

/// A specification whose writes leave a trace.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The specification.
    pub spec: Arc<Spec>,
    /// The instructions that write; instruction `i` touches the slot `first + i`.
    writes: Vec<TracedWrite>,
    /// The number of the first such slot.
    first: u32,
}

impl Traced {
    /// A specification with every write traced.
    #[must_use]
    pub fn new(spec: &Spec) -> Traced {
        let mut spec = spec.clone();
        let program = &mut spec.program;
        let first = u32::try_from(program.slots.len()).unwrap_or(u32::MAX / 2);
        let mut writes = Vec::new();
        for function in &mut program.functions {
            for (op, site) in function.code.iter_mut().zip(&function.origin) {
                if let Some((slot, key)) = op.stores().filter(|(slot, _)| *slot < program.state) {
                    let touch = Touch { slot: first + writes.len() as u32, key };
                    writes.push(TracedWrite { slot, site: *site });
                    *op = watched(std::mem::replace(op, Op::End), touch);
                }
            }
        }
        Traced { spec: Arc::new(spec), writes, first }
    }

    /// The write that touches the slot of this number, if the slot belongs to a write.
    #[must_use]
    pub fn write(&self, touched: u32) -> Option<TracedWrite> {
        self.writes.get(touched.checked_sub(self.first)? as usize).copied()
    }
}

fn watched(op: Op, touch: Touch) -> Op {
    match op {
        Op::Watched { op, touches } => Op::Watched { op, touches: touches.iter().cloned().chain([touch]).collect() },
        op => Op::Watched { op: Box::new(op), touches: [touch].into() },
    }
}
