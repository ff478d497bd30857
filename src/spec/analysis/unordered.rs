//! Lists of which only the elements matter, not their order and number.
//!
//! `late := late + [v]`, `pick late`, `v in late` and `late := [x for x in late if x != v]` do the same on `[1, 2, 1]` and on
//! `[2, 1]`; `late[0]`, `len(late)` and `reply late` do not.

use super::dataflow::Graph;
use super::reply_shapes::is_reported;
use crate::spec::code::{Binary, ChoiceDomain, Function, Op, Operand, Program, Register, Slot};
use crate::spec::types::{Type, Types};
use crate::value::Value;

/// A value is followed through at most this many copies.
const COPIES: usize = 4;

/// A function and its control-flow graph.
type Flow<'f> = (&'f Function, &'f Graph);

/// Marks the variables that hold such lists.
pub(crate) fn unordered(program: &Program, types: &Types) -> Vec<bool> {
    let is_list = |slot: &Slot| matches!(types.get(slot.ty), Type::List(_));
    let mut unordered: Vec<bool> = program.slots.iter().map(is_list).collect();
    for function in &program.functions {
        if !unordered.contains(&true) {
            break;
        }
        let graph = Graph::of(function);
        for (pc, op) in function.code.iter().enumerate() {
            for operand in op.operands() {
                if let Operand::Slot(slot) = operand
                    && unordered[slot as usize]
                {
                    unordered[slot as usize] = asks_for_elements(program, (function, &graph), pc, slot);
                }
            }
        }
    }
    unordered
}

/// Tests whether an instruction that reads a variable does the same on any two lists with the same elements.
fn asks_for_elements(program: &Program, (function, graph): Flow, pc: usize, slot: u32) -> bool {
    let list = Operand::Slot(slot);
    let is_empty = |operand: &Operand| match operand {
        Operand::Constant(at) => matches!(&program.constants[*at as usize], Value::List(list) if list.is_empty()),
        Operand::Register(_) | Operand::Slot(_) => false,
    };
    match function.code[pc].plain() {
        Op::Choose { domain: ChoiceDomain::Element(..), .. } | Op::PickElement { .. } => true,
        Op::HasLength { length, exact, .. } => *length == u32::from(!exact),
        Op::Binary { op: Binary::In, a, .. } => *a != list,
        Op::Binary { op: Binary::Eq | Binary::Ne, a, b, .. } => is_empty(a) || is_empty(b),
        Op::Binary { op: Binary::Add, dst, .. } => goes_back((function, graph), (pc + 1, *dst), slot, COPIES),
        Op::Iterate { .. } => is_filter((function, graph), pc, slot),
        _ => false,
    }
}

/// Tests whether the value of a register at a position is only stored to a variable.
fn goes_back((function, graph): Flow, (from, held): (usize, Register), slot: u32, copies: usize) -> bool {
    graph.readers(function, from, Operand::Register(held)).into_iter().all(|at| match function.code[at].plain() {
        Op::Store { slot: to, .. } => *to == slot,
        Op::Copy { dst, .. } => copies > 0 && goes_back((function, graph), (at + 1, *dst), slot, copies - 1),
        _ => false,
    })
}

/// Tests whether a loop filters the list of a variable: it keeps the elements for which a condition holds.
fn is_filter((function, graph): Flow, pc: usize, slot: u32) -> bool {
    let code = &function.code;
    let Some(Op::Next { element, done, .. }) = code.get(pc + 1).map(Op::plain) else { return false };
    let body = pc + 2..*done as usize;
    let pushes: Vec<(Register, Operand)> = body
        .clone()
        .filter_map(|at| match code[at].plain() {
            Op::Push { dst, src, .. } => Some((*dst, *src)),
            _ => None,
        })
        .collect();
    let ([(list, pushed)], Some(before)) = (&pushes[..], pc.checked_sub(1)) else { return false };
    let begins = matches!(code[before].plain(), Op::Copy { dst, src: Operand::Constant(_) } if dst == list);
    let is_pure = |at: usize| computes(code[at].plain()) && !is_reported(function, at);
    begins
        && is_element(function, body.clone(), *pushed, *element)
        && body.clone().all(is_pure)
        && goes_back((function, graph), (body.end, *list), slot, COPIES)
}

/// Tests whether an operand in a loop is the current element.
fn is_element(function: &Function, body: std::ops::Range<usize>, read: Operand, element: Register) -> bool {
    let Operand::Register(register) = read else { return false };
    let writes = |at: &usize| function.code[*at].defs().contains(&register);
    let copies = |at: usize| {
        let op = function.code[at].plain();
        matches!(op, Op::Copy { src, .. } if *src == Operand::Register(element))
    };
    let mut written = body.filter(writes);
    match written.next() {
        None => register == element,
        Some(at) => copies(at) && written.next().is_none(),
    }
}

/// Tests whether an instruction only computes, without any other effect.
fn computes(op: &Op) -> bool {
    matches!(
        op,
        Op::Copy { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::IsVariant { .. }
            | Op::Field { .. }
            | Op::Make { .. }
            | Op::Push { .. }
            | Op::Unless { .. }
            | Op::Branch { .. }
            | Op::Compare { .. }
            | Op::Jump { .. }
            | Op::Split { .. }
            | Op::Swap { .. }
            | Op::Join { .. }
    )
}

#[cfg(test)]
mod tests {
    use crate::spec::Spec;

    #[test]
    fn of_some_lists_only_the_elements_matter() {
        let cases = [
            ("l := l + [q]; reply 0;", true),
            ("if q in l { l := []; } reply 0;", true),
            ("let v = pick l; l := [x for x in l if x != v]; reply v;", true),
            ("let v = pick x in l where x > q; l := [x for x in l if x > v && x < 9]; reply v;", true),
            ("if l == [] { l := [q, q]; } reply 0;", true),
            ("match l { [] => { reply 0; } _ => { reply 1; } }", true),
            ("match l { [_, ..] => { reply 0; } _ => { reply 1; } }", true),
            ("l := [q] + l; reply 0;", true),
            ("match l { [x, ..] => { reply x; } _ => { reply 1; } }", false),
            ("match l { [_, _, ..] => { reply 0; } _ => { reply 1; } }", false),
            ("reply len(l);", false),
            ("l := [x + 1 for x in l]; reply 0;", false),
            ("l := [q for x in l]; reply 0;", false),
            ("o := [x for x in l]; reply len(o);", false),
            ("o := l; reply len(o);", false),
            ("let m = l + [q]; l := m; reply len(m);", false),
            ("let m = [x for x in l if x > q]; l := m; reply len(m);", false),
            ("var n = 0; for x in l { n := n * 2 + x; } reply n;", false),
            ("if l == [1, 2] { reply 0; } reply 1;", false),
            ("if l in {[1, 2]} { reply 0; } reply 1;", false),
        ];
        for (body, expected) in cases {
            let text = format!(
                "protocol p {{ request int; response int; var o: list<int> = []; var l: list<int> = []; on q {{ {body} }} }}"
            );
            let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{body}: {error}"));
            assert_eq!(spec.program.unordered[1], expected, "{body}");
        }
    }
}
