//! Figure 3.1 as it is written, on Z3: every constraint is kept, every state is checked at every exchange.
//!
//! Two versions: all constraints asserted from scratch at each check, and one incremental solver with push and pop along
//! the chain of states (of a machine with one surviving state, as CMP-RST). `cargo bench --bench figure_3_1` prints
//! microseconds an exchange for both, beside ours on the same exchanges.

use std::time::Instant;

use mayhap::choice::Random;
use mayhap::server::{Ranges, Reply, Server};
use mayhap::{Exchange, Observed, Spec, Validator};
use z3::ast::{Bool, Int};
use z3::{SatResult, Solver};

/// A validation state of CMP-RST: the variable of each cell, and the constraints.
#[derive(Clone)]
struct State {
    cells: [Int; 3],
    constraints: Vec<Bool>,
}

/// The validator of Figure 3.1 for `if !1 <= !2 { !1 := 0 } else { !1 := 1; !2 := !0 }`.
struct Figure {
    states: Vec<State>,
    fresh: u32,
}

impl Figure {
    fn new() -> Figure {
        let zero = Int::new_const("x0");
        let constraints = vec![zero.eq(0)];
        Figure { states: vec![State { cells: [zero.clone(), zero.clone(), zero], constraints }], fresh: 0 }
    }

    fn fresh(&mut self) -> Int {
        self.fresh += 1;
        Int::new_const(format!("x{}", self.fresh))
    }

    /// `havoc(d)`: a fresh variable, no constraint.
    fn havoc(&mut self, state: &mut State, cell: usize) {
        state.cells[cell] = self.fresh();
    }

    /// `write(d, e)`: a fresh variable that equals e, read through the old state.
    fn write(&mut self, state: &mut State, cell: usize, value: &Int) {
        let fresh = self.fresh();
        state.constraints.push(fresh.eq(value));
        state.cells[cell] = fresh;
    }

    /// `step(q, a)`: the states that survive have constraints that `check` finds satisfiable.
    fn step(&mut self, query: i64, answer: i64, check: &mut dyn FnMut(&[Bool]) -> bool) -> bool {
        let mut survivors = Vec::new();
        for mut state in std::mem::take(&mut self.states) {
            self.havoc(&mut state, 0);
            self.write(&mut state, 1, &Int::from_i64(query));
            let mut stays = state.clone();
            stays.constraints.push(state.cells[1].le(&state.cells[2]));
            self.write(&mut stays, 1, &Int::from_i64(0));
            let mut resets = state.clone();
            resets.constraints.push(state.cells[2].lt(&state.cells[1]));
            self.write(&mut resets, 1, &Int::from_i64(1));
            let chosen = resets.cells[0].clone();
            self.write(&mut resets, 2, &chosen);
            for mut state in [stays, resets] {
                state.constraints.push(state.cells[1].eq(answer));
                if check(&state.constraints) {
                    survivors.push(state);
                }
            }
        }
        self.states = survivors;
        !self.states.is_empty()
    }
}

/// Checks a set of constraints in a solver of its own.
fn from_scratch(constraints: &[Bool]) -> bool {
    let solver = Solver::new();
    constraints.iter().for_each(|constraint| solver.assert(constraint));
    solver.check() == SatResult::Sat
}

/// One solver for the whole trace: what a surviving state adds stays asserted.
struct Incremental {
    solver: Solver,
    asserted: usize,
}

impl Incremental {
    fn check(&mut self, constraints: &[Bool]) -> bool {
        self.solver.push();
        constraints[self.asserted..].iter().for_each(|constraint| self.solver.assert(constraint));
        let holds = self.solver.check() == SatResult::Sat;
        self.solver.pop(1);
        holds
    }

    /// Keeps the constraints of the one surviving state.
    fn keep(&mut self, figure: &Figure) {
        let [state] = figure.states.as_slice() else { return };
        state.constraints[self.asserted..].iter().for_each(|constraint| self.solver.assert(constraint));
        self.asserted = state.constraints.len();
    }
}

fn main() {
    let (exchanges, pairs) = simulate(20_000);
    let scratch = timed(256, || {
        let mut figure = Figure::new();
        pairs[..256].iter().all(|(query, answer)| figure.step(*query, *answer, &mut from_scratch))
    });
    println!("Figure 3.1 on Z3, from scratch   {scratch:10.2} us an exchange (256 exchanges)");
    let incremental = timed(2_000, || {
        let mut figure = Figure::new();
        let mut kept = Incremental { solver: Solver::new(), asserted: 0 };
        pairs[..2_000].iter().all(|(query, answer)| {
            let alive = figure.step(*query, *answer, &mut |constraints| kept.check(constraints));
            kept.keep(&figure);
            alive
        })
    });
    println!("Figure 3.1 on Z3, incremental    {incremental:10.2} us an exchange (2,000 exchanges)");
    let spec = specification();
    let ours = timed(exchanges.len(), || {
        let mut validator = Validator::new(&spec);
        exchanges.iter().all(|exchange| validator.observe_exchange(exchange))
    });
    println!("mayhap                           {ours:10.2} us an exchange ({} exchanges)", exchanges.len());
    println!("ratios: {:.0} and {:.0}", scratch / ours, incremental / ours);
}

/// Microseconds an exchange.
fn timed(exchanges: usize, judge: impl FnOnce() -> bool) -> f64 {
    let start = Instant::now();
    assert!(judge(), "a simulated trace is accepted");
    start.elapsed().as_secs_f64() * 1e6 / exchanges as f64
}

fn specification() -> std::sync::Arc<Spec> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/cmp_rst_machine.may");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// Exchanges of CMP-RST, of which about one in sixteen wins.
fn simulate(count: u64) -> (Vec<Exchange>, Vec<(i64, i64)>) {
    let spec = specification();
    let mut choices = Random::new(1);
    let ranges = Ranges { request: Some((0, 1000)), choose: Some((900, 965)) };
    let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
    let mut exchanges = Vec::new();
    let mut pairs = Vec::new();
    for line in 1..=count {
        let request = server.drawing().request(&spec.types, spec.program.request, &mut choices);
        let request = request.unwrap_or_else(|error| panic!("{error}"));
        let Ok(Reply::Answer(answer)) = server.handle(&request, 1, &mut choices) else { continue };
        let number = |value: &mayhap::value::Value| value.as_int().and_then(|int| int.to_i64()).unwrap_or_default();
        pairs.push((number(&request), number(&answer)));
        exchanges.push(Exchange { line, client: 1, request, observed: Observed::Answer(answer) });
    }
    (exchanges, pairs)
}
