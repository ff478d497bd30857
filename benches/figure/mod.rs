//! Figure 3.1 to the letter, on Z3, for any machine: `havoc`, `write`, `if` and `step` over the syntax tree.
//!
//! Every constraint is kept. If Z3 knows the constraints of a state, each path from this state is checked by push, assert, check
//! and pop. If several paths survive, one keeps the solver, and the others get new ones. For example
//! `if !1 <= !2 { !1 := 0; } else { … }` makes two paths from a state, with `#1 <= #2` and its negation.

use mayhap::diagnostic::FileId;
use mayhap::scalar::Int as Number;
use mayhap::syntax::ast::{BinaryOp, Block, Expr, ExprKind, ItemKind, NodeId, PlaceRoot, StatementKind, UnaryOp};
use mayhap::syntax::parse;
use std::collections::BTreeMap;
use std::str::FromStr;
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, Solver};

/// The time limit of one question to Z3, in milliseconds, if it has products or quotients of unknowns. Z3 decides all other
/// questions, and a limit would cost each of them a thread.
const PATIENCE: u32 = 200;

/// The way in which the constraints of a state are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Each check asserts all constraints again.
    FromScratch,
    /// Each state keeps a solver that has its constraints.
    Incrementally,
}

/// The outcome of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Some state explains the exchange.
    Alive,
    /// No state explains the exchange.
    Rejected,
    /// Z3 does not know.
    Undecided,
}

/// The validator of a machine.
pub struct Figure {
    body: Block,
    asked: Asked,
    arithmetic: Arithmetic,
    states: Vec<State>,
    fresh: u32,
}

/// The arithmetic of a machine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arithmetic {
    Linear,
    Nonlinear,
}

/// A validation state: the variable of each cell, and the constraints.
struct State {
    memory: Memory,
    constraints: Vec<Bool>,
    solver: Option<Solver>,
}

/// The variable of each cell. A cell that was never written has its initial variable.
#[derive(Clone)]
struct Memory {
    cells: BTreeMap<u32, Int>,
    first: Int,
}

/// A state on its way through the program, with the constraints added so far.
#[derive(Clone)]
struct Path {
    memory: Memory,
    gained: Vec<Bool>,
    returned: bool,
}

/// The body of the machine in a text; `None` if there is no machine.
pub fn machine(text: &str) -> Option<Block> {
    let items = parse(text, FileId(0), NodeId(0)).file.items;
    items.into_iter().find_map(|item| match item.kind {
        ItemKind::Machine { body, .. } => Some(body),
        _ => None,
    })
}

impl Memory {
    fn read(&self, cell: u32) -> Int {
        self.cells.get(&cell).unwrap_or(&self.first).clone()
    }
}

impl Figure {
    pub fn new(body: Block, asked: Asked) -> Figure {
        let first = Int::new_const("x0");
        let constraints = vec![first.eq(0)];
        let memory = Memory { cells: BTreeMap::new(), first };
        let arithmetic = if is_linear(&body) { Arithmetic::Linear } else { Arithmetic::Nonlinear };
        let solver = (asked == Asked::Incrementally).then(|| knowing(&constraints, arithmetic));
        Figure { body, asked, arithmetic, states: vec![State { memory, constraints, solver }], fresh: 0 }
    }

    /// `step(q, a)`: keeps the states whose constraints can be satisfied.
    pub fn step(&mut self, query: &Number, answer: &Number) -> Step {
        let (body, mut survivors) = (self.body.clone(), Vec::new());
        for state in std::mem::take(&mut self.states) {
            let mut path = Path { memory: state.memory.clone(), gained: Vec::new(), returned: false };
            path.memory.cells.insert(0, self.fresh());
            self.write(&mut path, 1, &number(query));
            let mut paths = self.run(&body, vec![path]);
            paths.iter_mut().for_each(|path| path.gained.push(path.memory.read(1).eq(number(answer))));
            let Some(left) = state.surviving(paths, self.arithmetic) else { return Step::Undecided };
            survivors.extend(state.followed(left, (self.asked, self.arithmetic)));
        }
        self.states = survivors;
        if self.states.is_empty() { Step::Rejected } else { Step::Alive }
    }

