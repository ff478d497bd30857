//! `s.split(t)` of an unknown text: by the number of its pieces, up to a limit.
//!
//! Each number of pieces is a decision (a fork); with n pieces decided the list has the n pieces as terms. For example
//! `("set k" + #1).split(" ")` has at least two pieces, the first of which is `"set"`.

use super::evaluate::{self, Next, Obstacle};
use super::{Event, Frame, Limit, PIECES_LIMIT, Process};
use crate::spec::Site;
use crate::spec::code::{Binary, Register};
use crate::term::{Term, TextOp};
use crate::value::{Truth, Value};

impl Process {
    /// Sets a register to the list of pieces of a text.
    pub(super) fn split_text(
        &mut self,
        frame: Frame,
        dst: Register,
        [text, by]: [&Value; 2],
        site: Site,
    ) -> Result<Next, Obstacle> {
        if let Value::Union(alternatives) = text {
            return Err(Obstacle::Decide(alternatives[0].0.clone()));
        }
        let unknown = !(text.is_known() && by.is_known());
        let (true, Some(s), Some(t)) = (unknown, text.as_term(), by.as_term()) else {
            let known = evaluate::binary(Binary::Split, text, by);
            return self.keep(dst, known);
        };
        let number = Term::text(TextOp::Pieces, [s.clone(), t.clone()]);
        if self.asked(&Term::lt(&Term::int(PIECES_LIMIT), &number))? {
            return Err(Obstacle::Limit(Limit::Pieces));
        }
        for n in 1..=PIECES_LIMIT {
            if self.asked(&Term::eq(&number, &Term::int(n)))? {
                return self.keep(dst, Ok(pieces(&s, &t, n)));
            }
        }
        // No number is left: this is no path, whether or not the solver has seen it.
        self.set(dst, Value::Absent);
        let never = self.where_guarded(Truth::Known(false));
        self.event(frame, Event::Assume(never, site))
    }

    /// What is known of a condition, or the wish to decide it.
    pub(super) fn asked(&self, condition: &Term) -> Result<bool, Obstacle> {
        let known = condition.as_bool().or_else(|| self.decided(condition));
        known.ok_or_else(|| Obstacle::Decide(condition.clone()))
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
