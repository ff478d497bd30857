//! Paths drawn uniformly, beside random walks: `cargo run --example uniform_paths > docs/uniform_paths.svg`.
//!
//! At each of four places a program stops or goes on in one of two ways, so it has 31 paths. A walk that takes each way with the same probability
//! stops at once every third time, and hardly ever takes one of the 16 longest paths.

use mayhap::choice::paths::{FlowGraph, PathDrawing};
use mayhap::choice::{Choices, Random};
use std::collections::BTreeMap;

/// The number of places at which the program may stop.
const PLACES: usize = 4;
/// The number of draws for each path.
const DRAWS: u32 = 1_000;

/// The number of times that each path was drawn, short paths first.
type Histogram = BTreeMap<(usize, Vec<usize>), u32>;

/// At each place, edge 0 leads to the end, and two edges to the next place.
fn graph() -> FlowGraph {
    let mut graph = FlowGraph::new(PLACES + 2, 0, PLACES + 1);
    for place in 0..PLACES {
        graph.edge(place, PLACES + 1);
        graph.edge(place, place + 1);
        graph.edge(place, place + 1);
    }
    graph.edge(PLACES, PLACES + 1);
    graph
}

fn walk(graph: &FlowGraph, random: &mut Random) -> Vec<usize> {
    let (mut vertex, mut path) = (graph.entry(), Vec::new());
    while vertex != graph.end() {
        let edge = random.choose("edge", graph.targets(vertex).len()).expect("each vertex but the end has an edge");
        path.push(edge);
        vertex = graph.targets(vertex)[edge];
    }
    path
}

fn histogram(draw: impl Fn(&mut Random) -> Vec<usize>) -> Histogram {
    let mut random = Random::new(1);
    let mut drawing = PathDrawing::new(graph(), None).expect("the graph has paths and no cycle");
    let mut histogram = Histogram::new();
    while let Some(path) = drawing.draw(&mut random) {
        drawing.forbid(&path.steps);
        histogram.insert((path.steps.len(), path.steps), 0);
    }
    for _ in 0..DRAWS * histogram.len() as u32 {
        let path = draw(&mut random);
        *histogram.entry((path.len(), path)).or_default() += 1;
    }
    histogram
}

/// A bar for each path. The scale is logarithmic from 100 to 12,800.
fn bars(histogram: &Histogram, left: f64, title: &str) -> String {
    let height = |count: u32| 20.0 * (f64::from(count.max(100)) / 100.0).log2();
    let mut svg = format!("<text x=\"{left:.0}\" y=\"20\" font-size=\"14\">{title}</text>\n");
    for lines in 0..=7 {
        let (y, count) = (180 - 20 * lines, 100 << lines);
        svg += &format!("<line x1=\"{left:.0}\" y1=\"{y}\" x2=\"{:.0}\" y2=\"{y}\" stroke=\"#ddd\"/>", left + 310.0);
        svg += &format!("<text x=\"{:.0}\" y=\"{}\" text-anchor=\"end\">{count}</text>\n", left - 4.0, y + 4);
    }
    for (at, count) in histogram.values().enumerate() {
        let (x, height) = (left + 10.0 * at as f64, height(*count));
        svg += &format!(
            "<rect x=\"{x:.0}\" y=\"{:.1}\" width=\"8\" height=\"{height:.1}\" fill=\"#4477aa\"/>\n",
            180.0 - height
        );
    }
    let below = "the 31 paths, short ones first";
    svg + &format!("<text x=\"{:.0}\" y=\"198\" text-anchor=\"middle\">{below}</text>\n", left + 155.0)
}

/// The picture of both.
#[must_use]
pub fn picture() -> String {
    let drawing = PathDrawing::new(graph(), None).expect("the graph has paths and no cycle");
    let uniform = histogram(|random| drawing.draw(random).expect("paths are left").steps);
    let graph = graph();
    let walks = histogram(|random| walk(&graph, random));
    let head = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 740 210\" font-family=\"sans-serif\" font-size=\"11\">";
    let back = "<rect width=\"740\" height=\"210\" fill=\"white\"/>";
    let (left, right) = (bars(&uniform, 50.0, "drawn uniformly"), bars(&walks, 420.0, "random walks"));
    format!("{head}\n{back}\n{left}{right}</svg>\n")
}

#[allow(dead_code, reason = "the tests only draw the picture")]
fn main() {
    print!("{}", picture());
}
