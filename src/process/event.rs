//! Events: the next thing that a process does, with the question to its handler.
//!
//! `n := choose 0..q; reply n;` is [`Event::Recv`], [`Event::Choose`] and [`Event::Send`].

use serde::{Deserialize, Serialize};

use crate::spec::code::{FaultKind, Pc};
use crate::spec::types::{BOOL, INT};
use crate::spec::{Site, TypeId};
use crate::term::{Condition, Term};
use crate::value::{Truth, Unknown, Value};

/// A place at which the specification is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The syntax node.
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
    /// The type of the chosen value.
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
    /// A section of more than [`SECTION_LIMIT`](crate::limits::SECTION_LIMIT) instructions.
    Section,
    /// Calls nested deeper than [`CALL_LIMIT`](crate::limits::CALL_LIMIT).
    Calls,
    /// An unknown text in more than [`PIECES_LIMIT`](crate::limits::PIECES_LIMIT) pieces.
    Pieces,
    /// A range of more than [`RANGE_LIMIT`](crate::limits::RANGE_LIMIT) integers whose length is not known.
    Range,
    /// An operation that no decision helps.
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
    /// More orders in which requests of several clients may have been served than were followed.
    Orders,
    /// More than [`STRETCH_LIMIT`](crate::limits::STRETCH_LIMIT) elements of a collection of unknown length.
    Stretch,
    /// More than [`NODE_LIMIT`](crate::limits::NODE_LIMIT) nodes of unknown recursive values, or
    /// [`GUARDED_NODE_LIMIT`](crate::limits::GUARDED_NODE_LIMIT) under conditions.
    Nodes,
    /// The time for the work was over ([`limits::end`](crate::limits::end)), or somebody has asked for its end.
    Ended,
}

/// The next thing that a process does. A condition that is known does not become an event.
#[derive(Clone, Debug)]
pub enum Event {
    /// Waits for a request; [`Process::receive`](super::Process::receive) hands it one.
    Recv,
    /// Answers the request; the task has ended.
    Send(Value, Site),
    /// Ends without an answer.
    End,
    /// The section has ended, and the task has not: other tasks may run. Answered by [`Process::suspend`](super::Process::suspend), or by
    /// [`Process::proceed`](super::Process::proceed) if no other task runs.
    Yield,
    /// Announces the answer that the task gives in this section. Answered by [`Process::proceed`](super::Process::proceed).
    Announce(Value, Site),
    /// Sends a message to a client beside its answers. Answered by [`Process::emit`](super::Process::emit), if the client is still
    /// connected, and [`Process::proceed`](super::Process::proceed).
    Emit {
        /// The client.
        to: Value,
        /// The message.
        message: Value,
        /// The syntax node.
        site: Site,
    },
    /// Ends a connection. Answered by [`Process::close`](super::Process::close) and [`Process::proceed`](super::Process::proceed).
    Close {
        /// The client of the connection.
        client: Value,
        /// The syntax node.
        site: Site,
    },
    /// The section has ended with calls of peers: other tasks may run before these answer. Answered by
    /// [`Process::suspend_calling`](super::Process::suspend_calling), or by [`Process::resume`](super::Process::resume) with the answers
    /// (an option or a map), if they come at once.
    Call(PeerCalls),
    /// An internal choice. Answered by [`Process::resume`](super::Process::resume) with a value.
    Choose {
        /// The range of the choice.
        choice: Choice,
        /// The syntax node.
        site: Site,
        /// The guard under which the choice is made; `None` if always.
        guard: Option<Term>,
    },
    /// An assumption: a run in which it is false does not exist. Answered by [`Process::proceed`](super::Process::proceed).
    Assume(Truth, Site),
    /// A duty of the client, an `expects`. Answered by [`Process::proceed`](super::Process::proceed).
    Expects(Truth, Site),
    /// The specification is faulty if the condition holds. Answered by [`Process::proceed`](super::Process::proceed) if it does not.
    Fault(Truth, Fault),
    /// A limit is exceeded if the condition holds. Answered by [`Process::proceed`](super::Process::proceed) if it does not.
    Cut(Truth, Limit),
    /// The condition of a statement. Answered by [`Process::branch`](super::Process::branch).
    Branch {
        /// The condition.
        condition: Condition,
        /// The places at which the process goes on if the condition holds, and if not; `None` if both are the same place.
        sides: Option<(Pc, Pc)>,
        /// The syntax node.
        site: Site,
    },
    /// The condition of an expression. Answered by [`Process::guard`](super::Process::guard).
    Guard {
        /// The condition.
        condition: Term,
        /// The condition of the enclosing arm; `None` if there is none.
        path: Option<Term>,
    },
    /// A part of an unknown value is needed. Answered by [`Process::look`](super::Process::look).
    Look {
        /// The part that is needed.
        look: Look,
        /// The syntax node.
        site: Site,
    },
    /// A selection of one of n ways. Answered by [`Process::select`](super::Process::select).
    Or {
        /// The number of ways.
        ways: usize,
        /// The syntax node.
        site: Site,
    },
}

/// A request to a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerCall {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The key of the peer among those with this name.
    pub key: Value,
    /// The request.
    pub request: Value,
    /// The syntax node.
    pub site: Site,
}

/// Requests to peers that are sent together.
#[derive(Clone, PartialEq, Debug)]
pub struct PeerCalls {
    /// The requests, to peers of different keys.
    pub calls: Vec<PeerCall>,
    /// The number of answers for which the task waits.
    pub wanted: usize,
    /// The value of the call if no peer answers: `None`, or an empty map.
    pub unanswered: Value,
}

/// A part of an unknown value that an [`Event::Look`] needs.
#[derive(Clone, PartialEq, Debug)]
pub enum Look {
    /// A value of a recursive type, one constructor deep.
    Node(Unknown),
    /// The first element of a stretch, and the stretch after it: the list, and the length of both, which is not 0.
    Item(Unknown, Term),
    /// An entry of a map: its presence, its value, and the condition that the map has further keys.
    Entry(Unknown),
    /// One more entry of a map: its key, its value, and the condition that the map has further keys.
    Another(Unknown),
    /// The condition that a map has other keys than those that were asked for.
    Others,
}
