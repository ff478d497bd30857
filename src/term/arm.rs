//! Arms of conditionals, simplified under their condition: `if #1 == 3 then t(#1) else …` is `if #1 == 3 then t(3) else …`.

use super::{Column, Kind, Term, Var};
use crate::scalar::Scalar;
use smallvec::SmallVec;

/// An arm of more nodes than this, or under a condition of more, is kept as it is: substitution would cost too much.
const SMALL: u32 = 24;
/// A column of more scalars than this is not searched.
const LISTED: usize = 64;

/// The side of a conditional on which an arm is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ArmSide {
    Then,
    Else,
}

type Values = SmallVec<[(Var, Scalar); 2]>;

/// The arm of a conditional, simplified under the condition, or under its negation on the *else* side.
pub(super) fn under(condition: &Term, arm: &Term, side: ArmSide) -> Term {
    match arm.kind() {
        Kind::Const(_) => arm.clone(),
        _ if arm == condition => Term::from(side == ArmSide::Then),
        Kind::Ite(again, yes, _) if again == condition && side == ArmSide::Then => yes.clone(),
        Kind::Ite(again, _, no) if again == condition => no.clone(),
        _ if arm.size() > SMALL || condition.size() > SMALL => arm.clone(),
        Kind::Table(index, column) if is_last(condition, index, column, side) => Term::constant(column.last().clone()),
        _ => with_values(condition, arm, side),
    }
}

/// The arm with the values of variables that the condition fixes on this side.
fn with_values(condition: &Term, arm: &Term, side: ArmSide) -> Term {
    let mut values = Values::new();
    add_values(condition, side, &mut values);
    values.retain(|(var, _)| arm.mentions(*var));
    if values.is_empty() {
        return arm.clone();
    }
    let value = |var: Var| values.iter().find(|(known, _)| *known == var).map(|(_, value)| value.clone());
    arm.substitute(&mut |var| value(var).map(Term::constant))
}

/// Tests whether a table has the last scalar of its column on this side of a condition. The first part of the condition about the
/// index alone must say so; beyond both ends a table has its last scalar anyway.
fn is_last(condition: &Term, index: &Term, column: &Column, side: ArmSide) -> bool {
    let Some(var) = index.as_var() else { return false };
    let parts = match (condition.kind(), side) {
        (Kind::And(parts), ArmSide::Then) | (Kind::Or(parts), ArmSide::Else) => &parts[..],
        _ => std::slice::from_ref(condition),
    };
    let own = |part: &&Term| part.mentions(var) && !part.any_var(&mut |other| other != var);
    let Some(asked) = parts.iter().find(own) else { return false };
    let holds = Some(Scalar::Bool(side == ArmSide::Then));
    let is_at = |position: i64| asked.eval(&mut |_| Some(Scalar::int(position))) == holds;
    column.len() <= LISTED && (0i64..).zip(column.iter()).all(|(at, scalar)| scalar == column.last() || !is_at(at))
}

/// Adds the variables to which a condition gives a value on this side: if it holds, or if it does not.
fn add_values(condition: &Term, side: ArmSide, values: &mut Values) {
    match (condition.kind(), side) {
        (Kind::Var(var), _) => values.push((*var, Scalar::Bool(side == ArmSide::Then))),
        (Kind::Not(inner), ArmSide::Then) => add_values(inner, ArmSide::Else, values),
        (Kind::Not(inner), ArmSide::Else) => add_values(inner, ArmSide::Then, values),
        (Kind::And(parts), ArmSide::Then) | (Kind::Or(parts), ArmSide::Else) => {
            parts.iter().for_each(|part| add_values(part, side, values));
        }
        (_, ArmSide::Then) => values.extend(condition.as_equation()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;

    const VARS: [Var; 3] =
        [Var { id: 1, sort: Sort::Int }, Var { id: 2, sort: Sort::Int }, Var { id: 3, sort: Sort::Bool }];

    fn number(next: &mut dyn FnMut(u64) -> u64, depth: u32) -> Term {
        match next(if depth == 0 { 4 } else { 6 }) {
            5 => {
                let scalars = (0..2 + next(2)).map(|_| Scalar::int(next(3) as i64)).collect::<Vec<_>>();
                Term::table(&Term::var(VARS[next(2) as usize]), &Column::new(scalars).unwrap())
            }
            0 => Term::int(next(3) as i64),
            n @ (1 | 2) => Term::var(VARS[n as usize - 1]),
            3 if depth == 0 => Term::int(1),
            3 => number(next, depth - 1).add(&number(next, depth - 1)),
            _ => Term::ite(&condition(next, depth - 1), &number(next, depth - 1), &number(next, depth - 1)),
        }
    }

    fn condition(next: &mut dyn FnMut(u64) -> u64, depth: u32) -> Term {
        match next(if depth == 0 { 3 } else { 6 }) {
            0 => Term::var(VARS[2]),
            1 => Term::eq(&Term::var(VARS[next(2) as usize]), &Term::int(next(3) as i64)),
            2 => Term::le(&Term::var(VARS[0]), &Term::int(next(3) as i64)),
            3 => Term::and(&condition(next, depth - 1), &condition(next, depth - 1)),
            4 => Term::or(&condition(next, depth - 1), &condition(next, depth - 1)),
            _ => condition(next, depth - 1).not(),
        }
    }

    #[test]
    fn a_conditional_has_the_value_of_its_arm_everywhere() {
        let mut next = numbers(5);
        let mut shorter = 0;
        for _ in 0..4_000 {
            let (asked, yes, no) = (condition(&mut next, 2), number(&mut next, 2), number(&mut next, 2));
            let whole = Term::ite(&asked, &yes, &no);
            shorter += usize::from(whole.size() < asked.size() + yes.size() + no.size());
            for world in 0..18 {
                let of = |var: Var| match var.id {
                    1 => Some(Scalar::int(world % 3)),
                    2 => Some(Scalar::int(world / 3 % 3)),
                    _ => Some(Scalar::Bool(world >= 9)),
                };
                let value = |term: &Term| term.eval(&mut |var| of(var));
                let arm = if value(&asked) == Some(Scalar::Bool(true)) { &yes } else { &no };
                assert_eq!(value(&whole), value(arm), "if {asked} {{ {yes} }} else {{ {no} }}: {whole} in {world}");
            }
        }
        assert!(shorter > 500, "{shorter}");
    }

    #[test]
    fn what_the_condition_fixes_is_known_in_the_arm() {
        let [one, _, flag] = VARS.map(Term::var);
        let is_two = Term::eq(&one, &Term::int(2));
        assert_eq!(Term::ite(&is_two, &one.add(&Term::int(5)), &Term::int(7)), Term::int(7));
        let both = Term::and(&is_two, &flag);
        assert_eq!(Term::ite(&both, &Term::ite(&flag, &one, &Term::int(4)), &Term::int(2)), Term::int(2));
        let neither = Term::or(&is_two.not(), &flag);
        assert_eq!(Term::ite(&neither, &Term::int(2), &one), Term::int(2));
        let column = Column::new([4, 7, 5, 7].map(Scalar::int).to_vec()).unwrap();
        let at = |least: i64| Term::and(&flag, &Term::le(&Term::int(least), &one));
        let table = Term::table(&one, &column);
        assert_eq!(Term::ite(&at(3), &table, &Term::int(7)), Term::int(7));
        assert_ne!(Term::ite(&at(2), &table, &Term::int(7)), Term::int(7));
    }
}
