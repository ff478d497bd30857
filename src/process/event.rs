//! Events: what a process does next, and what its handler is asked.
//!
//! `n := choose 0..q; reply n;` is [`Event::Recv`], [`Event::Choose`] and [`Event::Send`].

use serde::{Deserialize, Serialize};

use super::instructions::lookup::Lookup;
use crate::spec::code::{FaultKind, Pc};
use crate::spec::types::{BOOL, INT};
use crate::spec::{Site, TypeId};
use crate::term::{Condition, Term};
use crate::value::{Truth, Value};

/// The number of instructions after which a section counts as one that never ends. An instruction on a large value counts as several
/// (`prices`).
pub const SECTION_LIMIT: u32 = 10_000_000;
/// The depth of calls at which a path is cut off.
pub const CALL_LIMIT: usize = 20_000;
/// The depth of nested symbolic guards beyond which arms are told apart by forking (the unrolling of a recursive function).
pub const GUARD_LIMIT: usize = 64;
/// The number of pieces up to which a split of an unknown text is followed.
pub const PIECES_LIMIT: i64 = 8;
/// The number of integers up to which a range of unknown length is followed.
pub const RANGE_LIMIT: i64 = 256;
/// The number of alternatives under one node beyond which a value is forced by forking.
pub const UNION_LIMIT: usize = 8;
/// The number of elements of an unknown stretch of a list that one request may take, if nothing else bounds them.
pub const STRETCH_LIMIT: u32 = 8;
/// The number of nodes of unknown recursive values that one request may look at.
pub const NODE_LIMIT: u32 = 256;
/// The number of nodes of one value that it may look at if no statement has told them apart, as each condition on a node holds those
/// of the nodes above.
/// The nodes inside of a node share what is left of them: a tree is looked at to the same depth everywhere.
pub const GUARDED_NODE_LIMIT: u32 = 64;

/// A place at which the specification is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The node.
    pub site: Site,
}

/// The range of an internal choice.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// The values of a type.
    Type(TypeId),
    /// One of n alternatives: a boolean for two (true is the first), else an integer from 0.
    Alternatives(u32),
    /// The integers from the first to below the second.
    Range(Value, Value),
    /// The elements of a collection, with their type.
    Element(Value, TypeId),
}

impl Choice {
    /// The type of what is chosen, if it is known.
    #[must_use]
    pub fn value_type(&self) -> TypeId {
        match self {
            Choice::Type(ty) => *ty,
            Choice::Alternatives(2) => BOOL,
            Choice::Alternatives(_) | Choice::Range(..) => INT,
            Choice::Element(_, ty) => *ty,
        }
    }
}

/// A named limit that cut a path off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Limit {
    /// A section of more than [`SECTION_LIMIT`] instructions.
    Section,
    /// Calls nested deeper than [`CALL_LIMIT`].
    Calls,
    /// An unknown text in more than [`PIECES_LIMIT`] pieces.
    Pieces,
    /// A range of more than [`RANGE_LIMIT`] integers whose length is not known.
    Range,
    /// An operation that no decision brings forward.
    Undecidable,
    /// More paths in one step than the judge follows.
    Paths,
    /// A value of more than [`BITS_LIMIT`](crate::value::BITS_LIMIT) bits, or
    /// [`LENGTH_LIMIT`](crate::value::LENGTH_LIMIT) octets or elements.
    Extent,
    /// More work for one exchange than the judge takes on.
    Effort,
    /// More memory than this for explanations, in MiB.
    Memory(usize),
    /// More states that the server may reach by itself than the judge keeps.
    Steps,
    /// Orders in which requests of several clients may have been served, which were not all followed.
    Orders,
    /// More than [`STRETCH_LIMIT`] elements of a list of unknown length.
    Stretch,
    /// More than [`NODE_LIMIT`] nodes of unknown recursive values, or [`GUARDED_NODE_LIMIT`] under conditions.
    Nodes,
}

