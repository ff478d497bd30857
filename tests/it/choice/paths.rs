//! Drawing paths uniformly while some are taken away, against the list of all paths.
//!
//! For example of the graph `0 ─▶ 1 ─▶ 2` with an edge from 0 to 2 there are two paths; after `[0]` is forbidden, only the other is drawn.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mayhap::choice::paths::{FlowGraph, NoPaths, PathDrawing};
use mayhap::choice::{Choices, Random};
use num_bigint::BigUint;

/// The steps of a path.
type Steps = Vec<usize>;

/// All paths of a graph with at most this number of edges, found one by one.
fn all_paths(graph: &FlowGraph, bound: usize) -> Vec<Steps> {
    let (mut found, mut open) = (Vec::new(), vec![(graph.entry(), Vec::new())]);
    while let Some((vertex, steps)) = open.pop() {
        let targets = graph.targets(vertex);
        if vertex == graph.end() {
            let last = (!targets.is_empty()).then_some(targets.len());
            found.push(steps.iter().copied().chain(last).collect());
        }
        if steps.len() < bound {
            let longer = |(edge, target): (usize, &usize)| (*target, [&steps[..], &[edge]].concat());
            open.extend(targets.iter().enumerate().map(longer));
        }
    }
    found
}

fn below(random: &mut Random, bound: usize) -> usize {
    random.choose("number", bound).unwrap()
}

/// A graph whose vertices have up to three edges each.
fn any_graph(random: &mut Random) -> FlowGraph {
    let vertices = 2 + below(random, 5);
    let mut graph = FlowGraph::new(vertices, 0, below(random, vertices));
    for from in 0..vertices {
        for _ in 0..below(random, 4) {
            graph.edge(from, below(random, vertices));
        }
    }
    graph
}

/// The graph of a search in halves: an entry of two edges, iterations of six or seven, in two ways each, and three ends.
fn halving() -> FlowGraph {
    let mut graph = FlowGraph::new(16, 0, 15);
    let entry = [(0, 1), (1, 2)];
    let middle = [(2, 3), (3, 4)];
    let found = [(4, 6), (4, 5), (5, 6)];
    let half = [(6, 7), (6, 8), (7, 9), (8, 9), (9, 2)];
    let ends = [(2, 10), (10, 11), (11, 14), (11, 12), (12, 14), (12, 13), (13, 14), (14, 15)];
    let edges = [&entry[..], &middle, &found, &half, &ends].concat();
    edges.iter().for_each(|(from, to)| _ = graph.edge(*from, *to));
    graph
}

#[test]
fn counts_are_those_of_all_paths() {
    let mut random = Random::new(1);
    let mut with_paths = 0;
    for _ in 0..300 {
        let (graph, bound) = (any_graph(&mut random), below(&mut random, 7));
        let all = all_paths(&graph, bound);
        match PathDrawing::new(graph, Some(bound)) {
            Ok(drawing) => assert_eq!(drawing.total(), BigUint::from(all.len())),
            Err(NoPaths::EndUnreachable | NoPaths::BoundTooSmall { .. }) => assert_eq!(all, Vec::<Steps>::new()),
            Err(other) => panic!("{other}"),
        }
        with_paths += usize::from(!all.is_empty());
    }
    assert!(with_paths > 100, "{with_paths}");
}

#[test]
fn every_path_is_drawn_once_and_nothing_is_left() {
    let mut random = Random::new(2);
    for _ in 0..200 {
        let (graph, bound) = (any_graph(&mut random), below(&mut random, 6));
        let mut left: BTreeSet<Steps> = all_paths(&graph, bound).into_iter().collect();
        let Ok(mut drawing) = PathDrawing::new(graph, Some(bound)) else { continue };
        while let Some(path) = drawing.draw(&mut random) {
            assert!(path.known < path.steps.len() || path.steps.is_empty());
            assert!(left.contains(&path.steps), "{path:?}");
            // Some beginnings are forbidden before the path is followed to its end.
            let length = path.steps.len() - below(&mut random, 2).min(path.steps.len());
            let forbidden = &path.steps[..length];
            let before = left.len();
            left.retain(|steps| !steps.starts_with(forbidden));
            assert_eq!(drawing.forbid(forbidden), BigUint::from(before - left.len()));
            assert_eq!(drawing.forbid(forbidden), BigUint::from(0_u8));
            assert_eq!(drawing.left(), BigUint::from(left.len()));
        }
        assert!(left.is_empty());
    }
}

