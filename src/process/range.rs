//! `a..b` as a list, where a bound is not known: by its length, up to a limit.
//!
//! The length is found out by halves, each a decision (a fork where both can be); of length n the list is a, a + 1 … as
//! terms. For example `#1..#1 + 1` is `[#1]`, and `#1..3` with `#1` in 1..=2 is `[#1]` or `[#1, #1 + 1]`.

use super::evaluate::{self, Evaluated, Obstacle};
use super::{Limit, Process, RANGE_LIMIT, SECTION_LIMIT};
use crate::scalar::{Int, Scalar};
use crate::spec::code::Binary;
use crate::term::Term;
use crate::value::{self, Arithmetic, Value};

impl Process {
    /// The integers of a range as a list.
    pub(super) fn range_list(&self, from: &Value, to: &Value) -> Evaluated {
        let length = evaluate::binary(Binary::Arithmetic(Arithmetic::Sub), to, from)?;
        let count = match (&length, length.as_int()) {
            (_, Some(known)) => known.to_i64().unwrap_or(i64::MAX).max(0),
            (Value::Term(open), None) => self.length_of_range(open)?,
            (Value::Union(alternatives), None) => return Err(Obstacle::Decide(alternatives[0].0.clone())),
            _ => return Ok(Value::Absent),
        };
        if count > i64::from(SECTION_LIMIT) {
            return Err(Obstacle::Limit(Limit::Section));
        }
        let integers: Vec<Value> = (0..count).map(|at| nth(from, at)).collect::<Result<_, Obstacle>>()?;
        Ok(Value::list(integers))
    }

    /// The length of a range, of which a term says what it is where that is not negative.
    fn length_of_range(&self, length: &Term) -> Result<i64, Obstacle> {
        if self.asked(&Term::lt(&Term::int(RANGE_LIMIT), length))? {
            return Err(Obstacle::Limit(Limit::Range));
        }
        let (mut least, mut most) = (0, RANGE_LIMIT);
        while least < most {
            let middle = (least + most) / 2;
            if self.asked(&Term::le(length, &Term::int(middle)))? {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        Ok(least)
    }
}

fn nth(from: &Value, at: i64) -> Evaluated {
    Ok(value::add(from, &Value::Scalar(Scalar::Int(Int::from(at))))?)
}
