//! Difference constraints decided as a zone: bounds of integers and of their differences.
//!
//! For example `#1 - #2 <= 3`, `#1 >= 9` and `#2 <= 5` have no solution: the zone is empty.

use super::zone::Zone;
use crate::limits;
use crate::scalar::{Scalar, Sort};
use crate::solve::Model;
use crate::solve::Solved;
use crate::solve::facts::Facts;
use crate::solve::forgetting::eliminate::inequality;
use crate::term::{Term, Var};

/// The zone of variables that only their domains and these constraints restrict. `Some(None)` if it is empty; `None` if the
/// constraints are no zone, or one too large.
pub(crate) fn zone(facts: &Facts, vars: &[Var], terms: Vec<&Term>) -> Option<Option<Zone>> {
    if vars.len() > limits::ZONE {
        return None;
    }
    let edges = terms.into_iter().map(|term| edge(facts, term)).collect::<Option<Vec<_>>>()?;
    let mut zone = Zone::all(vars.len());
    for (at, var) in vars.iter().enumerate() {
        let domain = facts.domain(*var);
        if let Some(lo) = domain.lo() {
            zone.note((0, at + 1, lo.neg().to_i64()?))?;
        }
        if let Some(hi) = domain.hi() {
            zone.note((at + 1, 0, hi.to_i64()?))?;
        }
    }
    let place = |var: Var| vars.iter().position(|known| *known == var).map(|at| at + 1);
    for (above, below, most) in edges {
        zone.note((place(above)?, place(below)?, most))?;
    }
    Some(zone.closed())
}

/// The answer for facts whose constraints are differences alone.
pub(crate) fn decide(facts: &Facts) -> Option<Solved> {
    let rest = facts.rest.as_ref()?;
    let vars: Vec<Var> = rest.of_var.keys().collect();
    let zone = zone(facts, &vars, rest.terms.values().collect())?;
    let model = |zone: Zone| vars.iter().copied().zip(zone.point().into_iter().map(Scalar::int)).collect::<Model>();
    Some(zone.map_or(Solved::Unsat, |zone| Solved::Sat(model(zone))))
}

/// The variables a and b and the bound n, if a constraint is `a - b <= n` and the domains of both are intervals.
pub(crate) fn edge(facts: &Facts, term: &Term) -> Option<(Var, Var, i64)> {
    let linear = inequality(term)?;
    let [(a, of_a), (b, of_b)] = linear.terms() else { return None };
    let (a, b) = (a.as_var()?, b.as_var()?);
    if !is_ranged(facts, a) || !is_ranged(facts, b) {
        return None;
    }
    let most = linear.constant().neg().to_i64()?;
    match (of_a.to_i64()?, of_b.to_i64()?) {
        (1, -1) => Some((a, b, most)),
        (-1, 1) => Some((b, a, most)),
        _ => None,
    }
}

pub(crate) fn is_ranged(facts: &Facts, var: Var) -> bool {
    var.sort == Sort::Int && facts.domain(var).is_interval()
}