    fn fresh(&mut self) -> Int {
        self.fresh += 1;
        Int::new_const(format!("x{}", self.fresh))
    }

    /// `write(d, e)`: a fresh variable that equals e, evaluated in the old state.
    fn write(&mut self, path: &mut Path, cell: u32, value: &Int) {
        let fresh = self.fresh();
        path.gained.push(fresh.eq(value));
        path.memory.cells.insert(cell, fresh);
    }

    /// The paths through a block, from each of these paths.
    fn run(&mut self, block: &Block, mut paths: Vec<Path>) -> Vec<Path> {
        for statement in &block.statements {
            let (done, running): (Vec<Path>, Vec<Path>) = paths.into_iter().partition(|path| path.returned);
            paths = done;
            for path in running {
                paths.extend(self.execute(&statement.kind, path));
            }
        }
        paths
    }

    fn execute(&mut self, statement: &StatementKind, mut path: Path) -> Vec<Path> {
        match statement {
            StatementKind::Assign { place, value } => {
                let PlaceRoot::Cell(cell, _) = &place.root else { unreachable!("a machine writes cells") };
                let value = integer(value, &path.memory);
                self.write(&mut path, *cell, &value);
                vec![path]
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = boolean(condition, &path.memory);
                let mut other = path.clone();
                path.gained.push(condition.clone());
                other.gained.push(condition.not());
                let mut paths = self.run(then, vec![path]);
                match otherwise {
                    Some(otherwise) => paths.extend(self.run(otherwise, vec![other])),
                    None => paths.push(other),
                }
                paths
            }
            StatementKind::Return(_) => vec![Path { returned: true, ..path }],
            other => unreachable!("no statement of a machine: {other:?}"),
        }
    }
}

impl State {
    /// The paths whose constraints can be satisfied; `None` if Z3 does not know.
    fn surviving(&self, paths: Vec<Path>, arithmetic: Arithmetic) -> Option<Vec<Path>> {
        let mut left = Vec::new();
        for path in paths {
            let met = match &self.solver {
                Some(solver) => {
                    solver.push();
                    path.gained.iter().for_each(|constraint| solver.assert(constraint));
                    let met = solver.check();
                    solver.pop(1);
                    met
                }
                None => {
                    let solver = knowing(&self.constraints, arithmetic);
                    path.gained.iter().for_each(|constraint| solver.assert(constraint));
                    solver.check()
                }
            };
            match met {
                SatResult::Sat => left.push(path),
                SatResult::Unsat => {}
                SatResult::Unknown => return None,
            }
        }
        Some(left)
    }

    /// The states at the ends of paths; the last one takes over the solver.
    fn followed(self, paths: Vec<Path>, (asked, arithmetic): (Asked, Arithmetic)) -> Vec<State> {
        let State { constraints, mut solver, .. } = self;
        let last = paths.len().saturating_sub(1);
        let follow = |(at, Path { memory, gained, .. }): (usize, Path)| {
            let mut constraints = constraints.clone();
            let solver = match solver.take_if(|_| at == last) {
                Some(solver) => {
                    gained.iter().for_each(|constraint| solver.assert(constraint));
                    constraints.extend(gained);
                    Some(solver)
                }
                None => {
                    constraints.extend(gained);
                    (asked == Asked::Incrementally).then(|| knowing(&constraints, arithmetic))
                }
            };
            State { memory, constraints, solver }
        };
        paths.into_iter().enumerate().map(follow).collect()
    }
}

