//! Code sinking of choices: a second handler, for a judge that reports no choices, makes each choice right before its first use.
//!
//! For example `let x: int = choose; if q <= n { reply 0; } n := x; reply 1;` chooses x after the `if`: no choice precedes the answer
//! 0. In this handler the cells of a machine that are dead between requests are registers (see `cells`).

use super::cells;
use super::dataflow::Graph;
use crate::spec::code::{ChoiceDomain, Function, Op, Pc, Program, ProgramKind, Register};
use crate::spec::passes::{Code, simplify};

/// Adds the handler with sunk choices, if it differs from the handler as written.
pub(crate) fn add(program: &mut Program, code: Code) {
    let mut late = program.functions[program.serve as usize].clone();
    let in_registers = program.kind == ProgramKind::Machine && cells::keep_in_registers(&mut late);
    if in_registers {
        simplify(std::slice::from_mut(&mut late), code);
    }
    if choices(&mut late) || in_registers {
        program.sunk = program.functions.len() as u32;
        program.functions.push(late);
    }
}

/// Sinks the choices that are not read on every path; returns whether there are any.
fn choices(function: &mut Function) -> bool {
    let (mut changed, mut at) = (false, 0);
    let mut graph = None;
    while at < function.code.len() {
        match places(function, at, &mut graph) {
            Some(places) => {
                put(function, at, &places);
                (changed, graph) = (true, None);
            }
            None => at += 1,
        }
    }
    changed
}

/// The instructions before which the choice at a position is to be made instead. `None` if it should stay, if the position has no
/// choice, or if the choice may be impossible: a range or a collection may be empty. `graph` is made if it is needed.
fn places(function: &Function, at: usize, graph: &mut Option<Graph>) -> Option<Vec<usize>> {
    let Op::Choose { dst, domain: ChoiceDomain::Type(_) | ChoiceDomain::Alternatives(_) } = function.code[at] else {
        return None;
    };
    let graph = &*graph.get_or_insert_with(|| Graph::of(function));
    let needed = graph.live(function, dst);
    if needed[at + 1] && graph.predecessors[at + 1][..] != [at] {
        return None;
    }
    let mut path = SunkPath { function, graph, needed: &needed, dst, places: Vec::new(), saved: false };
    path.follow(at + 1);
    path.saved.then_some(path.places)
}

/// The search for new places of a choice, along the paths after it.
struct SunkPath<'f> {
    function: &'f Function,
    graph: &'f Graph,
    needed: &'f [bool],
    dst: Register,
    /// The instructions before which the choice is made.
    places: Vec<usize>,
    /// Set if some path does not need the choice.
    saved: bool,
}

impl SunkPath<'_> {
    /// Follows the paths from a position that all come from the choice.
    fn follow(&mut self, mut at: usize) {
        loop {
            if !self.needed[at] {
                self.saved = true;
                return;
            }
            if self.function.code[at].names(self.dst) {
                break;
            }
            if let Some(end) = self.past(at) {
                self.saved |= (at..end).any(|at| self.graph.successors[at].is_empty());
                at = end;
                continue;
            }
            if self.may_divide(at) {
                let graph = self.graph;
                graph.successors[at].iter().for_each(|to| self.follow(*to));
                return;
            }
            break;
        }
        self.places.push(at);
    }

    /// The end of the region that begins at a position, is entered there only, is left at its end only, and does not name the choice.
    fn past(&self, at: usize) -> Option<usize> {
        let (mut end, mut next) = (at + 1, at);
        loop {
            while next < end {
                if self.function.code.get(next).is_none_or(|op| op.names(self.dst)) {
                    return None;
                }
                for to in &self.graph.successors[next] {
                    end = end.max(*to);
                    if *to <= at {
                        return None;
                    }
                }
                next += 1;
            }
            let mut from = (at + 1..=end).flat_map(|inside| &self.graph.predecessors[inside]);
            if from.clone().any(|from| *from < at) {
                return None;
            }
            match from.find(|from| **from >= end) {
                Some(after) => end = after + 1,
                None => return Some(end),
            }
        }
    }

    /// Tests whether the choice may be made separately on each side of a fork.
    fn may_divide(&self, at: usize) -> bool {
        let forks =
            matches!(self.function.code[at].plain(), Op::Branch { .. } | Op::Compare { .. } | Op::Select { .. });
        let alone = |to: &usize| *to > at && (!self.needed[*to] || self.graph.predecessors[*to][..] == [at]);
        forks && self.graph.successors[at].iter().all(alone)
    }
}

