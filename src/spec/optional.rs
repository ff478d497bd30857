//! Choices of an optional value: `either None or Some(choose T)`, and the other way round, as one.
//!
//! The first choice decides between two arms that are joined, and only one of them chooses again: of what comes between the two nothing
//! is told to anybody. So a judge may make the whole value at once: `[c: None, !c: Some(x)]` with fresh `c` and `x`.

use rustc_hash::FxHashMap;

use super::TypeId;
use super::code::{Domain, Function, Op, Operand, Pc, Register};
use super::readers::readers;
use crate::value::Value;

/// A choice between a constructor without fields and one around a chosen value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Optional {
    /// Which constructor stands first: it is taken where the first choice is true.
    pub first: Arm,
    /// The number of the constructor without fields.
    pub none: u32,
    /// The number of the constructor around the value.
    pub some: u32,
    /// The type of the value.
    pub ty: TypeId,
    /// Where the whole is needed.
    pub dst: Register,
    /// Where the code goes on.
    pub to: Pc,
}

/// One of the two arms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// That without a value.
    None,
    /// That with the value.
    Some,
}

/// The choices of a function that are such.
pub(super) fn choices(function: &Function, constants: &[Value]) -> FxHashMap<Pc, Optional> {
    let all = 0..function.code.len();
    all.filter_map(|pc| Some((pc as Pc, optional(function, constants, pc)?))).collect()
}

/// The whole choice that begins there:
///
/// ```text
/// 0 choose which   1 split which   2 swap None   3 choose x   4 r := Some(x)   5 join r        either None or Some(choose)
/// 0 choose which   1 split which   2 choose x   3 r := Some(x)   4 swap r   5 join None        either Some(choose) or None
/// ```
fn optional(function: &Function, constants: &[Value], pc: usize) -> Option<Optional> {
    let Some(code @ [Op::Choose { dst: which, domain: Domain::Alternatives(2) }, ..]) = function.code.get(pc..pc + 6)
    else {
        return None;
    };
    let (first, swap, [none, choice, some]) = match code[2] {
        Op::Swap { .. } => (Arm::None, 2, [2, 3, 5]),
        _ => (Arm::Some, 4, [5, 2, 4]),
    };
    let (Op::Split { cond, otherwise }, Op::Choose { dst: chosen, domain: Domain::Type(ty) }) =
        (&code[1], &code[choice])
    else {
        return None;
    };
    let Op::Make { dst: made, tag, fields } = &code[choice + 1] else { return None };
    let end = |at: usize| match &code[at] {
        Op::Swap { dst, src, end, split } if at == swap && *end as usize == pc + 6 => Some((*dst, *src, *split)),
        Op::Join { dst, src, split } if at == 5 => Some((*dst, *src, *split)),
        _ => None,
    };
    let ((dst, without, split), (also, with, same)) = (end(none)?, end(some)?);
    let (at, to) = (pc as Pc, pc as Pc + 6);
    let arms = *otherwise as usize == pc + swap + 1 && (dst, split, at + 1) == (also, same, split);
    let values = *cond == Operand::Register(*which) && with == Operand::Register(*made);
    let wraps = **fields == [Operand::Register(*chosen)];
    let is_dead = |register| readers(function, to, Operand::Register(register)).is_empty();
    let unread = [*which, *chosen, *made].into_iter().all(|register| register == dst || is_dead(register));
    let none = unit(constants, without).filter(|none| none != tag)?;
    (arms && values && wraps && unread).then_some(Optional { first, none, some: *tag, ty: *ty, dst, to })
}

/// The number of a constructor without fields, where an operand is one.
fn unit(constants: &[Value], operand: Operand) -> Option<u32> {
    let Operand::Constant(number) = operand else { return None };
    match constants.get(number as usize)? {
        Value::Data { tag, fields: None } => Some(*tag),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::Spec;

    /// How many such choices the handler of a protocol has.
    fn found(handler: &str) -> usize {
        let spec = Spec::from_text(&format!(
            "enum E {{ Off, On(int) }} protocol p {{ request int; response int; var o: option<int> = None; var e: E = Off; \
             on q {{ {handler} reply 0; }} }}"
        ));
        spec.unwrap().program.functions.iter().map(|function| function.optional.len()).sum()
    }

    #[test]
    fn an_optional_choice_is_found_whatever_comes_first() {
        assert_eq!(found("o := either None or Some(choose);"), 1);
        assert_eq!(found("o := either Some(choose) or None; e := either Off or On(choose);"), 2);
        assert_eq!(found("if q > 0 { o := either None or Some(choose); }"), 1);
    }

    #[test]
    fn what_is_more_than_that_is_none() {
        for handler in [
            "o := either None or Some(3);",
            "o := either None or Some(choose n: int where n > 2);",
            "o := either Some(choose) or Some(choose);",
            "o := either None or None or Some(choose);",
            "let n: int = choose; o := either None or Some(n); if n > 2 { reply 1; }",
        ] {
            assert_eq!(found(handler), 0, "{handler}");
        }
    }
}
