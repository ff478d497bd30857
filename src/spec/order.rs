//! Strongly connected components of a graph, each after the components that it needs (Tarjan's algorithm with an explicit stack, so that
//! long chains of declarations do not overflow the call stack).
//!
//! ```text
//! const A: int = B + 1;     // components: [B], [A]
//! const B: int = 2;
//! ```

/// A strongly connected component: nodes that need each other, or a single node.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::spec) struct StronglyConnected {
    /// Its nodes, in increasing order.
    pub(in crate::spec) nodes: Vec<usize>,
    /// True if each of its nodes needs itself, directly or through others.
    pub(in crate::spec) cyclic: bool,
}

struct CycleSearch<'n> {
    needs: &'n [Vec<usize>],
    /// The time by `clock` at which each node was entered; 0 if it was not entered.
    entered: Vec<usize>,
    /// The earliest entry time of a node on the path that is known to be reachable from each node.
    low: Vec<usize>,
    on_path: Vec<bool>,
    path: Vec<usize>,
    clock: usize,
    components: Vec<StronglyConnected>,
}

/// The components of the graph with nodes `0..needs.len()`, where `needs[n]` are the nodes that `n` needs.
pub(in crate::spec) fn components(needs: &[Vec<usize>]) -> Vec<StronglyConnected> {
    let size = needs.len();
    let mut search = CycleSearch {
        needs,
        entered: vec![0; size],
        low: vec![0; size],
        on_path: vec![false; size],
        path: Vec::new(),
        clock: 0,
        components: Vec::new(),
    };
    for root in 0..size {
        if search.entered[root] == 0 {
            search.run(root);
        }
    }
    search.components
}

impl CycleSearch<'_> {
    fn run(&mut self, root: usize) {
        self.enter(root);
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.pop() {
            match self.needs[node].get(next) {
                Some(&need) => {
                    stack.push((node, next + 1));
                    if self.entered[need] == 0 {
                        self.enter(need);
                        stack.push((need, 0));
                    } else if self.on_path[need] {
                        self.low[node] = self.low[node].min(self.entered[need]);
                    }
                }
                None => {
                    self.leave(node);
                    if let Some(&(parent, _)) = stack.last() {
                        self.low[parent] = self.low[parent].min(self.low[node]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.clock += 1;
        self.entered[node] = self.clock;
        self.low[node] = self.clock;
        self.on_path[node] = true;
        self.path.push(node);
    }

    /// Takes a component off the path if `node` is where it was entered.
    fn leave(&mut self, node: usize) {
        if self.low[node] != self.entered[node] {
            return;
        }
        let start = self.path.iter().rposition(|&other| other == node).unwrap_or(0);
        let mut nodes = self.path.split_off(start);
        nodes.iter().for_each(|&member| self.on_path[member] = false);
        nodes.sort_unstable();
        let cyclic = nodes.len() > 1 || self.needs[node].contains(&node);
        self.components.push(StronglyConnected { nodes, cyclic });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(needs: &[Vec<usize>]) -> Vec<(Vec<usize>, bool)> {
        components(needs).into_iter().map(|component| (component.nodes, component.cyclic)).collect()
    }

    #[test]
    fn needs_come_first_and_cycles_are_whole() {
        assert_eq!(found(&[vec![1], vec![2], vec![]]), [(vec![2], false), (vec![1], false), (vec![0], false)]);
        assert_eq!(found(&[vec![0]]), [(vec![0], true)]);
        assert_eq!(found(&[vec![1, 2], vec![0], vec![1], vec![2]]), [(vec![0, 1, 2], true), (vec![3], false)]);
    }
}
