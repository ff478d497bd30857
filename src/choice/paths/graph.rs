//! Graphs whose paths are counted: a control-flow graph, or a finite automaton.
//!
//! For example `0 ─▶ 1 ─▶ 2` with a second edge from 1 to 0 has the paths `0 1 2`, `0 1 0 1 2` and so on, from the entry 0 to the end 2.

use std::fmt;

use crate::counted;

/// A graph with an entry and an end. Vertices are numbered from 0, and so are the edges that leave a vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowGraph {
    /// The targets of the edges that leave each vertex.
    edges: Vec<Vec<usize>>,
    entry: usize,
    end: usize,
}

/// The reason why no path can be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NoPaths {
    /// The end cannot be reached from the entry.
    EndUnreachable,
    /// Each path has more edges than this bound.
    BoundTooSmall {
        /// The number of edges that a path may have.
        bound: usize,
        /// The number of edges of the shortest path.
        shortest: usize,
    },
    /// The graph has a cycle, so that without a bound there are paths without end.
    Endless,
    /// The bound is so large that the counts do not fit into memory.
    BoundTooLarge {
        /// The number of edges that a path may have.
        bound: usize,
    },
}

impl fmt::Display for NoPaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPaths::EndUnreachable => f.write_str("no path leads from the entry to the end"),
            NoPaths::BoundTooSmall { bound, shortest } => {
                let shortest = counted(*shortest as u64, "edge");
                write!(f, "the shortest path has {shortest}, and the bound is {bound}")
            }
            NoPaths::Endless => f.write_str("the graph has a cycle, so its paths need a bound on their length"),
            NoPaths::BoundTooLarge { bound } => {
                write!(f, "the numbers of paths of up to {bound} edges take more than 1 GiB")
            }
        }
    }
}

impl std::error::Error for NoPaths {}

impl FlowGraph {
    /// A graph without edges.
    ///
    /// # Panics
    /// The entry or the end is not below the number of vertices.
    #[must_use]
    pub fn new(vertices: usize, entry: usize, end: usize) -> FlowGraph {
        assert!(entry < vertices && end < vertices, "the entry and the end are vertices");
        FlowGraph { edges: vec![Vec::new(); vertices], entry, end }
    }

    /// Adds an edge, and returns its number among those that leave its first vertex.
    ///
    /// # Panics
    /// The graph has no such vertex.
    pub fn edge(&mut self, from: usize, to: usize) -> usize {
        assert!(to < self.edges.len(), "vertex {to} of {}", self.edges.len());
        self.edges[from].push(to);
        self.edges[from].len() - 1
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.edges.len()
    }

    /// The vertex at which all paths begin.
    #[must_use]
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// The vertex at which all paths end. A path may pass it, too.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end
    }

    /// The targets of the edges that leave a vertex.
    #[must_use]
    pub fn targets(&self, vertex: usize) -> &[usize] {
        &self.edges[vertex]
    }

    /// The number of edges of the shortest path; none if the end cannot be reached.
    pub(super) fn shortest(&self) -> Option<usize> {
        let mut seen = vec![false; self.vertices()];
        let (mut layer, mut length) = (vec![self.entry], 0);
        while !layer.is_empty() {
            if layer.contains(&self.end) {
                return Some(length);
            }
            let targets = layer.iter().flat_map(|vertex| self.targets(*vertex)).copied();
            layer = targets.filter(|target| !std::mem::replace(&mut seen[*target], true)).collect();
            length += 1;
        }
        None
    }

    /// The vertices that can be reached, each after all that can be reached from it; none if the graph has a cycle among them.
    pub(super) fn last_first(&self) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum VertexVisit {
            Never,
            Begun,
            Done,
        }
        let mut visited = vec![VertexVisit::Never; self.vertices()];
        let (mut order, mut open) = (Vec::new(), vec![(self.entry, 0)]);
        visited[self.entry] = VertexVisit::Begun;
        while let Some((vertex, edge)) = open.last_mut() {
            let Some(&target) = self.edges[*vertex].get(*edge) else {
                visited[*vertex] = VertexVisit::Done;
                order.push(*vertex);
                open.pop();
                continue;
            };
            *edge += 1;
            match visited[target] {
                VertexVisit::Never => {
                    visited[target] = VertexVisit::Begun;
                    open.push((target, 0));
                }
                VertexVisit::Begun => return None,
                VertexVisit::Done => {}
            }
        }
        Some(order)
    }
}