/// A solver with these constraints.
fn knowing(constraints: &[Bool], arithmetic: Arithmetic) -> Solver {
    let solver = Solver::new();
    if arithmetic == Arithmetic::Nonlinear {
        let mut params = Params::new();
        params.set_u32("timeout", PATIENCE);
        solver.set_params(&params);
    }
    constraints.iter().for_each(|constraint| solver.assert(constraint));
    solver
}

/// Tests whether each product has a factor that is a literal, and each divisor is a literal.
fn is_linear(block: &Block) -> bool {
    block.statements.iter().all(|statement| match &statement.kind {
        StatementKind::Assign { value, .. } => is_linear_in(value),
        StatementKind::If { condition, then, otherwise } => {
            is_linear_in(condition) && is_linear(then) && otherwise.as_ref().is_none_or(is_linear)
        }
        _ => true,
    })
}

fn is_linear_in(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Paren(inside) | ExprKind::Unary(_, inside) => is_linear_in(inside),
        ExprKind::Binary(BinaryOp::Mul, left, right) => {
            is_linear_in(left) && is_linear_in(right) && (is_literal(left) || is_literal(right))
        }
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, left, right) => is_linear_in(left) && is_literal(right),
        ExprKind::Binary(_, left, right) => is_linear_in(left) && is_linear_in(right),
        _ => true,
    }
}

fn is_literal(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Int(_) => true,
        ExprKind::Paren(inside) | ExprKind::Unary(_, inside) => is_literal(inside),
        _ => false,
    }
}

fn number(number: &Number) -> Int {
    Int::from_str(&number.to_string()).unwrap_or_else(|()| unreachable!("{number} is an integer"))
}

fn integer(expression: &Expr, memory: &Memory) -> Int {
    match &expression.kind {
        ExprKind::Int(value) => number(value),
        ExprKind::Cell(cell) => memory.read(*cell),
        ExprKind::Paren(inside) => integer(inside, memory),
        ExprKind::Unary(UnaryOp::Neg, inside) => -integer(inside, memory),
        ExprKind::Binary(operator, left, right) => {
            let (left, right) = (integer(left, memory), integer(right, memory));
            match operator {
                BinaryOp::Add => left + right,
                BinaryOp::Sub => left - right,
                BinaryOp::Mul => left * right,
                BinaryOp::Div => quotient(&left, &right),
                BinaryOp::Rem => left.clone() - right.clone() * quotient(&left, &right),
                other => unreachable!("{other:?} gives no integer"),
            }
        }
        other => unreachable!("no integer of a machine: {other:?}"),
    }
}

/// Division that rounds down, with division by 0 as 0. The division of SMT-LIB rounds down if the divisor is positive.
fn quotient(left: &Int, right: &Int) -> Int {
    let rounded = right.gt(0).ite(&left.div(right), &(-left).div(-right));
    right.eq(0).ite(&Int::from_i64(0), &rounded)
}

fn boolean(expression: &Expr, memory: &Memory) -> Bool {
    match &expression.kind {
        ExprKind::Bool(truth) => Bool::from_bool(*truth),
        ExprKind::Paren(inside) => boolean(inside, memory),
        ExprKind::Unary(UnaryOp::Not, inside) => boolean(inside, memory).not(),
        ExprKind::Binary(BinaryOp::And, left, right) => boolean(left, memory) & boolean(right, memory),
        ExprKind::Binary(BinaryOp::Or, left, right) => boolean(left, memory) | boolean(right, memory),
        ExprKind::Binary(operator, left, right) => {
            let (left, right) = (integer(left, memory), integer(right, memory));
            match operator {
                BinaryOp::Eq => left.eq(right),
                BinaryOp::Ne => left.eq(right).not(),
                BinaryOp::Lt => left.lt(right),
                BinaryOp::Le => left.le(right),
                BinaryOp::Gt => left.gt(right),
                BinaryOp::Ge => left.ge(right),
                other => unreachable!("{other:?} compares no integers"),
            }
        }
        other => unreachable!("no condition of a machine: {other:?}"),
    }
}
