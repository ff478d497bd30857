//! Graphs that are run with known values, to see that an input takes its path.

use std::collections::BTreeMap;

use super::file::FlowProgram;
use super::formula::FlowValues;
use super::state::FlowInput;
use super::variables::FlowType;
use crate::term::Term;

impl FlowProgram {
    /// Tests whether an input takes these steps from the entry. An element that the input does not give is 0 or false.
    #[must_use]
    pub fn takes(&self, input: &[FlowInput], steps: &[usize]) -> bool {
        let mut values = KnownValues { program: self, scalars: Vec::new(), arrays: Vec::new() };
        for input in input {
            let (scalar, elements) = match input {
                FlowInput::Scalar(scalar) => (Term::constant(scalar.clone()), BTreeMap::new()),
                FlowInput::Array(elements) => {
                    let constant = |(at, element): (&String, _)| (at.clone(), Term::constant(Clone::clone(element)));
                    (Term::int(0), elements.iter().map(constant).collect())
                }
            };
            values.scalars.push(scalar);
            values.arrays.push(elements);
        }
        let mut vertex = self.graph.entry();
        for &step in steps {
            // A path that ends where edges go on has one more step.
            let Some(edge) = self.edges[vertex].get(step) else { return vertex == self.graph.end() };
            if edge.condition.as_ref().is_some_and(|condition| condition.value(&mut values) != Term::truth()) {
                return false;
            }
            for set in &edge.sets {
                let at = set.at.as_ref().map(|at| at.value(&mut values).to_string());
                let value = set.value.value(&mut values);
                match at {
                    Some(at) => _ = values.arrays[set.variable].insert(at, value),
                    None => values.scalars[set.variable] = value,
                }
            }
            vertex = self.graph.targets(vertex)[step];
        }
        true
    }
}

/// The values of variables at a place of a run.
struct KnownValues<'p> {
    program: &'p FlowProgram,
    scalars: Vec<Term>,
    arrays: Vec<BTreeMap<String, Term>>,
}

impl FlowValues for KnownValues<'_> {
    fn variable(&mut self, variable: usize) -> Term {
        self.scalars[variable].clone()
    }

    fn element(&mut self, array: usize, at: &Term) -> Term {
        let otherwise = || match self.program.variables[array].1 {
            FlowType::Int | FlowType::Ints => Term::int(0),
            FlowType::Bool | FlowType::Bools => Term::falsity(),
        };
        self.arrays[array].get(&at.to_string()).cloned().unwrap_or_else(otherwise)
    }
}
