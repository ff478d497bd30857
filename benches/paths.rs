//! Drawing paths: draws a second in a small graph, the time for a path with large counts, and all feasible paths of two programs.
//!
//! `cargo bench --bench paths` prints a line for each.

use std::time::Instant;

use mayhap::choice::paths::{FlowGraph, PathDrawing};
use mayhap::choice::{Choices, Random};
use mayhap::diagnostic::FileId;
use mayhap::paths::FeasiblePaths;
use mayhap::paths::flow::{FlowOracle, FlowProgram};

/// The number of draws in the small graph, and with large counts.
const DRAWS: u32 = 2_000_000;
const LONG_DRAWS: u32 = 2_000;

/// A graph of a hundred vertices with two edges each.
fn small() -> FlowGraph {
    let (mut graph, mut random) = (FlowGraph::new(100, 0, 99), Random::new(1));
    for from in 0..99 {
        graph.edge(from, (from + 7) % 100);
        graph.edge(from, random.choose("target", 100).expect("there are a hundred"));
    }
    graph
}

/// A ring of 13 vertices, of which four have two edges to the next one.
fn ring() -> FlowGraph {
    let mut graph = FlowGraph::new(13, 0, 0);
    for from in 0..13 {
        for _ in 0..if from % 3 == 1 { 2 } else { 1 } {
            graph.edge(from, (from + 1) % 13);
        }
    }
    graph
}

fn draws(graph: FlowGraph, bound: usize, count: u32) -> (u64, f64) {
    let drawing = PathDrawing::new(graph, Some(bound)).expect("there are paths");
    let (mut random, begun) = (Random::new(1), Instant::now());
    let steps: usize = (0..count).map(|_| drawing.draw(&mut random).expect("paths are left").steps.len()).sum();
    assert!(steps > 0);
    (drawing.total().bits(), begun.elapsed().as_secs_f64())
}

fn all_of(name: &str, bound: Option<usize>) {
    let text = std::fs::read_to_string(format!("examples/graphs/{name}.graph")).expect("the graph is there");
    let program = FlowProgram::read(&text, FileId(0)).expect("the graph has no mistakes");
    let begun = Instant::now();
    let drawing = PathDrawing::new(program.graph.clone(), bound).expect("there are paths");
    let mut paths = FeasiblePaths::new(drawing, FlowOracle::new(&program), 1);
    while paths.next_path().is_some() {}
    let (counts, asked) = (paths.counts(), paths.oracle.solver.statistics.z3_checks);
    println!(
        "{name}: {} feasible paths and {} infeasible beginnings in {:.2} s, {} draws, {asked} questions to Z3",
        counts.feasible,
        counts.infeasible_beginnings,
        begun.elapsed().as_secs_f64(),
        counts.draws,
    );
}

fn main() {
    let (bits, seconds) = draws(small(), 41, DRAWS);
    let rate = f64::from(DRAWS) / seconds / 1e6;
    println!("100 vertices, at most 41 edges, counts of {bits} bits: {rate:.2} million draws a second");
    let (bits, seconds) = draws(ring(), 4_000, LONG_DRAWS);
    let each = seconds / f64::from(LONG_DRAWS) * 1e6;
    println!("at most 4000 edges, counts of {bits} bits: {each:.0} µs a path");
    all_of("dichotomy", Some(50));
    all_of("tcas", None);
}
