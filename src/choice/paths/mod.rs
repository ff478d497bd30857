//! Paths of a graph, drawn uniformly while some of them are taken away.
//!
//! A walk that takes each edge of a vertex with the same probability prefers paths with few branches. Here each of the paths that are left is
//! drawn with the same probability, also after paths were forbidden: those that turned out to be infeasible, and those that were drawn
//! before.
//!
//! ```
//! use mayhap_choice::Random;
//! use mayhap_choice::paths::{FlowGraph, PathDrawing};
//!
//! // 0 ─▶ 1 ─▶ 3 is one path, 0 ─▶ 2 ═▶ 3 are two.
//! let mut graph = FlowGraph::new(4, 0, 3);
//! for (from, to) in [(0, 1), (0, 2), (1, 3), (2, 3), (2, 3)] {
//!     graph.edge(from, to);
//! }
//! let mut drawing = PathDrawing::new(graph, None)?;
//! assert_eq!(drawing.left(), 3_u8.into());
//!
//! // Paths that begin with the first edge of the entry are infeasible.
//! assert_eq!(drawing.forbid(&[0]), 1_u8.into());
//! let mut random = Random::new(7);
//! while let Some(path) = drawing.draw(&mut random) {
//!     assert_eq!(path.steps[0], 1);
//!     drawing.forbid(&path.steps);
//! }
//! assert_eq!(drawing.left(), 0_u8.into());
//! # Ok::<(), mayhap_choice::paths::NoPaths>(())
//! ```
//!
//! The method is that of Voisin and Gaudel, *Drawing uniformly at random in dynamic sets of paths* (CLA 2019).

mod count;
mod drawing;
mod graph;
mod remaining;

pub use drawing::PathDrawing;
pub use graph::{FlowGraph, NoPaths};
pub use remaining::DrawnPath;
