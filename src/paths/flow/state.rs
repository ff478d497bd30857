//! Graphs that are followed symbolically: all variables are unknown at the entry.
//!
//! An array has an element for each integer. Each element that is read becomes a symbol: from `A[i] == 3` and `A[j] == 4` it follows that i
//! and j differ, as `i == j` implies that the two symbols are equal.

use std::collections::BTreeMap;

use super::file::{FlowProgram, SetVariable};
use super::formula::FlowValues;
use super::variables::FlowType;
use crate::paths::{FollowedStep, PathOracle};
use crate::scalar::{Scalar, Sort};
use crate::solve::{Answer, Limits, Model, Solver, Store};
use crate::term::{Term, Var};

/// The values of the variables after a beginning of paths.
#[derive(Clone)]
pub struct FlowState {
    vertex: usize,
    /// The value of each variable; an array's is not used.
    values: Vec<Term>,
    arrays: Vec<ArrayState>,
    store: Store,
    /// The number of symbols.
    symbols: u64,
}

/// An array: what was read of it as it was at the entry, and what was written since.
#[derive(Clone, Default)]
struct ArrayState {
    read: Vec<(Term, Term)>,
    written: Vec<(Term, Term)>,
}

/// A follower of the paths of a graph.
pub struct FlowOracle<'p> {
    program: &'p FlowProgram,
    /// The solver, with its statistics.
    pub solver: Solver,
}

/// FlowValues for the variables at the entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlowInput {
    /// The value of a variable that is no array.
    Scalar(Scalar),
    /// The elements that matter, by index; others may have any value.
    Array(BTreeMap<String, Scalar>),
}

impl FlowType {
    fn sort(self) -> Sort {
        match self {
            FlowType::Int | FlowType::Ints => Sort::Int,
            FlowType::Bool | FlowType::Bools => Sort::Bool,
        }
    }
}

impl<'p> FlowOracle<'p> {
    /// A follower of the paths of this graph.
    #[must_use]
    pub fn new(program: &'p FlowProgram) -> FlowOracle<'p> {
        // Case splits hardly ever decide what follows from many conditions on few variables; Z3 does.
        FlowOracle { program, solver: Solver::new(Limits { search: 0, ..Limits::default() }) }
    }

    /// FlowValues of the variables at the entry with which a path is taken; none if they were not found.
    pub fn input(&mut self, state: &FlowState) -> Option<Vec<FlowInput>> {
        let model = state.store.model(&[], &mut self.solver, &mut |_| 0).ok()?;
        let value = |term: &Term| model.eval_or_simplest(term);
        let input = |number: usize, ty: FlowType| match ty {
            FlowType::Int | FlowType::Bool => value(&variable(number, ty)).map(FlowInput::Scalar),
            FlowType::Ints | FlowType::Bools => {
                let read = state.arrays[number].read.iter();
                let elements = read.map(|(at, element)| Some((shown(&model, at)?, value(element)?)));
                elements.collect::<Option<BTreeMap<_, _>>>().map(FlowInput::Array)
            }
        };
        let variables = self.program.variables.iter().enumerate();
        variables.map(|(number, (_, ty))| input(number, *ty)).collect()
    }
}

fn shown(model: &Model, at: &Term) -> Option<String> {
    Some(model.eval_or_simplest(at)?.as_int()?.to_string())
}

/// The symbol of a variable at the entry.
fn variable(number: usize, ty: FlowType) -> Term {
    Term::var(Var { id: number as u64 + 1, sort: ty.sort() })
}

impl PathOracle for FlowOracle<'_> {
    type State = FlowState;

    fn start(&mut self) -> FlowState {
        let variables = &self.program.variables;
        FlowState {
            vertex: self.program.graph.entry(),
            values: variables.iter().enumerate().map(|(number, (_, ty))| variable(number, *ty)).collect(),
            arrays: vec![ArrayState::default(); variables.len()],
            store: Store::default(),
            symbols: variables.len() as u64,
        }
    }

    fn follow(&mut self, state: &mut FlowState, step: usize) -> FollowedStep {
        let FlowOracle { program, solver } = self;
        // A path that ends where edges go on has one more step.
        let Some(edge) = program.edges[state.vertex].get(step) else { return FollowedStep::Feasible };
        let mut symbolic = SymbolicValues { program, state, facts: Vec::new() };
        let condition = edge.condition.as_ref().map(|condition| condition.value(&mut symbolic));
        symbolic.facts.extend(condition);
        for SetVariable { variable, at, value } in &edge.sets {
            let at = at.as_ref().map(|at| at.value(&mut symbolic));
            let value = value.value(&mut symbolic);
            match at {
                Some(at) => symbolic.state.arrays[*variable].written.push((at, value)),
                None => symbolic.state.values[*variable] = value,
            }
        }
        let facts = symbolic.facts;
        state.vertex = program.graph.targets(state.vertex)[step];
        for fact in facts {
            match state.store.assume(&fact, solver) {
                Answer::Sat => {}
                Answer::Unsat => return FollowedStep::Infeasible,
                Answer::Unknown(_) => return FollowedStep::Undecided,
            }
        }
        FollowedStep::Feasible
    }

    fn forks(&self, state: &FlowState) -> bool {
        self.program.edges[state.vertex].len() > 1
    }
}

/// The values of variables while an edge is followed.
struct SymbolicValues<'s> {
    program: &'s FlowProgram,
    state: &'s mut FlowState,
    /// The conditions that have to hold.
    facts: Vec<Term>,
}

impl FlowValues for SymbolicValues<'_> {
    fn variable(&mut self, variable: usize) -> Term {
        self.state.values[variable].clone()
    }

    fn element(&mut self, array: usize, at: &Term) -> Term {
        let first = self.first(array, at);
        let written = &self.state.arrays[array].written;
        written.iter().fold(first, |before, (index, value)| Term::ite(&Term::eq(index, at), value, &before))
    }
}

impl SymbolicValues<'_> {
    /// The element of an array at the entry.
    fn first(&mut self, array: usize, at: &Term) -> Term {
        let FlowState { arrays, symbols, .. } = &mut *self.state;
        let read = &mut arrays[array].read;
        if let Some((_, element)) = read.iter().find(|(index, _)| index == at) {
            return element.clone();
        }
        *symbols += 1;
        let element = Term::var(Var { id: *symbols, sort: self.program.variables[array].1.sort() });
        let equal = |(index, other): &(Term, Term)| Term::implies(&Term::eq(index, at), &Term::eq(other, &element));
        self.facts.extend(read.iter().map(equal).filter(|fact| *fact != Term::truth()));
        read.push((at.clone(), element.clone()));
        element
    }
}
