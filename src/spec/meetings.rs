//! The places where the arms of an `either` come together again, and the number of conditions after them that depend on what
//! the arms wrote: if hardly any do, the arms are merged rather than followed one by one (query count estimation: Kuznetsov,
//! Kinder, Bucur, Candea, *Efficient state merging in symbolic execution*, 2012).
//!
//! After `either { n := 1; } or {}` in `… reply 0;` nothing asks for n; in `… if n > 0 { reply 1; } reply 0;` one condition does.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{ChoiceDomain, Function, Meeting, Op, Operand, Pc};
use super::dataflow::{Graph, Lattice};

/// Arms are followed one by one if more conditions than this depend on what they wrote.
const QUERIES: usize = 2;
/// The number of conditions that a call counts as, since what is called is not inspected.
const CALL: usize = 8;

/// The meetings of the arms of each `either` of a function, after which it is hardly asked what they wrote.
pub(super) fn meetings(function: &Function) -> FxHashMap<Pc, Meeting> {
    let selects: Vec<usize> =
        (0..function.code.len()).filter(|at| matches!(function.code[*at].plain(), Op::Select { .. })).collect();
    if selects.is_empty() {
        return FxHashMap::default();
    }
    let graph = Graph::of(function);
    let live: Vec<Vec<bool>> = (0..function.registers).map(|register| graph.live(function, register)).collect();
    let meeting = |select: usize| {
        let at = graph.meeting(select)?;
        let live = (0..function.registers).filter(|register| live[*register as usize][at]).collect();
        let meeting = Meeting { at: at as Pc, live };
        (queries(function, &graph, select, &meeting) <= QUERIES).then_some((select as Pc, meeting))
    };
    selects.into_iter().filter_map(meeting).collect()
}

/// Operands that may depend on which arm was taken, before an instruction.
#[derive(Clone)]
struct Tainted(FxHashSet<Operand>);

impl Lattice for Tainted {
    fn join(&mut self, other: &Tainted) -> bool {
        let before = self.0.len();
        self.0.extend(&other.0);
        self.0.len() > before
    }
}

/// The number of conditions after the place where arms meet that depend on what these wrote.
fn queries(function: &Function, graph: &Graph, select: usize, meeting: &Meeting) -> usize {
    let written = written_in_arms(function, graph, select, meeting);
    let behind = |at: usize, tainted: &Tainted| {
        let behind = tainted.behind(function.code.get(at)?);
        (!behind.0.is_empty()).then_some(behind)
    };
    let before = graph.forward((meeting.at as usize, written), behind);
    let asked = |(op, tainted): (&Op, &Option<Tainted>)| match tainted {
        Some(tainted) if tainted.reach(op) => asks(op),
        Some(_) | None => 0,
    };
    function.code.iter().zip(&before).map(asked).sum()
}

/// The variables and live registers that arms write.
fn written_in_arms(function: &Function, graph: &Graph, select: usize, meeting: &Meeting) -> Tainted {
    let reached = graph.reached(select, |at| at != meeting.at as usize);
    let inside = (0..function.code.len()).filter(|at| reached[*at] && *at != meeting.at as usize);
    let written = inside.flat_map(|at| written(&function.code[at]));
    let is_live = |operand: &Operand| operand.register().is_none_or(|register| meeting.live.contains(&register));
    Tainted(written.filter(is_live).collect())
}

/// The registers and the variable that an instruction writes.
fn written(op: &Op) -> impl Iterator<Item = Operand> + use<> {
    let slot = op.stores().map(|(slot, _)| Operand::Slot(slot));
    op.defs().into_iter().map(Operand::Register).chain(slot)
}

impl Tainted {
    /// The operands that depend on the arms after an instruction.
    fn behind(&self, op: &Op) -> Tainted {
        let mut behind = self.clone();
        for operand in written(op) {
            if self.reach(op) {
                behind.0.insert(operand);
            } else {
                behind.0.remove(&operand);
            }
        }
        behind
    }

    /// Tests whether an instruction reads one of them.
    fn reach(&self, op: &Op) -> bool {
        let reads = op.operands().iter().any(|operand| self.0.contains(operand));
        reads || (matches!(op.plain(), Op::Call { .. }) && !self.0.is_empty())
    }
}

/// The number of conditions that an instruction asks for.
fn asks(op: &Op) -> usize {
    match op.plain() {
        Op::Branch { .. } | Op::Compare { .. } | Op::Split { .. } => 1,
        Op::Assume { .. } | Op::Require { .. } | Op::Expects { .. } | Op::PickElement { .. } => 1,
        Op::Choose { domain: ChoiceDomain::Element(..) | ChoiceDomain::Range(..), .. } => 1,
        Op::Call { .. } => CALL,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::Spec;
    use crate::spec::code::{Op, Program};

    /// The instructions at which the arms meet, by the order of the statements.
    fn met(body: &str) -> Vec<Option<String>> {
        let text =
            format!("protocol p {{ request int; response int; var n: int = 0; var m: int = 0; on q {{ {body} }} }}");
        let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}"));
        let Program { functions, serve, .. } = &spec.program;
        let function = &functions[*serve as usize];
        let selects = (0..).zip(&function.code).filter(|(_, op)| matches!(op.plain(), Op::Select { .. }));
        let name =
            |op: &Op| format!("{:?}", op.plain()).split_whitespace().next().map(str::to_owned).unwrap_or_default();
        selects.map(|(pc, _)| function.meetings.get(&pc).map(|at| name(&function.code[at.at as usize]))).collect()
    }

    #[test]
    fn arms_meet_behind_the_statement() {
        let reply = [Some("Reply".to_owned())];
        assert_eq!(met("either { n := 1; } or { n := 2; m := 3; } or {} reply n;"), reply);
        assert_eq!(met("either { if q > 2 { n := 1; } else { m := 2; } } or {} reply n;"), reply);
        assert_eq!(met("for i in 0..3 { either { n := n + i; } or {} } reply n;"), [Some("Next".to_owned())]);
    }

    #[test]
    fn arms_are_followed_where_conditions_ask_for_what_they_wrote() {
        let asked = |times: usize| {
            format!("either {{ n := 1; }} or {{}} {} reply 0;", "if n > q { m := m + 1; } ".repeat(times))
        };
        let reply = [Some("Compare".to_owned())];
        assert_eq!((met(&asked(2)), met(&asked(3))), (reply.into(), vec![None]));
        let anew =
            "either { n := 1; } or {} n := 2; if n > q { m := 1; } if n > q { m := 2; } if n > q { m := 3; } reply m;";
        assert_eq!(met(anew), [Some("Store".to_owned())]);
    }

    #[test]
    fn arms_that_answer_do_not_meet() {
        assert_eq!(met("either { reply 1; } or { n := 2; } reply n;"), [None]);
        assert_eq!(met("either { if q > 2 { reply 1; } } or { n := 2; } reply n;"), [None]);
    }
}
