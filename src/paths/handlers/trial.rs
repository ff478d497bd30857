//! Trials of paths: the specification's own server runs a script, and its trail shows whether it took the path.
//!
//! `Put · Get, not modified` needs a tag that the server chose and did not show. It is feasible, as a client may guess the tag; the script
//! takes another path nearly always.

use crate::choice::Random;
use crate::coverage::{SpecBranch, trail};
use crate::script::{MessageKind, Messages, Script, ScriptStep};
use crate::server::{Ranges, Reply, Server};

use super::graph::{BranchNumbers, HandlerGraph, HandlerStep};
use super::ways::CLIENT;

impl HandlerGraph {
    /// The number of runs, of this many, in which the specification's own server takes a path when it is sent the requests of a script.
    #[must_use]
    pub fn runs_that_take(&self, steps: &[usize], script: &Script, runs: u64) -> u64 {
        let wanted = self.numbers(steps);
        (0..runs).filter(|seed| self.taken(script, *seed).as_ref() == Some(&wanted)).count() as u64
    }

    /// The numbers of the branches that the server takes, request by request; none if it stops.
    fn taken(&self, script: &Script, seed: u64) -> Option<BranchNumbers> {
        let (spec, mut random) = (&self.trail.spec, Random::new(seed));
        let mut server = Server::new(spec.clone(), Ranges::default(), &mut random).ok()?;
        let (mut messages, mut taken) = (Messages::new(spec), Vec::new());
        for step in &script.steps {
            let ScriptStep::Ask { label, request, .. } = step else { continue };
            let request = request.instantiate(&messages);
            let reply = server.handle(&request, CLIENT, &mut random).ok()?;
            messages.push(*label, MessageKind::Request, request);
            if let Reply::Answer(answer) = reply {
                messages.push(label + 1, MessageKind::Response, answer);
            }
            taken.push(server.state().get(self.trail.slot).map_or_else(Vec::new, trail));
        }
        Some(taken)
    }

    /// The numbers of the branches of a path, request by request.
    #[must_use]
    pub fn numbers(&self, steps: &[usize]) -> BranchNumbers {
        let (mut at, mut requests) = (0, vec![Vec::new()]);
        for step in steps {
            let (step, next) = self.steps[at][*step];
            match step {
                HandlerStep::Branch(branch) | HandlerStep::Beyond(branch) => {
                    requests.last_mut().expect("there is one").push(branch)
                }
                HandlerStep::End => requests.push(Vec::new()),
            }
            at = next;
        }
        requests.pop();
        requests
    }

    /// All branches of the specification.
    #[must_use]
    pub fn all_branches(&self) -> &[SpecBranch] {
        &self.trail.branches
    }

    /// The branches that a path takes, request by request.
    #[must_use]
    pub fn branches(&self, steps: &[usize]) -> Vec<Vec<&SpecBranch>> {
        let of = |numbers: Vec<usize>| numbers.into_iter().map(|number| &self.trail.branches[number]).collect();
        self.numbers(steps).into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::generate::script_of;
    use crate::json::decode;
    use crate::judge::{Exchange, Observed};
    use crate::paths::FeasiblePaths;
    use crate::paths::handlers::PathBounds;
    use crate::spec::Spec;
    use crate::value::Value;

    fn graph(spec: &Arc<Spec>) -> HandlerGraph {
        HandlerGraph::new(spec, PathBounds { requests: 2, loops: 3, calls: 2 }).unwrap()
    }

    /// All feasible paths, by the solver. The requests of each of them take it in some run.
    fn drawn(graph: &HandlerGraph, spec: &Arc<Spec>) -> BTreeSet<BranchNumbers> {
        let mut paths = FeasiblePaths::of(graph, 1).unwrap();
        let mut drawn = BTreeSet::new();
        while let Some(path) = paths.next_path() {
            let exchanges = paths.oracle.exchanges(&path.state).expect("values");
            let script = script_of(spec, &exchanges);
            assert!(graph.runs_that_take(&path.steps, &script, 100) > 0, "{}", script.write(spec));
            assert!(drawn.insert(graph.numbers(&path.steps)));
        }
        assert!(paths.are_all_drawn());
        drawn
    }

    /// The paths that some requests out of small values take.
    fn tried(graph: &HandlerGraph, spec: &Arc<Spec>, requests: &[Value]) -> BTreeSet<BranchNumbers> {
        let exchange = |(line, request): (u64, &Value)| Exchange {
            line,
            client: CLIENT,
            request: request.clone(),
            observed: Observed::Any,
        };
        let pairs = requests.iter().flat_map(|first| requests.iter().map(move |second| [first, second]));
        let scripts = pairs.map(|pair| script_of(spec, &(1..).zip(pair).map(exchange).collect::<Vec<_>>()));
        scripts.flat_map(|script| (0..20).filter_map(move |seed| graph.taken(&script, seed))).collect()
    }

    fn agrees(text: &str, requests: &[&str]) -> usize {
        let spec = Spec::from_text(text).unwrap();
        let requests: Vec<Value> =
            requests.iter().map(|text| decode(&spec.types, spec.program.request, text).unwrap()).collect();
        let graph = graph(&spec);
        let (drawn, tried) = (drawn(&graph, &spec), tried(&graph, &spec, &requests));
        assert_eq!(drawn, tried);
        drawn.len()
    }

    const NUMBERS: [&str; 8] = ["-1", "0", "1", "2", "3", "4", "5", "6"];

    #[test]
    fn branches_of_conditions_and_loops() {
        let text = "protocol p { request int; response int; var n: int = 0;
            on q if q > 3 { if q > n && n != 2 || q == 5 { n := q; } else { reply n; } reply q; }
            on q { var i = 0; while i < q { i := i + 1; } match n { 4 => { reply i; } _ => { reply n; } } } }";
        assert_eq!(agrees(text, &NUMBERS), 30);
    }

    #[test]
    fn branches_of_procedures_choices_and_collections() {
        let text = "enum R { Put(int), All, Roll } protocol p { request R; response int; var s: set<int> = {};
            proc sum(): int { var n = 0; for x in s { n := n + x; } return n; }
            on Put(k) { if k in s { reply 1; } s := s + {k}; reply 0; }
            on All { let n = sum(); if n > 1 { reply n; } reply 0; }
            on Roll { either { reply 0; } or { if len(s) > 0 { reply 1; } reply 2; } } }";
        assert_eq!(agrees(text, &["{\"Put\": 0}", "{\"Put\": 1}", "{\"Put\": 2}", "\"All\"", "\"Roll\""]), 18);
    }
}
