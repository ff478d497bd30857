//! Partitioning: keys that have nothing to do with each other are judged one by one.
//!
//! A store whose handlers look at the entry under one key only, `data[key]`, is as many servers as there are keys. Ten clients that use
//! ten keys are then ten histories of one client or two. It is exact where every access to the state is to the entry under one part of
//! the request, nothing else connects the entries, and no connection has two requests under way (semantics 4, *Partitioning*). What a
//! restart may lose, `on restart {..}`, is taken to connect them.

use rustc_hash::FxHashMap;

use super::code::{Binary, ChoiceDomain, Op, Operand, Program, Register};
use super::dataflow::{Graph, Lattice};
use crate::syntax::ast::NodeId;
use crate::value::Value;

/// The part of a request that is the key of all that it touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestKeys {
    /// The number of the field, by the number of the request's variant.
    of_variant: FxHashMap<u32, u32>,
    /// Set where the request itself is the key.
    whole: bool,
    /// Set where the specification says what a restart may lose: perhaps something of several entries.
    meet_at_restarts: bool,
}

impl RequestKeys {
    /// The keys of a specification; nothing where its entries have to do with each other.
    #[must_use]
    pub fn of(program: &Program) -> Option<RequestKeys> {
        RequestKeys::find(program).ok()
    }

    /// The keys of a specification.
    ///
    /// # Errors
    /// Where its entries have to do with each other.
    pub fn find(program: &Program) -> Result<RequestKeys, Unpartitioned> {
        let serve = &program.functions[program.serve as usize];
        let mut first = vec![KeyOrigin::Unset; serve.registers as usize];
        first.iter_mut().zip([KeyOrigin::Request, KeyOrigin::Other]).for_each(|(register, origin)| *register = origin);
        let transfer = |at: usize, before: &Origins| Some(before.behind(serve.code.get(at)?.plain()));
        let known = Graph::of(serve).forward((0, Origins(first)), transfer);
        let mut keys = RequestKeys {
            of_variant: FxHashMap::default(),
            whole: false,
            meet_at_restarts: program.restarts.is_some(),
        };
        if let Some(step) = program.steps.first() {
            return Err(Unpartitioned::Step(step.site));
        }
        begins_apart(program)?;
        for ((op, before), site) in serve.code.iter().zip(&known).zip(&serve.origin) {
            let is_apart = before.as_ref().is_none_or(|before| keys.admit(program, op.plain(), &before.0));
            if !is_apart || keys.whole && !keys.of_variant.is_empty() {
                return Err(Unpartitioned::Touched(*site));
            }
        }
        Ok(keys)
    }

    /// Tests whether keys have to do with each other at a restart.
    #[must_use]
    pub fn meet_at_restarts(&self) -> bool {
        self.meet_at_restarts
    }

    /// The key of a request: nothing where it touches nothing, an error where it is not known.
    ///
    /// # Errors
    /// Where a part of the key is a hole.
    pub fn key(&self, request: &Value) -> Result<Option<Value>, Unkeyed> {
        let key = match request {
            request if self.whole => Some(request.clone()),
            Value::Data { tag, .. } => {
                self.of_variant.get(tag).and_then(|at| request.fields().get(*at as usize)).cloned()
            }
            _ => None,
        };
        if key.as_ref().is_some_and(Value::has_holes) { Err(Unkeyed) } else { Ok(key) }
    }

    /// The variant of a request and the number of its field that is its key; nothing where the request itself is, or has none.
    #[must_use]
    pub fn field(&self, request: &Value) -> Option<(u32, u32)> {
        let Value::Data { tag, .. } = request else { return None };
        self.of_variant.get(tag).map(|at| (*tag, *at)).filter(|_| !self.whole)
    }

