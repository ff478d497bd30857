//! The places where the arms of an `either` come together again, and the number of conditions behind them that depend on what
//! the arms wrote: where hardly any do, the arms are merged rather than followed one by one (query count estimation: Kuznetsov,
//! Kinder, Bucur, Candea, *Efficient state merging in symbolic execution*, 2012).
//!
//! Behind `either { n := 1; } or {}` in `… reply 0;` nothing asks for n; in `… if n > 0 { reply 1; } reply 0;` one condition does.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Domain, Function, Op, Operand, Pc, Register};
use super::flow::Flow;
use super::operands::{visit_operands, visit_written};
use super::traced::written;

/// The place where the arms of an `either` come together again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// The first instruction that all of them come to, whatever they do.
    pub at: Pc,
    /// The registers that are read from there on before they are written.
    pub live: Box<[Register]>,
}

/// Arms are followed one by one where more conditions than this depend on what they wrote.
const QUERIES: usize = 2;
/// A call counts as so many conditions, as what is called is not looked through.
const CALL: usize = 8;

/// The meetings of the arms of each `either` of a function, behind which it is hardly asked what they wrote.
pub(super) fn meetings(function: &Function) -> FxHashMap<Pc, Meeting> {
    let selects: Vec<usize> =
        (0..function.code.len()).filter(|at| matches!(function.code[*at].plain(), Op::Select { .. })).collect();
    if selects.is_empty() {
        return FxHashMap::default();
    }
    let flow = Flow::of(function);
    let needed: Vec<Vec<bool>> = (0..function.registers).map(|register| flow.needed(function, register)).collect();
    let live = |at: usize| (0..function.registers).filter(|register| needed[*register as usize][at]).collect();
    let meeting = |select: usize| {
        let at = flow.meeting(select)?;
        let meeting = Meeting { at: at as Pc, live: live(at) };
        (queries(function, &flow, select, &meeting) <= QUERIES).then_some((select as Pc, meeting))
    };
    selects.into_iter().filter_map(meeting).collect()
}

/// Operands that may depend on which arm was taken, before an instruction.
type Tainted = FxHashSet<Operand>;

/// The number of conditions behind the place where arms meet that depend on what these wrote.
fn queries(function: &Function, flow: &Flow, select: usize, meeting: &Meeting) -> usize {
    let place = meeting.at as usize;
    let mut before: Vec<Option<Tainted>> = vec![None; function.code.len() + 1];
    before[place] = Some(written_in_arms(function, flow, select, meeting));
    let mut open = vec![place];
    while let Some(at) = open.pop() {
        let Some((op, tainted)) = function.code.get(at).zip(before[at].clone()) else { continue };
        let behind = behind(op, tainted);
        for way in flow.ways[at].iter().filter(|_| !behind.is_empty()) {
            let known = before[*way].get_or_insert_default();
            let length = known.len();
            known.extend(behind.iter().copied());
            if known.len() > length {
                open.push(*way);
            }
        }
    }
    let asked = |(op, tainted): (&Op, &Option<Tainted>)| match tainted {
        Some(tainted) if reads(op, tainted) => asks(op),
        Some(_) | None => 0,
    };
    function.code.iter().zip(&before).map(asked).sum()
}

/// The variables and live registers that arms write.
fn written_in_arms(function: &Function, flow: &Flow, select: usize, meeting: &Meeting) -> Tainted {
    let (mut tainted, mut met) = (Tainted::default(), FxHashSet::default());
    let mut open = flow.ways[select].clone();
    while let Some(at) = open.pop() {
        if at == meeting.at as usize || !met.insert(at) {
            continue;
        }
        let op = &function.code[at];
        tainted.extend(written(op).map(|(slot, _)| Operand::Slot(slot)));
        visit_written(op, &mut |register| {
            if meeting.live.contains(&register) {
                tainted.insert(Operand::Register(register));
            }
        });
        open.extend(&flow.ways[at]);
    }
    tainted
}

/// The operands that depend on the arms behind an instruction.
fn behind(op: &Op, mut tainted: Tainted) -> Tainted {
    let depends = reads(op, &tainted);
    let mut write = |operand: Operand| {
        if depends {
            tainted.insert(operand);
        } else {
            tainted.remove(&operand);
        }
    };
    visit_written(op, &mut |register| write(Operand::Register(register)));
    if let Some((slot, _)) = written(op) {
        write(Operand::Slot(slot));
    }
    tainted
}

fn reads(op: &Op, tainted: &Tainted) -> bool {
    let mut found = false;
    visit_operands(op, &mut |operand| found |= tainted.contains(&operand));
    found || (matches!(op.plain(), Op::Call { .. }) && !tainted.is_empty())
}

/// The number of conditions that an instruction asks for.
fn asks(op: &Op) -> usize {
    match op.plain() {
        Op::Branch { .. } | Op::Compare { .. } | Op::Split { .. } => 1,
        Op::Assume { .. } | Op::Require { .. } | Op::Expects { .. } | Op::PickElement { .. } => 1,
        Op::Choose { domain: Domain::Element(..) | Domain::Range(..), .. } => 1,
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
