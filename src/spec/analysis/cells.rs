//! Register promotion of the cells of a machine that are dead between requests: every request writes them before it reads them.
//!
//! `!0` holds the choice, `!1` the query and then the answer, so both are dead between requests; `!3 := !1 + 1; !1 := !3;` makes `!3`
//! another such cell. They become registers in the handler for a judge, which does not look at the memory.

use super::dataflow::Graph;
use crate::spec::code::{Function, Op, Operand, Register};

/// Promotes the cells that every request writes before it reads them to registers; returns whether there are any. Stores with a common
/// reader become writes of one register, others of different ones.
pub(crate) fn keep_in_registers(function: &mut Function) -> bool {
    let stored = function.code.iter().filter_map(|op| match op {
        Op::Store { slot, .. } => Some(*slot),
        _ => None,
    });
    let mut cells: Vec<u32> = stored.collect();
    cells.sort_unstable();
    cells.dedup();
    let graph = Graph::of(function);
    cells.retain(|cell| graph.readers(function, 0, Operand::Slot(*cell)).is_empty());
    cells.iter().for_each(|cell| keep_in_register(function, &graph, *cell));
    !cells.is_empty()
}

/// Replaces a cell by registers, one for each group of stores with common readers.
fn keep_in_register(function: &mut Function, graph: &Graph, cell: u32) {
    let is_store = |op: &Op| matches!(op, Op::Store { slot, .. } if *slot == cell);
    let stores: Vec<usize> = (0..function.code.len()).filter(|at| is_store(&function.code[*at])).collect();
    let read = |at: &usize| graph.readers(function, *at + 1, Operand::Slot(cell));
    let read: Vec<Vec<usize>> = stores.iter().map(read).collect();
    let mut registers: Vec<Register> = (function.registers..).take(stores.len()).collect();
    for one in 0..stores.len() {
        for other in 0..one {
            if read[one].iter().any(|at| read[other].contains(at)) {
                let (old, new) = (registers[one], registers[other]);
                registers.iter_mut().filter(|register| **register == old).for_each(|register| *register = new);
            }
        }
    }
    function.registers += stores.len() as u32;
    for ((at, read), register) in stores.iter().zip(&read).zip(&registers) {
        for reader in read {
            let put = |operand| if operand == Operand::Slot(cell) { Operand::Register(*register) } else { operand };
            function.code[*reader].substitute(&mut { put });
        }
        if let Op::Store { src, .. } = function.code[*at] {
            function.code[*at] = Op::Copy { dst: *register, src };
        }
    }
}
