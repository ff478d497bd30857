//! The compiled form of a specification: functions of instructions over registers, constants and state slots.
//!
//! For example `if q <= n { reply 0; }` becomes `r1 := r0 <= s0; branch r1 else 4; reply c0`.
//!
//! An evaluator (`process`) executes the instructions and stops at those that are events, such as `Choose`, `Assume`, `Expects`, `Fault`,
//! `Branch` and `Select`. Statements fork ([`Op::Branch`], [`Op::Select`]); expressions join ([`Op::Split`] … [`Op::Swap`] … [`Op::Join`]).

use rustc_hash::FxHashMap;

use crate::syntax::ast::NodeId;
use crate::value::Value;

pub use super::analysis::facts::{Provenance, ReplyShape, ReplyShapes, StepComponent};
pub use super::instruction::Op;
pub use super::operand::{Binary, ChoiceDomain, FaultKind, Operand, Pc, Register, Touch, Unary};
use super::types::TypeId;

/// A compiled function, procedure, handler or initial value.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, for messages.
    pub name: String,
    /// The number of its parameters, which are its first registers.
    pub params: u32,
    /// The number of registers that it uses.
    pub registers: u32,
    /// Its instructions.
    pub code: Vec<Op>,
    /// The node that each instruction came from.
    pub origin: Vec<NodeId>,
    /// The positions, in order, at which parts begin (one for each handler): a part reuses the registers of the part before it.
    pub parts: Vec<Pc>,
    /// The positions of instructions that count a collection: a fault if the collection is unknown.
    pub counting: Vec<Pc>,
    /// The shapes of the answers that may still be given from each instruction on (see `reply_shapes`).
    pub reply_shapes: Vec<ReplyShapes>,
    /// The choices that appear in answers, by position (see `provenance`).
    pub provenance: FxHashMap<Pc, Provenance>,
}

impl Function {
    /// A function of instructions that come from no text; its registers are its parameters and one more.
    pub(super) fn plain(name: &str, params: u32, code: Vec<Op>) -> Function {
        let origin = vec![NodeId(0); code.len()];
        let provenance = FxHashMap::default();
        let (parts, counting, reply_shapes) = (Vec::new(), Vec::new(), Vec::new());
        let (name, registers) = (name.to_owned(), params + 1);
        Function { name, params, registers, code, origin, parts, counting, reply_shapes, provenance }
    }

    /// The range of positions of each part, in order; the code before the first part counts as one.
    pub(super) fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let inner = self.parts.iter().map(|start| *start as usize).filter(|start| *start > 0);
        let starts: Vec<usize> = std::iter::once(0).chain(inner).collect();
        let ends = starts[1..].iter().copied().chain([self.code.len()]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }
}

