//! `s.split(t)` of an unknown text: by the number of its pieces, up to a limit.
//!
//! Each number of pieces is a decision (a fork); with n pieces decided the list has the n pieces as terms. For example
//! `("set k" + #1).split(" ")` has at least two pieces, the first of which is `"set"`.

use super::evaluate::{self, Evaluated, Obstacle};
use super::{Limit, PIECES_LIMIT, Process};
use crate::spec::code::Binary;
use crate::term::{Term, TextOp};
use crate::value::Value;

impl Process {
    /// The list of pieces of a text.
    pub(super) fn split_text(&self, text: &Value, by: &Value) -> Evaluated {
        if let Value::Union(alternatives) = text {
            return Err(Obstacle::Decide(alternatives[0].0.clone()));
        }
        let unknown = !(text.is_known() && by.is_known());
        let (true, Some(s), Some(t)) = (unknown, text.as_term(), by.as_term()) else {
            return evaluate::binary(Binary::Split, text, by);
        };
        let number = Term::text(TextOp::Pieces, [s.clone(), t.clone()]);
        for n in 1..=PIECES_LIMIT {
            let here = Term::eq(&number, &Term::int(n));
            match here.as_bool().or_else(|| self.decided(&here)) {
                Some(true) => return Ok(pieces(&s, &t, n)),
                Some(false) => {}
                None => return Err(Obstacle::Decide(here)),
            }
        }
        Err(Obstacle::Limit(Limit::Pieces))
    }
}

/// All of the n pieces that a text has.
fn pieces(s: &Term, t: &Term, n: i64) -> Value {
    let piece = |at: i64| Term::text(TextOp::Piece, [s.clone(), t.clone(), Term::int(at)]);
    // A single piece is the text itself.
    if n == 1 {
        Value::list([Value::of_term(s.clone())])
    } else {
        Value::list((0..n).map(|at| Value::of_term(piece(at))))
    }
}
