//! Which files of a module name which, and the circles that they form.
//!
//! `use super::super::{merge, map::Map};` in `map/order.rs` names `merge` and `map`.

use std::collections::BTreeSet;

use super::source::{Source, sources};

/// The files of a module, each with its path below it: `["map", "order"]`; the root, which lists them, is left out.
pub fn files_of(module: &str) -> Vec<(Vec<String>, Source)> {
    let of_module = sources(&format!("src/{module}")).into_iter().filter_map(|source| {
        let inside = source.path.strip_prefix(&format!("src/{module}/"))?.trim_end_matches(".rs");
        let path: Vec<String> = inside.split('/').filter(|part| *part != "mod").map(str::to_owned).collect();
        (!path.is_empty()).then_some((path, source))
    });
    of_module.collect()
}

/// The lines of code of a file, with each `use` on one line.
fn statements(source: &Source) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for (_, line) in source.code() {
        match statements.last_mut().filter(|last| last.trim_start().starts_with("use ") && !last.contains(';')) {
            Some(open) => open.push_str(line.trim()),
            None => statements.push(line.to_owned()),
        }
    }
    statements
}

/// The paths that a text begins with: `a::{b, c::{d, e}}` begins with three.
fn paths(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    let Some(group) = rest.strip_prefix('{') else { return vec![head.to_owned()] };
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            ',' | '}' if depth == 0 => {
                members.push(group[start..at].trim());
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    members.into_iter().flat_map(paths).map(|member| format!("{head}{member}")).collect()
}

/// The path below a module at which a `super::…` or `crate::module::…` path on a line of a file begins, and its own segments.
fn names_inside(module: &str, from: &[String], line: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let mut found = Vec::new();
    let own = format!("crate::{module}::");
    for prefix in [own.as_str(), "super::"] {
        for (at, _) in line.match_indices(prefix) {
            if line[..at].ends_with("super::") {
                continue;
            }
            let ups = line[at..].split("::").take_while(|segment| *segment == "super").count();
            let skip = if ups > 0 { ups * "super::".len() } else { prefix.len() };
            let base = if ups > 0 { from[..from.len().saturating_sub(ups)].to_vec() } else { Vec::new() };
            for path in paths(&line[at + skip..]) {
                found.push((base.clone(), path.split("::").map(str::to_owned).collect()));
            }
        }
    }
    found
}

/// Which files of a module name which, by their numbers. A file that lists parts of its own may name them, as the root does.
pub fn named_files(module: &str, files: &[(Vec<String>, Source)]) -> Vec<BTreeSet<usize>> {
    let number = |path: &[String]| files.iter().position(|(own, _)| own == path);
    let of_file = |(own, source): &(Vec<String>, Source)| {
        let mut named = BTreeSet::new();
        for line in statements(source) {
            for (mut path, segments) in names_inside(module, own, &line) {
                for segment in segments {
                    path.push(segment);
                    if number(&path).is_none() {
                        path.pop();
                        break;
                    }
                }
                named.extend(number(&path).filter(|_| !path.starts_with(own)));
            }
        }
        named
    };
    files.iter().map(of_file).collect()
}

/// The circles of a graph, of any length: the sets of nodes of which each leads to each other one.
pub fn circles(graph: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let reached = |from: usize| {
        let (mut met, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            open.extend(graph[at].iter().filter(|next| met.insert(**next)));
        }
        met
    };
    let reached: Vec<BTreeSet<usize>> = (0..graph.len()).map(reached).collect();
    let both = |a: usize, b: usize| reached[a].contains(&b) && reached[b].contains(&a);
    let all = (0..graph.len()).map(|of| (0..graph.len()).filter(|other| both(of, *other)).collect::<Vec<usize>>());
    all.enumerate().filter(|(of, circle)| circle.len() > 1 && circle[0] == *of).map(|(_, circle)| circle).collect()
}

#[test]
fn circles_are_seen() {
    let inside = names_inside("value", &["map".into(), "order".into()], "use super::super::{merge, map::Map};");
    let owned = |path: &[&str]| (Vec::new(), path.iter().map(|segment| (*segment).to_owned()).collect());
    assert_eq!(inside, [owned(&["merge"]), owned(&["map", "Map"])]);
    assert_eq!(paths("a::{b, c::{d, e}, f};"), ["a::b", "a::c::d", "a::c::e", "a::f"]);
    let graph = [&[1][..], &[2], &[0, 3], &[4], &[]].map(|next| next.iter().copied().collect());
    assert_eq!(circles(&graph), [[0, 1, 2]]);
}