    /// Takes up what an instruction touches; fails where that is more than an entry under a part of the request.
    fn admit(&mut self, program: &Program, op: &Op, registers: &[KeyOrigin]) -> bool {
        let is_variable =
            |operand: Operand| matches!(operand, Operand::Slot(slot) if (slot as usize) < program.state_slots());
        let key = match op {
            Op::Find { map, key, .. } if is_variable(*map) => Some(*key),
            Op::Binary { op: Binary::Get, a: map, b: key, .. } if is_variable(*map) => Some(*key),
            Op::Binary { op: Binary::In, a: key, b: map, .. } if is_variable(*map) => Some(*key),
            Op::Index { src: map, at: key, .. } if is_variable(*map) => Some(*key),
            Op::Put { key, .. } | Op::Delete { key, .. } | Op::Retain { key, .. } => Some(*key),
            op if op.stores().is_some() => return false,
            Op::Call { function, .. } => return touches_nothing(program, *function),
            _ => None,
        };
        let accesses = op.operands().into_iter().filter(|operand| is_variable(*operand)).count();
        if accesses != usize::from(key.is_some()) {
            return false;
        }
        match key {
            None => true,
            Some(Operand::Register(register)) => self.is_key(registers[register as usize]),
            Some(Operand::Constant(_) | Operand::Slot(_)) => false,
        }
    }

    fn is_key(&mut self, origin: KeyOrigin) -> bool {
        match origin {
            KeyOrigin::Request => {
                self.whole = true;
                true
            }
            KeyOrigin::Field(tag, index) => *self.of_variant.entry(tag).or_insert(index) == index,
            KeyOrigin::Unset | KeyOrigin::Other => false,
        }
    }
}

/// The reason why a request has no key: it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unkeyed;

/// The reason why a specification is not as many servers as there are keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unpartitioned {
    /// The server does something by itself.
    Step(NodeId),
    /// The initial state may say something of several entries together.
    Initial(NodeId),
    /// Here more than the entry under one part of the request is looked at or changed.
    Touched(NodeId),
}

/// The origin of what a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KeyOrigin {
    /// Nothing was put there.
    Unset,
    /// The request.
    Request,
    /// This field of this variant of it.
    Field(u32, u32),
    Other,
}

/// The origins of what the registers hold.
#[derive(Clone)]
struct Origins(Vec<KeyOrigin>);

impl Lattice for Origins {
    fn join(&mut self, other: &Origins) -> bool {
        let joined: Vec<KeyOrigin> = self.0.iter().zip(&other.0).map(|(a, b)| join(*a, *b)).collect();
        let changes = joined != self.0;
        self.0 = joined;
        changes
    }
}

impl Origins {
    fn of(&self, operand: Operand) -> KeyOrigin {
        operand.register().map_or(KeyOrigin::Other, |register| self.0[register as usize])
    }

    /// The origins after an instruction.
    fn behind(&self, op: &Op) -> Origins {
        let result: Option<(Register, KeyOrigin)> = match op {
            Op::Copy { dst, src } => Some((*dst, self.of(*src))),
            Op::Field { dst, src, tag, index } if self.of(*src) == KeyOrigin::Request => {
                Some((*dst, KeyOrigin::Field(*tag, *index)))
            }
            _ => None,
        };
        let mut behind = self.clone();
        op.defs().into_iter().for_each(|register| behind.0[register as usize] = KeyOrigin::Other);
        if let Some((dst, origin)) = result {
            behind.0[dst as usize] = origin;
        }
        behind
    }
}

fn join(a: KeyOrigin, b: KeyOrigin) -> KeyOrigin {
    match (a, b) {
        (KeyOrigin::Unset, one) | (one, KeyOrigin::Unset) => one,
        (a, b) if a == b => a,
        _ => KeyOrigin::Other,
    }
}

/// Fails where the initial state may say something of several entries together.
fn begins_apart(program: &Program) -> Result<(), Unpartitioned> {
    let init = &program.functions[program.init as usize];
    let is_apart =
        |op: &Op| matches!(op, Op::Store { .. } | Op::End | Op::Choose { domain: ChoiceDomain::Type(_), .. });
    match init.code.iter().position(|op| !is_apart(op.plain())) {
        Some(at) => Err(Unpartitioned::Initial(init.origin[at])),
        None => Ok(()),
    }
}

/// Tests whether a function looks at no variable and changes none.
fn touches_nothing(program: &Program, number: u32) -> bool {
    let is_variable =
        |operand: &Operand| matches!(operand, Operand::Slot(slot) if (*slot as usize) < program.state_slots());
    program.functions[number as usize].code.iter().all(|op| {
        let touches = op.operands().iter().any(is_variable) || op.stores().is_some();
        !touches && !matches!(op.plain(), Op::Call { .. })
    })
}