/// One compiled specification: a machine or a protocol.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The kind of specification that it is: a machine or a protocol.
    pub kind: ProgramKind,
    /// The type of requests.
    pub request: TypeId,
    /// The type of answers.
    pub response: TypeId,
    /// The state's variables, then the computed constants.
    pub slots: Vec<Slot>,
    /// The number of slots that are variables.
    pub state: u32,
    /// All functions.
    pub functions: Vec<Function>,
    /// The function that sets the initial state; it has no parameters.
    pub init: u32,
    /// The function that handles a request; its parameters are the request and the client.
    pub serve: u32,
    /// The variant of `serve` that chooses as late as possible, for callers that do not report choices (see `sinking`). Its parameters are
    /// those of `serve`. In a machine it leaves out cells that the next request overwrites. It may be `serve` itself.
    pub sunk: u32,
    /// The steps that the server may take by itself, in the order of their declaration.
    pub steps: Vec<SpecStep>,
    /// The function that runs before a connection's first request, if there is one; its parameter is the client.
    pub opens: Option<u32>,
    /// The function that runs when nothing more is read from a lost or closed connection, if there is one; its parameter is the client.
    pub closes: Option<u32>,
    /// The function that runs when the server was killed and starts again, if there is one; it has no parameters.
    pub restarts: Option<u32>,
    /// Set if no task begins before the current one has ended.
    pub is_serial: bool,
    /// The endpoints that the server calls.
    pub peers: Vec<SpecPeer>,
    /// The steps, grouped by the state that they share.
    pub components: Vec<StepComponent>,
    /// For each slot, the component whose steps touch it.
    pub component_of: Vec<Option<u32>>,
    /// For each variable: true if handlers only read single entries of it.
    pub keyed: Vec<bool>,
    /// For each variable: true if it holds a list of which only the elements matter, not their order or number.
    pub unordered: Vec<bool>,
    /// The constants that instructions read.
    pub constants: Vec<Value>,
    /// The name that messages give to a choice, by the choice's node.
    pub subjects: FxHashMap<NodeId, String>,
    /// The node that stands for a request without a handler.
    pub untaken: Option<NodeId>,
    /// True if some handler asks whose request it is (`on … from c`).
    pub names_clients: bool,
    /// True if a map or set may start unknown: picking from a collection of one element is then a choice too.
    pub chooses_maps: bool,
    /// True if an instruction may be faulty, or break a client's duty.
    pub may_fail: bool,
    /// True if a choice may be made for each element of a set. The choices are made in the order of the elements, and this order is unknown
    /// if the elements are.
    pub chooses_for_elements: bool,
    /// For each type, by its number: true if its unknown values cannot be compared without expanding them.
    pub opaque: Vec<bool>,
    /// For each type, whether it is a map or a set whose unknown keys cannot be compared without expanding them.
    pub opaque_keys: Vec<bool>,
    /// For each function and instruction, true if some path may come to it.
    pub reachable: Vec<Vec<bool>>,
}

impl Program {
    /// Tests whether unknown values of a type, given by its number, cannot be compared without expanding them.
    #[must_use]
    pub fn must_look_to_compare(&self, ty: u32) -> bool {
        self.opaque.get(ty as usize).copied().unwrap_or(true)
    }

    /// Tests whether unknown keys of a map or a set of a type, given by its number, cannot be compared without expanding them.
    #[must_use]
    pub fn has_opaque_keys(&self, ty: u32) -> bool {
        self.opaque_keys.get(ty as usize).copied().unwrap_or(true)
    }

    /// Tests whether some task is suspended, or does more than answering.
    #[must_use]
    pub fn is_asynchronous(&self) -> bool {
        self.functions.iter().any(|function| function.code.iter().any(Op::is_asynchronous))
    }

    /// Says why a request is outside of the specification at this place: no handler takes the request, or it breaks the client's duty.
    #[must_use]
    pub fn duty(&self, site: NodeId) -> &'static str {
        if self.untaken == Some(site) { "no handler takes this request" } else { "the client's duty is broken" }
    }

    /// Returns the number of slots that hold state; the slots after them hold constants.
    #[must_use]
    pub fn state_slots(&self) -> usize {
        self.state as usize
    }
}

/// Machine or protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramKind {
    /// The integer machine.
    Machine,
    /// A protocol.
    Protocol,
}

/// A step that the server may take by itself (`step { .. }`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpecStep {
    /// Its function, which has no parameters and gives no answer.
    pub function: u32,
    /// The node of its declaration.
    pub site: NodeId,
    /// The node at which a run chooses, once, the key under which it touches all state, or else an element of a collection; none if there
    /// is no such choice.
    pub choice: Option<NodeId>,
}

/// An endpoint that the server calls (`peer NAME(key: T): Request -> Response;`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecPeer {
    /// Its name.
    pub name: String,
    /// The type of the key that tells the peers of this name apart; none if there is only one.
    pub key: Option<TypeId>,
    /// The type of the requests to it.
    pub request: TypeId,
    /// The type of its answers.
    pub response: TypeId,
}

/// A variable of the state.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}
