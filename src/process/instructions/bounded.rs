//! Lists whose length is decided by forks, up to a limit: the pieces of an unknown text, the integers of a range.
//!
//! `("set k" + #1).split(" ")` has at least two pieces, the first of which is `"set"`; each number of pieces is a fork. The length of a
//! range `a..b` is decided by binary search, and the list is then a, a + 1 … as terms: `#1..#1 + 1` is `[#1]`, and `#1..3` with `#1` in
//! 1..=2 is `[#1]` or `[#1, #1 + 1]`.

use super::evaluate::{self, Evaluated, Executed, Obstacle};
use super::operands::At;
use crate::limits;
use crate::process::task::Task;
use crate::process::{Event, Limit};
use crate::scalar::{Int, Scalar};
use crate::spec::code::{Binary, Register};
use crate::term::{Term, TextOp};
use crate::value::{self, Arithmetic, Truth, Value};

/// Sets a register to the list of pieces of a text.
pub(crate) fn pieces(
    task: &mut Task,
    at: At<'_>,
    dst: Register,
    [text, by]: [&Value; 2],
) -> Result<Executed, Obstacle> {
    if let Value::Union(alternatives) = text {
        return Err(Obstacle::Decide(alternatives[0].0.clone()));
    }
    let unknown = !(text.is_known() && by.is_known());
    let (true, Some(s), Some(t)) = (unknown, text.as_term(), by.as_term()) else {
        return task.keep(dst, evaluate::binary(Binary::Split, text, by));
    };
    let number = Term::text(TextOp::Pieces, [s.clone(), t.clone()]);
    if task.asked(&Term::lt(&Term::int(limits::PIECES_LIMIT), &number))? {
        return Err(Obstacle::Limit(Limit::Pieces));
    }
    for n in 1..=limits::PIECES_LIMIT {
        if task.asked(&Term::eq(&number, &Term::int(n)))? {
            return task.keep(dst, Ok(all_pieces(&s, &t, n)));
        }
    }
    // No number of pieces is left: the path is infeasible, even if the solver has not found that out.
    task.set(dst, Value::Absent);
    let never = task.where_guarded(Truth::Known(false));
    task.event(Event::Assume(never, at.site()))
}

/// The list of the n pieces of a text.
fn all_pieces(s: &Term, t: &Term, n: i64) -> Value {
    let piece = |at: i64| Term::text(TextOp::Piece, [s.clone(), t.clone(), Term::int(at)]);
    // A single piece is the text itself.
    if n == 1 {
        Value::list([Value::of_term(s.clone())])
    } else {
        Value::list((0..n).map(|at| Value::of_term(piece(at))))
    }
}

/// The integers of a range as a list.
pub(crate) fn integers(task: &Task, from: &Value, to: &Value) -> Evaluated {
    let length = evaluate::binary(Binary::Arithmetic(Arithmetic::Sub), to, from)?;
    let count = match (&length, length.as_int()) {
        (_, Some(known)) => known.to_i64().unwrap_or(i64::MAX).max(0),
        (Value::Term(open), None) => length_of_range(task, open)?,
        (Value::Union(alternatives), None) => return Err(Obstacle::Decide(alternatives[0].0.clone())),
        _ => return Ok(Value::Absent),
    };
    if count > i64::from(limits::SECTION_LIMIT) {
        return Err(Obstacle::Limit(Limit::Section));
    }
    let nth = |at: i64| -> Evaluated { Ok(value::add(from, &Value::Scalar(Scalar::Int(Int::from(at))))?) };
    let integers: Vec<Value> = (0..count).map(nth).collect::<Result<_, Obstacle>>()?;
    Ok(Value::list(integers))
}

/// The length of a range, decided by binary search: that of the term, or 0 if the term is negative.
fn length_of_range(task: &Task, length: &Term) -> Result<i64, Obstacle> {
    if task.asked(&Term::lt(&Term::int(limits::RANGE_LIMIT), length))? {
        return Err(Obstacle::Limit(Limit::Range));
    }
    let (mut least, mut most) = (0, limits::RANGE_LIMIT);
    while least < most {
        let middle = (least + most) / 2;
        if task.asked(&Term::le(length, &Term::int(middle)))? {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    Ok(least)
}
