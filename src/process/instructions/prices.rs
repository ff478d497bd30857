//! The price of an instruction on large values, in instructions: copying or comparing a thousand elements takes as long as about a
//! hundred simple instructions.
//!
//! `s + s` of a text of a mebibyte counts as 32,768 instructions, and `n * n` of a number of 2^20 bits as four million.

use super::operands::At;
use crate::limits;
use crate::process::Process;
use crate::scalar::{Int, Scalar};
use crate::spec::code::{Binary, Op, Operand, Unary};
use crate::term::{Kind, Term};
use crate::value::{Arithmetic, Value, extent};

/// Multiplying this many pairs of words takes the time of an instruction.
const PRODUCTS: usize = 64;

/// Subtracts the price of an instruction from the instructions that the section may still execute.
pub(crate) fn charge(process: &mut Process, at: At<'_>, op: &Op) {
    let price = price(op, &|operand| at.read(process, operand));
    if price > 0 {
        process.task.fuel = process.task.fuel.saturating_sub(u32::try_from(price).unwrap_or(u32::MAX));
    }
}

fn price<'v>(op: &Op, read: &dyn Fn(Operand) -> &'v Value) -> usize {
    match op {
        Op::Unary { op, a, .. } => of_one(*op, read(*a)),
        Op::Binary { op, a, b, .. } | Op::Require { op, a, b, .. } | Op::Compare { op, a, b, .. } => {
            of_two(*op, read(*a), read(*b))
        }
        Op::Append { slot, src, .. } => of_two(Binary::Add, read(Operand::Slot(*slot)), read(*src)),
        Op::Replace { list: over, .. } | Op::Slice { src: over, .. } => copied(read(*over)),
        Op::Iterate { over, .. } | Op::IterateInOrder { over, .. } | Op::PickElement { over, .. } => {
            if let over @ (Value::Map(_) | Value::Open(_)) = read(*over) {
                copied(over)
            } else {
                0
            }
        }
        Op::Gather { .. } => limits::VALUES_PER_TERM / 2,
        _ => 0,
    }
}

fn of_one(op: Unary, a: &Value) -> usize {
    match (op, a) {
        // Most texts are no numbers, which is known after one look at them.
        (Unary::ToInt, Value::Scalar(Scalar::Str(text))) if !Int::is_written(text) => copied(a),
        (Unary::Text(_) | Unary::ToInt, _) => words(a).saturating_mul(words(a)) / PRODUCTS,
        (Unary::Len, Value::List(_) | Value::Map(_)) | (Unary::Not, _) => 0,
        _ => copied(a),
    }
}

fn of_two(op: Binary, a: &Value, b: &Value) -> usize {
    match (op, a, b) {
        (Binary::Arithmetic(Arithmetic::Mul | Arithmetic::Div | Arithmetic::Rem), ..) => {
            words(a).saturating_mul(words(b)) / PRODUCTS
        }
        (_, Value::Scalar(_) | Value::Term(_), Value::Scalar(_) | Value::Term(_)) => {
            (words(a) + words(b)) / limits::VALUES_PER_TERM
        }
        (Binary::In, _, Value::Map(_)) | (Binary::Get | Binary::Remove, ..) | (Binary::Add, Value::List(_), _) => 0,
        (Binary::In | Binary::Difference | Binary::Overlay, _, b) => copied(b),
        _ => extent(a).min(extent(b)) / limits::VALUES_PER_TERM,
    }
}

fn copied(value: &Value) -> usize {
    match value {
        Value::Scalar(_) | Value::Term(_) => words(value) / limits::VALUES_PER_TERM,
        collection => extent(collection) / limits::VALUES_PER_TERM,
    }
}

/// The machine words of a scalar, known or symbolic.
fn words(value: &Value) -> usize {
    match value {
        Value::Scalar(scalar) if scalar.as_int().is_some() => extent(value) / 64 + 1,
        Value::Scalar(_) => extent(value) / 8 + 1,
        Value::Term(term) => words_of_term(term),
        _ => 1,
    }
}

/// The words of the outermost node of a term.
fn words_of_term(term: &Term) -> usize {
    match term.kind() {
        Kind::Linear(sum) => sum.terms().iter().map(|(_, factor)| 1 + factor.bits() as usize / 64).sum(),
        Kind::Text(_, parts) | Kind::And(parts) | Kind::Or(parts) => parts.len(),
        _ => 1,
    }
}