/// The next thing that a process does. Conditions are never known to be irrelevant: a branch on known values is not an event.
#[derive(Clone, Debug)]
pub enum Event {
    /// Idle: [`Process::receive`](super::Process::receive) a request.
    Recv,
    /// Answers the request; the task has ended.
    Send(Value, Site),
    /// Ends without an answer.
    End,
    /// The section has ended, and the task has not: other tasks may run. [`Process::suspend`](super::Process::suspend), or
    /// [`Process::proceed`](super::Process::proceed) if none does.
    Yield,
    /// Says what the answer will be that the task gives in this section. [`Process::proceed`](super::Process::proceed).
    Announce(Value, Site),
    /// Sends a message to a client beside its answers. [`Process::emit`](super::Process::emit), if the client is still there, and
    /// [`Process::proceed`](super::Process::proceed).
    Emit {
        /// The client.
        to: Value,
        /// The message.
        message: Value,
        /// The node.
        site: Site,
    },
    /// Ends a connection. [`Process::close`](super::Process::close), and [`Process::proceed`](super::Process::proceed).
    Close {
        /// Its client.
        client: Value,
        /// The node.
        site: Site,
    },
    /// The section has ended with calls of peers: other tasks may run before these answer.
    /// [`Process::suspend_calling`](super::Process::suspend_calling), or [`Process::resume`](super::Process::resume) with the answers,
    /// an option or a map, if they come at once.
    Call(PeerCalls),
    /// An internal choice; `guard` is the path condition it stands under. [`Process::resume`](super::Process::resume) with a value.
    Choose {
        /// The range of the choice.
        choice: Choice,
        /// The node.
        site: Site,
        /// Under which condition the choice is made; `None` is always.
        guard: Option<Term>,
    },
    /// A run in which this is false does not exist. [`Process::proceed`](super::Process::proceed).
    Assume(Truth, Site),
    /// The client's duty. [`Process::proceed`](super::Process::proceed).
    Expects(Truth, Site),
    /// The specification is wrong if the condition holds. [`Process::proceed`](super::Process::proceed) if it does not.
    Fault(Truth, Fault),
    /// A limit is reached if the condition holds. [`Process::proceed`](super::Process::proceed) if it does not.
    Cut(Truth, Limit),
    /// A statement's condition. [`Process::branch`](super::Process::branch).
    Branch {
        /// The condition.
        condition: Condition,
        /// The places at which the process goes on if the condition holds, and if not; `None` if both are the same place.
        sides: Option<(Pc, Pc)>,
        /// The node.
        site: Site,
    },
    /// An expression's condition, and the path that it stands on. [`Process::guard`](super::Process::guard).
    Guard {
        /// The condition.
        condition: Term,
        /// The condition of the arm around it; `None` is always.
        path: Option<Term>,
    },
    /// A part of an unknown value is needed. [`Process::look`](super::Process::look).
    Look {
        /// Which.
        look: Look,
        /// The node.
        site: Site,
    },
    /// A lookup of a variable under a key that is not known. [`Process::look_up_at_once`](super::Process::look_up_at_once), or
    /// [`Process::look_up_later`](super::Process::look_up_later).
    Lookup(Lookup, Site),
    /// One of n ways. [`Process::select`](super::Process::select).
    Or {
        /// The number of ways.
        ways: usize,
        /// The node.
        site: Site,
    },
}

/// A request to a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerCall {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The key that says which of the peers of that name.
    pub key: Value,
    /// The request.
    pub request: Value,
    /// The node.
    pub site: Site,
}

/// Requests to peers that leave together.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerCalls {
    /// The requests, to peers of different keys.
    pub calls: Vec<PeerCall>,
    /// The number of answers that are waited for.
    pub wanted: usize,
    /// The value of the call if nobody answers: that there is no answer, or a map without any.
    pub unanswered: Value,
}

/// The part that an [`Event::Look`] wants to be made.
#[derive(Clone, PartialEq, Debug)]
pub enum Look {
    /// A value of a recursive type, one constructor deep.
    Node(TypeId),
    /// The first element of a list of this type that is not empty, and the stretch after it; the length is that of both.
    Item(TypeId, Term),
    /// An entry of a map of this type: its presence, its value, and whether there are others besides.
    Entry(TypeId),
    /// The condition that a map has other keys.
    Others,
}