/// Moves a choice from its position to those before other instructions.
fn put(function: &mut Function, choice: usize, places: &[usize]) {
    let (mut first, mut own, mut next) = (Vec::new(), Vec::new(), 0);
    for at in 0..=function.code.len() {
        first.push(next);
        next += Pc::from(places.contains(&at));
        own.push(next);
        next += Pc::from(at != choice);
    }
    let old = std::mem::take(&mut function.code);
    let origins = std::mem::take(&mut function.origin);
    let shapes = std::mem::take(&mut function.reply_shapes);
    for (at, op) in old.iter().enumerate() {
        let here = places.contains(&at).then_some(choice).into_iter().chain((at != choice).then_some(at));
        for from in here {
            let mut op = if from == at { op.clone() } else { old[from].clone() };
            op.retarget(&mut |to| first[to as usize], &mut |split| own[split as usize]);
            function.code.push(op);
            function.origin.push(origins[from]);
            function.reply_shapes.push(shapes[at].clone());
        }
    }
    function.counting.iter_mut().for_each(|pc| *pc = own[*pc as usize]);
    function.parts.iter_mut().for_each(|pc| *pc = first[*pc as usize]);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Spec;
    use crate::spec::code::Operand;

    fn spec(text: &str) -> Arc<Spec> {
        Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn handler(members: &str) -> Arc<Spec> {
        spec(&format!("protocol p {{ request int; response int; var n: int = 0; {members} }}"))
    }

    /// Collects the choices and answers on each path through a handler, as `c` and `r`.
    fn ways(function: &Function, at: usize, met: &str, found: &mut Vec<String>) {
        let mut met = met.to_owned();
        match function.code[at].plain() {
            Op::Choose { .. } => met.push('c'),
            Op::Reply { .. } => met.push('r'),
            _ => {}
        }
        let open: Vec<usize> = function.code[at].successors(at).collect();
        if open.is_empty() {
            found.push(met.clone());
        }
        open.iter().filter(|to| **to > at).for_each(|to| ways(function, *to, &met, found));
    }

    /// The choices and answers of each path, in the handler as written and in the one with sunk choices.
    fn stated(members: &str) -> [Vec<String>; 2] {
        let spec = handler(members);
        [spec.program.serve, spec.program.sunk].map(|function| {
            let mut found = Vec::new();
            ways(&spec.program.functions[function as usize], 0, "", &mut found);
            found.sort();
            found
        })
    }

    #[test]
    fn a_choice_is_made_on_the_ways_that_read_it() {
        let rows: [(&str, &str, &str); 9] = [
            ("on q { let x: int = choose; if q <= n { reply 0; } n := x; reply 1; }", "cr cr", "cr r"),
            ("on q { let x: int = choose; if q <= n { n := x; } reply 1; }", "cr cr", "cr r"),
            ("on q { let x: int = choose; reply 1; }", "cr", "r"),
            // Read on each side somewhere.
            (
                "on q { let x: int = choose; if q > n { if q > 9 { n := x; } reply 0; } n := x; reply 1; }",
                "cr cr cr",
                "cr cr r",
            ),
            (
                "on q { let x: int = choose; either { reply 0; } or { n := x; reply 1; } or { reply 2; } }",
                "cr cr cr",
                "cr r r",
            ),
            // Past a choice that stays, and past a region that does not matter.
            (
                "on q { let x: int = choose; let y: int = choose; assume y > n; if q > y { n := 3; } n := n + 1; \
                 if n > 7 { reply 0; } n := x; reply 1; }",
                "ccr ccr ccr ccr",
                "ccr ccr cr cr",
            ),
            // Paths that meet with different values of `x`: the choice does not sink beyond that point.
            (
                "on q { var x: int = 0; if q > 1 { x := choose; } n := n + 1; if n > 7 { reply 0; } n := x; reply 1; }",
                "cr cr r r",
                "cr cr r r",
            ),
            // A choice that every path reads stays.
            ("on q { let x: int = choose; if q <= n { reply x; } n := x; reply 1; }", "cr cr", "cr cr"),
            ("on q { let x: int = choose; if q <= n { n := 0; } reply x; }", "cr cr", "cr cr"),
        ];
        for (members, before, after) in rows {
            let [own, late] = stated(members).map(|ways| ways.join(" "));
            assert_eq!((own.as_str(), late.as_str()), (before, after), "{members}");
        }
    }

    #[test]
    fn a_choice_does_not_go_where_another_value_comes_to() {
        let mut function = handler("on q { reply 0; }").program.functions[0].clone();
        let [cond, chosen, zero] = [Operand::Register(0), Operand::Register(1), Operand::Constant(0)];
        let choice = Op::Choose { dst: 1, domain: ChoiceDomain::Alternatives(3) };
        let fork = |otherwise| Op::Branch { cond, otherwise };
        let copy = Op::Copy { dst: 2, src: zero };
        let [shown, other] = [chosen, zero].map(|src| Op::Reply { src });
        // The first fork leads past the choice: to an answer without it, or to what comes after it.
        let mut found = |code: &[&Op]| {
            function.code = code.iter().map(|op| (*op).clone()).collect();
            places(&function, 1, &mut None)
        };
        assert_eq!(found(&[&fork(4), &choice, &fork(4), &shown, &other]), Some(vec![3]));
        assert_eq!(found(&[&fork(2), &choice, &fork(4), &shown, &other]), None);
        assert_eq!(found(&[&fork(3), &choice, &fork(4), &shown, &other]), None);
        assert_eq!(found(&[&fork(6), &choice, &copy, &copy, &fork(6), &shown, &other]), Some(vec![5]));
        assert_eq!(found(&[&fork(3), &choice, &copy, &copy, &fork(6), &shown, &other]), None);
    }

    #[test]
    fn what_may_be_impossible_is_chosen_where_it_stands() {
        for choice in ["choose x: int where x > n", "pick [1, 2][0..0]"] {
            let spec = handler(&format!("on q {{ let x = {choice}; if q <= n {{ reply 0; }} n := x; reply 1; }}"));
            assert_eq!(spec.program.sunk, spec.program.serve, "{choice}");
        }
    }

    #[test]
    fn a_machine_comes_to_what_the_protocol_comes_to() {
        let machine = spec("machine m { if !1 <= !2 { !1 := 0; } else { !1 := 1; !2 := !0; } }");
        let protocol = handler("on q { if q <= n { reply 0; } n := choose int; reply 1; }");
        let code = |spec: &Spec, function: u32| {
            let code = &spec.program.functions[function as usize].code;
            format!("{code:?}").replace("slot: 2", "slot: 0").replace("Slot(2)", "Slot(0)")
        };
        assert_eq!(code(&machine, machine.program.sunk), code(&protocol, protocol.program.sunk));
        assert_eq!(machine.program.constants[..2], protocol.program.constants[..2]);
        assert_ne!(machine.program.sunk, machine.program.serve);
    }
}