#[test]
fn graphs_without_paths_are_refused() {
    let refused = |graph: FlowGraph, bound| PathDrawing::new(graph, bound).err().map(|error| error.to_string());
    let mut graph = FlowGraph::new(3, 0, 2);
    graph.edge(0, 1);
    assert_eq!(refused(graph.clone(), Some(9)).unwrap(), "no path leads from the entry to the end");
    graph.edge(1, 2);
    assert_eq!(refused(graph.clone(), Some(1)).unwrap(), "the shortest path has 2 edges, and the bound is 1");
    assert_eq!(refused(graph.clone(), None), None);
    graph.edge(1, 0);
    let endless = "the graph has a cycle, so its paths need a bound on their length";
    assert_eq!(refused(graph.clone(), None).unwrap(), endless);
    let large = refused(graph, Some(usize::MAX)).unwrap();
    assert!(large.ends_with(" edges take more than 1 GiB"), "{large}");
}

#[test]
fn steps_that_no_path_takes_are_forbidden_in_vain() {
    let mut drawing = PathDrawing::new(halving(), Some(50)).unwrap();
    assert_eq!(drawing.total(), BigUint::from(21_247_u32));
    for steps in [&[7][..], &[0, 0, 2], &[0; 60]] {
        assert_eq!(drawing.forbid(steps), BigUint::from(0_u8), "{steps:?}");
    }
    assert_eq!(drawing.forbid(&[]), BigUint::from(21_247_u32));
    assert_eq!(drawing.draw(&mut Random::new(1)), None);
}

/// A way to draw one of the paths that are left.
type Draw<'d> = Box<dyn Fn(&mut Random) -> Steps + 'd>;

/// The paths that are left after some beginnings were forbidden.
struct Frozen {
    graph: FlowGraph,
    bound: usize,
    forbidden: Vec<Steps>,
    left: Vec<Steps>,
}

impl Frozen {
    fn new() -> Frozen {
        let (graph, bound) = (halving(), 39);
        let (mut random, mut left) = (Random::new(3), all_paths(&graph, bound));
        let mut forbidden = Vec::new();
        while forbidden.len() < 120 {
            let path = &left[below(&mut random, left.len())];
            let beginning = path[..path.len() - below(&mut random, 12)].to_vec();
            left.retain(|steps| !steps.starts_with(&beginning));
            forbidden.push(beginning);
        }
        Frozen { graph, bound, forbidden, left }
    }

