//! Copy propagation, also through constructors that are taken apart again.
//!
//! For example after `r2 := (r0, r1)` and `r3 := r2.0`, reads of r3 become reads of r0.

use super::targets;
use crate::spec::code::{Function, Op, Operand};

/// Replaces reads of copies, and of fields of constructors made here, by reads of their sources.
pub(super) fn forward(function: &mut Function) {
    let targets = targets(function);
    for part in function.ranges() {
        let starts = &targets[part.clone()];
        let params = function.params;
        let code = &mut function.code[part];
        compute_in_place(code, starts);
        let written = WriteCounts::of(code, params, function.registers);
        take_apart(code, &written);
        let sources = sources(code, &written);
        for op in code {
            op.substitute(&mut |operand| origin(operand, &sources));
        }
    }
}

/// The number of times that each register is written; a parameter is written on entry.
struct WriteCounts(Vec<u32>);

impl WriteCounts {
    fn of(code: &[Op], params: u32, registers: u32) -> WriteCounts {
        let mut times = vec![0; registers as usize];
        times.iter_mut().take(params as usize).for_each(|times| *times = 1);
        for op in code {
            op.defs().iter().for_each(|register| times[*register as usize] += 1);
        }
        WriteCounts(times)
    }

    /// Tests whether an operand has one value only: it is a constant, or a register that is written once.
    fn stays(&self, operand: Operand) -> bool {
        match operand {
            Operand::Register(register) => self.0[register as usize] == 1,
            Operand::Constant(_) => true,
            Operand::Slot(_) => false,
        }
    }
}

/// Replaces `r1 := a op b; r2 := r1` by `r2 := a op b`, if nothing else reads r1.
fn compute_in_place(code: &mut [Op], targets: &[bool]) {
    for at in 1..code.len() {
        let Op::Copy { dst, src: Operand::Register(src) } = code[at] else { continue };
        let made_here = matches!(code[at - 1].plain(), Op::Binary { .. } | Op::Unary { .. } | Op::IsVariant { .. });
        if targets[at] || !made_here || code[at - 1].defs()[..] != [src] {
            continue;
        }
        let reads = code.iter().flat_map(Op::operands).filter(|read| *read == Operand::Register(src)).count();
        let writers = code.iter().flat_map(Op::defs).filter(|register| *register == src).count();
        if reads == 1 && writers == 1 {
            code[at - 1].rename(&mut |register| if register == src { dst } else { register });
            code[at] = Op::Copy { dst, src: Operand::Register(dst) };
        }
    }
}

/// Replaces reads of a field of a constructor that is made at one place by copies of the operand that was put into it.
fn take_apart(code: &mut [Op], written: &WriteCounts) {
    let mut made: Vec<Option<(u32, Box<[Operand]>)>> = vec![None; written.0.len()];
    for op in code.iter() {
        if let Op::Make { dst, tag, fields } = op
            && written.stays(Operand::Register(*dst))
        {
            made[*dst as usize] = Some((*tag, fields.clone()));
        }
    }
    for op in code {
        let Op::Field { dst, src: Operand::Register(src), tag, index } = op else { continue };
        let Some((own, fields)) = &made[*src as usize] else { continue };
        if own == tag
            && let Some(field) = fields.get(*index as usize)
            && written.stays(*field)
        {
            *op = Op::Copy { dst: *dst, src: *field };
        }
    }
}

/// Returns for each register the operand of which it is always a copy, if any.
fn sources(code: &[Op], written: &WriteCounts) -> Vec<Option<Operand>> {
    let mut sources = vec![None; written.0.len()];
    for op in code {
        if let Op::Copy { dst, src } = op
            && *src != Operand::Register(*dst)
            && written.stays(Operand::Register(*dst))
            && written.stays(*src)
        {
            sources[*dst as usize] = Some(*src);
        }
    }
    sources
}

fn origin(operand: Operand, sources: &[Option<Operand>]) -> Operand {
    let mut origin = operand;
    for _ in 0..sources.len() {
        let Operand::Register(register) = origin else { break };
        let Some(source) = sources[register as usize] else { break };
        origin = source;
    }
    origin
}
