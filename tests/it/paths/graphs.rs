//! Graphs: the feasible paths of programs.

use std::collections::{BTreeMap, BTreeSet};

use mayhap::choice::paths::PathDrawing;
use mayhap::diagnostic::FileId;
use mayhap::paths::flow::{FlowInput, FlowOracle, FlowProgram};
use mayhap::paths::{FeasiblePaths, PathCounts};
use mayhap::scalar::{Int, Scalar};

use crate::judge::text;

fn program(path: &str) -> FlowProgram {
    FlowProgram::read(&text(path), FileId(0)).unwrap_or_else(|findings| panic!("{findings:?}"))
}

/// All feasible paths of a graph, with their numbers. Of every so many paths, the input of one is checked to take it.
fn all_paths(
    program: &FlowProgram,
    bound: Option<usize>,
    (seed, every): (u64, usize),
) -> (BTreeSet<Vec<usize>>, PathCounts) {
    let drawing = PathDrawing::new(program.graph.clone(), bound).unwrap();
    let mut paths = FeasiblePaths::new(drawing, FlowOracle::new(program), seed);
    let (mut found, mut asked_for_input) = (BTreeSet::new(), 0);
    while let Some(path) = paths.next_path() {
        if found.len() % every == 0 {
            let before = paths.oracle.solver.statistics.z3_checks;
            let input = paths.oracle.input(&path.state).expect("an input");
            assert!(program.takes(&input, &path.steps), "{:?}", path.steps);
            asked_for_input += paths.oracle.solver.statistics.z3_checks - before;
        }
        assert!(found.insert(path.steps), "a path is drawn twice");
    }
    let counts = paths.counts().clone();
    assert_eq!(paths.drawing().left(), 0_u8.into(), "nothing is left");
    assert_eq!(counts.draws, counts.feasible + counts.infeasible_beginnings, "no draw is lost");
    let asked = paths.oracle.solver.statistics.z3_checks - asked_for_input;
    assert!(asked <= counts.infeasible_beginnings, "{asked} questions");
    (found, counts)
}

#[test]
fn the_search_in_halves_has_the_published_numbers_of_paths() {
    let program = program("examples/graphs/dichotomy.graph");
    assert_eq!(PathDrawing::new(program.graph.clone(), Some(50)).unwrap().total(), 21_247_u32.into());
    for seed in 1..=3 {
        let (found, counts) = all_paths(&program, Some(50), (seed, 20));
        assert_eq!((found.len(), counts.draws, counts.infeasible_beginnings), (2_594, 4_883, 2_289));
        assert_eq!((counts.largest, counts.undecided_beginnings), (4_607_u32.into(), 0));
    }
}

/// The paths of a graph without cycles that some input takes, found one edge after the other.
fn taken(program: &FlowProgram, input: &[FlowInput]) -> Vec<Vec<usize>> {
    let (mut paths, mut open) = (Vec::new(), vec![(program.graph.entry(), Vec::new())]);
    while let Some((vertex, steps)) = open.pop() {
        if vertex == program.graph.end() {
            paths.push(steps.clone());
        }
        for (step, target) in program.graph.targets(vertex).iter().enumerate() {
            let longer = [&steps[..], &[step]].concat();
            if program.takes(input, &longer) {
                open.push((*target, longer));
            }
        }
    }
    paths
}

#[test]
fn inputs_at_the_limits_take_all_feasible_paths_of_tcas() {
    let program = program("examples/graphs/tcas.graph");
    let (found, counts) = all_paths(&program, None, (1, 1));
    let int = |value: i64| FlowInput::Scalar(Scalar::Int(Int::small(value)));
    let bool = |value: bool| FlowInput::Scalar(Scalar::Bool(value));
    let mut tried = BTreeSet::new();
    let booleans = [false, true];
    // The conditions before the advice are apart from the others.
    for number in 0..64 {
        let is = |bit: u32| number & 1 << bit != 0;
        let [rate, separation] = [if is(1) { 600 } else { 601 }, if is(2) { 601 } else { 600 }];
        let [capability, intent] = [i64::from(is(3)), i64::from(is(5))];
        for (own, other) in [(1, 2), (1, 1), (2, 1)] {
            for up in [299, 300, 399, 400, 401] {
                for down in [299, 300, 399, 400, 401, 500] {
                    for inhibited in booleans {
                        let mut input: Vec<FlowInput> =
                            [separation, own, other, rate, 0, up, down, intent, capability].map(int).into();
                        input.extend([is(0), is(4), inhibited].map(bool));
                        input.push(FlowInput::Array(BTreeMap::new()));
                        input.extend([int(0), int(0), bool(false), bool(false)]);
                        tried.extend(taken(&program, &input));
                    }
                }
            }
        }
    }
    assert_eq!(found.len(), tried.len());
    assert!(found == tried);
    assert!(counts.infeasible_beginnings > 100, "{counts:?}");
}

fn refused(text: &str) -> String {
    let findings = FlowProgram::read(text, FileId(0)).unwrap_err();
    let said: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!(
                "{} at `{}`",
                finding.message,
                &text[finding.primary.span.start as usize..finding.primary.span.end as usize]
            )
        })
        .collect();
    said.join("; ")
}

#[test]
fn mistakes_in_graphs_are_found_with_their_places() {
    for (text, finding) in [
        ("entry a\na -> b if x < 1\nend b", "unknown variable `x` at `x`"),
        ("int x\nentry a\na -> b if x\nend b", "expected a boolean, found an integer at `x`"),
        ("int x\nentry a\na -> b if x < \nend b", "expected an expression, found the end of the file at ``"),
        ("int x\nentry a\na -> b do x = 1\nend b", "expected `VARIABLE := VALUE` at `x = 1`"),
        ("int[] x\nentry a\na -> b do x := 1\nend b", "an array is not set as a whole at `x`"),
        ("int x, x\nentry a\na -> b\nend b", "there are two variables `x` at `x`"),
        ("entry a\na -> b", "the graph has no end at `e`"),
        ("entry a\nend b\nend c\na -> b", "the graph has two of `end` at `end c`"),
        ("entry a\nend b\nwhile\na -> b", "this is no line of a graph at `while`"),
        ("entry a\nend b\na -> b when x", "expected `if` or `do` at `when x`"),
        ("int x\nentry a\nend b\na -> b if x in [1]", "expressions of graphs do not have this at `x in [1]`"),
    ] {
        assert_eq!(refused(text), finding, "{text}");
    }
}

#[test]
fn arrays_are_written_and_read() {
    let text = "int i, j\nint[] a\nbool[] b\nentry s\nend e
        s -> t do a[i] := 1, a[j] := 2, b[j] := !b[i]
        t -> e if a[i] == 1 && b[i] == b[j]
        t -> e if a[i] == 2
        t -> u if a[i] == 1 && i == j
        u -> e
        t -> e if a[i + 1] == 7 && j == i + 1";
    let program = FlowProgram::read(text, FileId(0)).unwrap();
    let (found, counts) = all_paths(&program, None, (1, 1));
    // If i and j differ, b[j] is not b[i]; if they are equal, the element is 2.
    assert_eq!(found, BTreeSet::from([vec![0, 1]]));
    assert_eq!(counts.infeasible_beginnings, 3);
}