    fn uniform(&self) -> Draw<'_> {
        let mut drawing = PathDrawing::new(self.graph.clone(), Some(self.bound)).unwrap();
        self.forbidden.iter().for_each(|beginning| _ = drawing.forbid(beginning));
        assert_eq!(drawing.left(), BigUint::from(self.left.len()));
        Box::new(move |random| drawing.draw(random).unwrap().steps)
    }

    /// The walk that takes each step after which a path is left with the same probability.
    fn isotropic(&self) -> Draw<'_> {
        let mut steps: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
        for path in &self.left {
            for at in 0..path.len() {
                let next = steps.entry(&path[..at]).or_default();
                if !next.contains(&path[at]) {
                    next.push(path[at]);
                }
            }
        }
        Box::new(move |random| {
            let mut path = Vec::new();
            while let Some(next) = steps.get(&path[..]) {
                path.push(next[below(random, next.len())]);
            }
            path
        })
    }

    /// The mistake of taking the forbidden paths away from the counts that all paths through a vertex share.
    fn shared(&self) -> Draw<'_> {
        let mut counts: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        let places = |steps: &[usize]| {
            let mut at = vec![(self.graph.entry(), 0)];
            for step in steps {
                let (vertex, length) = at[at.len() - 1];
                at.push((self.graph.targets(vertex)[*step], length + 1));
            }
            at
        };
        let all = all_paths(&self.graph, self.bound);
        // Each count is that of the paths from the vertex on; several beginnings lead there.
        let mut endings: BTreeMap<(usize, usize), BTreeSet<&[usize]>> = BTreeMap::new();
        for path in &all {
            for (at, place) in places(path).into_iter().enumerate() {
                endings.entry(place).or_default().insert(&path[at..]);
            }
        }
        endings.iter().for_each(|(place, endings)| _ = counts.insert(*place, endings.len() as i64));
        for (number, beginning) in self.forbidden.iter().enumerate() {
            let is_taken = |path: &&Steps| path.starts_with(beginning);
            let earlier = |path: &&Steps| self.forbidden[..number].iter().any(|earlier| path.starts_with(earlier));
            let taken = all.iter().filter(is_taken).filter(|path| !earlier(path)).count() as i64;
            places(beginning).iter().for_each(|place| *counts.get_mut(place).unwrap() -= taken);
        }
        let walk = move |random: &mut Random| {
            let (mut vertex, mut path) = (self.graph.entry(), Vec::new());
            while vertex != self.graph.end() {
                let targets = self.graph.targets(vertex);
                let count = |target: &usize| counts.get(&(*target, path.len() + 1)).map_or(0, |count| (*count).max(0));
                let weights: Vec<u64> = targets.iter().map(|target| count(target) as u64).collect();
                let step = random.weighted("step", &weights).ok()?;
                path.push(step);
                vertex = targets[step];
            }
            Some(path)
        };
        let left: BTreeSet<&Steps> = self.left.iter().collect();
        Box::new(move |random| {
            std::iter::repeat_with(|| walk(random)).flatten().find(|path| left.contains(path)).unwrap()
        })
    }

    /// The deviation of 100 draws a path from those of equal probability, by the chi-square test: in standard deviations, and as the
    /// probability of a greater one (Wilson and Hilferty 1931).
    fn deviation(&self, draw: &Draw<'_>, seed: u64) -> (f64, f64) {
        let mut random = Random::new(seed);
        let mut drawn: HashMap<Steps, u64> = self.left.iter().map(|path| (path.clone(), 0)).collect();
        for _ in 0..100 * self.left.len() {
            *drawn.get_mut(&draw(&mut random)).expect("a path that is left") += 1;
        }
        let chi: f64 = drawn.values().map(|count| (*count as f64 - 100.0).powi(2) / 100.0).sum();
        let free = (self.left.len() - 1) as f64;
        let normal = ((chi / free).cbrt() - (1.0 - 2.0 / (9.0 * free))) / (2.0 / (9.0 * free)).sqrt();
        ((chi - free) / (2.0 * free).sqrt(), upper_tail(normal))
    }
}

/// The probability that a normal variable is greater (Abramowitz and Stegun 1964, formula 26.2.17).
fn upper_tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let polynomial =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let tail = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if z < 0.0 { 1.0 - tail } else { tail }
}

#[test]
fn all_paths_that_are_left_are_equally_likely() {
    let frozen = Frozen::new();
    assert!(frozen.forbidden.len() > 100 && frozen.left.len() > 200, "{}", frozen.left.len());
    let uniform = frozen.uniform();
    let (deviations, mut tails): (Vec<f64>, Vec<f64>) = (1..=20).map(|seed| frozen.deviation(&uniform, seed)).unzip();
    assert!(deviations.iter().all(|z| z.abs() < 4.0), "{deviations:?}");
    // Kolmogorov and Smirnov: of 20 values that are uniform, the largest difference is above 0.352 once in a hundred times.
    tails.sort_by(f64::total_cmp);
    let difference = |(at, tail): (usize, &f64)| (tail - at as f64 / 20.0).abs().max((at as f64 + 1.0) / 20.0 - tail);
    let largest = tails.iter().enumerate().map(difference).fold(0.0, f64::max);
    assert!(largest < 0.352, "{tails:?}");
    for (name, wrong) in [("isotropic", frozen.isotropic()), ("shared counts", frozen.shared())] {
        let (z, _) = frozen.deviation(&wrong, 1);
        assert!(z > 4.0, "{name}: {z}");
    }
}

/// A ladder: each vertex has an edge to each of the next ones, so that the counts grow fast.
fn ladder(vertices: usize, width: usize) -> FlowGraph {
    let mut graph = FlowGraph::new(vertices, 0, vertices - 1);
    for from in 0..vertices - 1 {
        (1..=width).for_each(|step| _ = graph.edge(from, (from + step) % vertices));
    }
    graph
}

#[test]
fn counts_of_any_size_are_exact() {
    let mut drawing = PathDrawing::new(ladder(9, 2), Some(2_000)).unwrap();
    let total = drawing.total();
    assert!(total.bits() > 1_235, "{}", total.bits());
    let mut random = Random::new(5);
    let mut taken = BigUint::from(0_u8);
    for _ in 0..50 {
        let path = drawing.draw(&mut random).unwrap();
        taken += drawing.forbid(&path.steps);
    }
    assert_eq!((taken.clone(), drawing.left()), (BigUint::from(50_u8), total - taken));
}
