//! The instructions of the compiled form, with the facts about each: the operands that it reads and writes, and its successors.
//!
//! Statements fork ([`Op::Branch`], [`Op::Select`]); expressions join: `if c { a } else { b }` is a [`Op::Split`], the first
//! arm, a [`Op::Swap`], the second arm, and a [`Op::Join`]. The table gives each field its type, or its role:
//!
//! ```text
//! reads   an operand                        stores  a variable that is set
//! writes  a register                        alters  a variable that is changed where it is
//! updates a register that is changed        way     a position at which the code may go on, beside the next one
//! opening the position of the instruction that opens the conditional
//! ```
//!
//! An instruction is followed by its [`Property`], if it has one: `Return { src: reads } is Leaving` does not go on at the next one.

use std::fmt::{self, Debug};
use std::sync::Arc;

use smallvec::SmallVec;

use super::operand::{Binary, ChoiceDomain, FaultKind, Operand, Pc, Register, Touch, Unary};
use super::types::TypeId;

/// The type of a field of an instruction.
macro_rules! field {
    (reads) => { Operand };
    (reads_all) => { Box<[Operand]> };
    (reads_numbered) => { Box<[(u32, Operand)]> };
    (writes) => { Register };
    (updates) => { Register };
    (stores) => { u32 };
    (alters) => { u32 };
    (way) => { Pc };
    (ways) => { Arc<[Pc]> };
    (opening) => { Pc };
    (Instruction) => { Box<Op> };
    (Touches) => { Box<[Touch]> };
    ($ty:ident) => { $ty };
}

/// Visits a field of an instruction in its role; the methods in brackets iterate over its parts, by reference or mutably.
macro_rules! role {
    (reads, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Reads($field))
    };
    (reads_all, $field:ident, $visit:ident, [$iter:ident $($by:ident)*]) => {
        $field.$iter().for_each(|read| $visit(Role::Reads(read)))
    };
    (reads_numbered, $field:ident, $visit:ident, [$iter:ident $($by:ident)*]) => {
        $field.$iter().for_each(|(_, read)| $visit(Role::Reads(read)))
    };
    (writes, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Writes($field))
    };
    (updates, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Updates($field))
    };
    (stores, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Stores(*$field))
    };
    (alters, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Alters(*$field))
    };
    (way, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Way($field))
    };
    (ways, $field:ident, $visit:ident, [$iter:ident $part:ident $ways:ident $of:ident]) => {
        $ways($field).$iter().for_each(|way| $visit(Role::Way(way)))
    };
    (opening, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Opening($field))
    };
    (ChoiceDomain, $field:ident, $visit:ident, $by:tt) => {
        match $field {
            ChoiceDomain::Range(from, to) => [from, to].into_iter().for_each(|read| $visit(Role::Reads(read))),
            ChoiceDomain::Element(over, _) => $visit(Role::Reads(over)),
            ChoiceDomain::Type(_) | ChoiceDomain::Alternatives(_) => $visit(Role::Detail($field)),
        }
    };
    (Instruction, $field:ident, $visit:ident, [$iter:ident $part:ident $ways:ident $of:ident]) => {
        $field.$of($visit)
    };
    (Touches, $field:ident, $visit:ident, [$iter:ident $part:ident $($by:ident)*]) => {
        $field.$iter().filter_map(|touch| touch.key.$part()).for_each(|key| $visit(Role::Touches(key)))
    };
    ($ty:ident, $field:ident, $visit:ident, $by:tt) => {
        $visit(Role::Detail($field))
    };
}

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $role:ident),* })? $(is $property:ident)?,)*) => {
        /// An instruction; its documentation shows the effect of its fields.
        #[derive(Clone, Debug)]
        pub enum Op {
            $($(#[$doc])* $name $({ $(#[doc = concat!("The field `", stringify!($field), "` of the form.")] $field: field!($role)),* })?,)*
        }

        impl Op {
            /// Visits the fields in their order, each in its role.
            fn view<'o>(&'o self, visit: &mut impl FnMut(Role<'o, &'o Operand, &'o u32>)) {
                match self {
                    $(Op::$name $({ $($field),* })? => { $($(role!($role, $field, visit, [iter as_ref ways view]);)*)? })*
                }
            }

            /// Visits the fields in their order, each in its role, to change them.
            fn visit(&mut self, visit: &mut impl FnMut(Role<'_, &mut Operand, &mut u32>)) {
                match self {
                    $(Op::$name $({ $($field),* })? => { $($(role!($role, $field, visit, [iter_mut as_mut ways_mut visit]);)*)? })*
                }
            }

            /// The property of the instruction that sets it apart from most.
            fn property(&self) -> Option<Property> {
                match self {
                    $(Op::$name { .. } => { [$(Property::$property)?].first().copied() })*
                }
            }

            /// The name by which printed code shows it.
            fn name(&self) -> &'static str {
                match self {
                    $(Op::$name { .. } => stringify!($name),)*
                }
            }
        }
    };
}

fn ways(ways: &Arc<[Pc]>) -> &[Pc] {
    ways
}

fn ways_mut(ways: &mut Arc<[Pc]>) -> &mut [Pc] {
    Arc::make_mut(ways)
}

/// A property that few instructions have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Property {
    /// It may be faulty, or break the client's duty.
    Partial,
    /// It suspends a task, or does something that a client cannot see while it waits for its answer.
    Asynchronous,
    /// The code does not go on at the next instruction.
    Leaving,
}

/// A field of an instruction, by its role: an operand `O`, or the number `N` of a register or a position.
enum Role<'o, O, N> {
    /// An operand that is read.
    Reads(O),
    /// A key under which the state is touched, which is passed to the judge.
    Touches(O),
    /// A register that is written.
    Writes(N),
    /// A register whose content is changed.
    Updates(N),
    /// A variable that is set.
    Stores(u32),
    /// A variable that is changed in place.
    Alters(u32),
    /// A position at which the code may go on, besides the next one.
    Way(N),
    /// The position of the instruction that opens the conditional.
    Opening(N),
    /// Another field.
    Detail(&'o dyn Debug),
}

instructions! {
    /// `dst := src`
    Copy { dst: writes, src: reads },
    /// `slot := src`
    Store { slot: stores, src: reads },
    /// `dst := op a`
    Unary { dst: writes, op: Unary, a: reads },
    /// `dst := a op b`
    Binary { dst: writes, op: Binary, a: reads, b: reads },
    /// `dst := map[key]` and `there := map has key`; `dst` has no value if the key is absent
    Find { dst: writes, there: writes, map: reads, key: reads },
    /// `slot[key] := value`, in place
    Put { slot: alters, key: reads, value: reads },
    /// `slot[key] := value` if `when` holds, in place; an open condition does not fork
    PutIf { slot: alters, key: reads, value: reads, when: reads },
    /// `slot := slot.remove(key)`, in place
    Delete { slot: alters, key: reads },
    /// `dst := if kept { slot } else { slot.remove(key) }`; outside of conditional arms the variable is changed in place, and `stored` is
    /// next
    Retain { dst: writes, slot: alters, key: reads, kept: reads, stored: way },
    /// `slot := slot + src`, in place, and the next instruction is skipped; if in place is impossible, `dst := slot + src`
    Append { dst: writes, slot: alters, src: reads },
    /// `slot := slot + [element]`, in place, and the next instruction is skipped; if in place is impossible, `dst := slot + [element]`
    AppendOne { dst: writes, slot: alters, element: reads },
    /// `slot := slot[from..]`, in place
    DropFirst { slot: alters, from: u32 },
    /// `dst := map with key := value` (a set if the value is the unit)
    Insert { dst: writes, map: reads, key: reads, value: reads },
    /// `dst := list with element at := value`; a fault if there is no element at this position
    Replace { dst: writes, list: reads, at: reads, value: reads } is Partial,
    /// `dst := collection[at]`; a fault if nothing is there
    Index { dst: writes, src: reads, at: reads } is Partial,
    /// `dst := src[from..to]`; a fault if out of range
    Slice { dst: writes, src: reads, from: reads, to: reads } is Partial,
    /// A struct, tuple, option or variant
    Make { dst: writes, tag: u32, fields: reads_all },
    /// Jumps to the target of the variant of `src`; goes on at the next instruction if the variant is unknown
    ByVariant { src: reads, targets: ways, none: way },
    /// A list
    MakeList { dst: writes, elements: reads_all },
    /// `dst := (src is the variant tag)`
    IsVariant { dst: writes, src: reads, tag: u32 },
    /// `dst :=` field `index` of the variant `tag`
    Field { dst: writes, src: reads, tag: u32, index: u32 },
    /// `dst := { src with index: value }`
    With { dst: writes, src: reads, fields: reads_numbered },
    /// `dst := (src is a list of at least/exactly that length)`
    HasLength { dst: writes, src: reads, length: u32, exact: bool },
    /// Element `at` of a list, from the front; absent if there is none
    Nth { dst: writes, src: reads, at: u32 },
    /// Element `at` of a list, from the back; absent if there is none
    NthLast { dst: writes, src: reads, at: u32 },
    /// The list without its first `from` elements
    Tail { dst: writes, src: reads, from: u32 },
    /// The list without its last `count` elements; absent if it has fewer
    Init { dst: writes, src: reads, count: u32 },
    /// Starts an iteration over the elements of a collection (or of the range `a..b`): `dst` becomes its cursor
    Iterate { dst: writes, over: reads },
    /// Starts an iteration over a set whose result depends on the order of the elements: it ends at one of them, and a later element may be
    /// a fault. If the order is unknown, the iteration visits all elements, and a possible fault in it exceeds a limit
    IterateInOrder { dst: writes, over: reads, ordered: writes },
    /// Starts an iteration over `a..b`
    IterateRange { dst: writes, from: reads, to: reads },
    /// The next element and its presence; jumps to `done` after the last one
    Next { cursor: updates, element: writes, presence: writes, done: way },
    /// `a..b` as a list
    RangeList { dst: writes, from: reads, to: reads },
    /// Adds an element to the list in `dst` if `when` holds
    Push { dst: updates, src: reads, when: reads },
    /// Adds an entry to the map or set in `dst` if `when` holds. If `from` is a map or set, all keys are members of it
    Gather { dst: updates, key: reads, value: reads, when: reads, from: reads },
    /// Goes on at `to`
    Jump { to: way } is Leaving,
    /// Jumps if the condition is *known* to be false (a short cut, never a fork)
    Unless { cond: reads, to: way },
    /// Goes on if the condition holds, else jumps to `otherwise`: a fork if the condition is open
    Branch { cond: reads, otherwise: way },
    /// Goes on if the comparison `a op b` holds, else jumps to `otherwise`: a fork if it is open
    Compare { op: Binary, a: reads, b: reads, otherwise: way },
    /// Opens the first arm of a joining conditional; the second one begins at `otherwise`
    Split { cond: reads, otherwise: way },
    /// Ends the first arm with its value; `end` is the position after the second arm, `split` the opening instruction.
    Swap { dst: writes, src: reads, end: way, split: opening },
    /// Ends the second arm with its value
    Join { dst: writes, src: reads, split: opening },
    /// Calls a function, or a procedure
    Call { dst: writes, function: u32, args: reads_all },
    /// Ends a function with its value
    Return { src: reads } is Leaving,
    /// An internal choice
    Choose { dst: writes, domain: ChoiceDomain },
    /// Assumes that a picked element is in the collection, which an unknown collection does not show by itself
    Within { element: reads, over: reads },
    /// One element of a collection of trees: a fork
    PickElement { dst: writes, over: reads, ty: TypeId },
    /// `either {..} or {..}`: a fork
    Select { targets: ways } is Leaving,
    /// `dst := a <= b` or `dst := a < b`, and assumes that it holds
    Require { dst: writes, op: Binary, a: reads, b: reads },
    /// `assume`, and the conditions of `where`
    Assume { cond: reads },
    /// `expects`, and a request that no handler takes (the constant false)
    Expects { cond: reads } is Partial,
    /// Reaches a fault of the specification
    Fault { kind: FaultKind } is Partial,
    /// Announces the answer, which is certain if all that precedes it ends at once: a judge can already compare it here
    Announce { src: reads },
    /// Answers the request and ends the handler
    Reply { src: reads } is Leaving,
    /// Ends the handler without an answer
    End is Leaving,
    /// Ends a section of the handler: other tasks may run before the next one
    Yield is Asynchronous,
    /// Sends a message to a client, requested or not
    SendTo { client: reads, src: reads } is Asynchronous,
    /// Ends the connection of a client
    Close { client: reads } is Asynchronous,
    /// Calls a peer and ends the section: `dst` is an option, the peer's answer if there is one
    CallPeer { dst: writes, peer: u32, key: reads, request: reads } is Asynchronous,
    /// Calls the peers of the keys of a map, each with the value as its request, and ends the section: `dst` is a map of their answers. It
    /// waits for `least` of the answers; for all if `least` is absent
    CallPeers { dst: writes, peer: u32, requests: reads, least: reads } is Asynchronous,
    /// An instruction that touches variables which the specification's steps use
    Watched { op: Instruction, touches: Touches },
}

/// A short list of fields of an instruction.
pub type Few<T> = SmallVec<[T; 4]>;

impl Op {
    /// The instruction without its [`Op::Watched`].
    #[must_use]
    pub fn plain(&self) -> &Op {
        match self {
            Op::Watched { op, .. } => op,
            op => op,
        }
    }

    fn fields<T>(&self, pick: impl Fn(Role<'_, &Operand, &u32>) -> Option<T>) -> Few<T> {
        let mut found = Few::new();
        self.view(&mut |role| {
            if let Some(field) = pick(role) {
                found.push(field);
            }
        });
        found
    }

    /// The operands that it reads, and the registers and variables that it changes in place.
    #[must_use]
    pub fn operands(&self) -> Few<Operand> {
        self.fields(|role| match role {
            Role::Reads(operand) => Some(*operand),
            Role::Updates(register) => Some(Operand::Register(*register)),
            Role::Alters(slot) => Some(Operand::Slot(slot)),
            _ => None,
        })
    }

    /// The registers that it reads, that of the key under which it touches the state included, as the key is passed to the judge.
    pub(super) fn uses(&self) -> Few<Register> {
        self.fields(|role| match role {
            Role::Reads(operand) | Role::Touches(operand) => operand.register(),
            Role::Updates(register) => Some(*register),
            _ => None,
        })
    }

    /// The registers that it writes.
    pub(super) fn defs(&self) -> Few<Register> {
        self.fields(|role| match role {
            Role::Writes(register) | Role::Updates(register) => Some(*register),
            _ => None,
        })
    }

    /// The register that holds its result.
    #[must_use]
    pub fn result(&self) -> Option<Register> {
        (!matches!(self.plain(), Op::Next { .. })).then(|| self.defs().first().copied()).flatten()
    }

    /// Tests whether it suspends a task, or does something that a client cannot see while it waits for its answer.
    #[must_use]
    pub fn is_asynchronous(&self) -> bool {
        self.plain().property() == Some(Property::Asynchronous)
    }

    /// Tests whether it may be faulty, or break the client's duty.
    pub(super) fn may_fault(&self) -> bool {
        self.plain().property() == Some(Property::Partial)
    }

    /// Tests whether it reads or writes a register.
    pub(super) fn names(&self, register: Register) -> bool {
        self.uses().contains(&register) || self.defs().contains(&register)
    }

    /// The variable that it writes to, and the key if it writes to one entry of a map or set only.
    pub(super) fn stores(&self) -> Option<(u32, Option<Operand>)> {
        match self.plain() {
            Op::Put { slot, key, .. }
            | Op::PutIf { slot, key, .. }
            | Op::Delete { slot, key }
            | Op::Retain { slot, key, .. } => Some((*slot, Some(*key))),
            op => {
                let variables = op.fields(|role| match role {
                    Role::Stores(slot) | Role::Alters(slot) => Some((slot, None)),
                    _ => None,
                });
                variables.first().copied()
            }
        }
    }

    /// The positions where the code may go on, except the next one.
    pub(super) fn ways(&self) -> Few<Pc> {
        self.fields(|role| match role {
            Role::Way(to) => Some(*to),
            _ => None,
        })
    }

    /// The positions that its fields hold: where the code may go on, and the opening instruction of its conditional.
    pub(super) fn targets(&self) -> Few<Pc> {
        self.fields(|role| match role {
            Role::Way(to) | Role::Opening(to) => Some(*to),
            _ => None,
        })
    }

    /// The positions where the code may go on; the next one comes first.
    pub(crate) fn successors(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let leaves = self.plain().property() == Some(Property::Leaving);
        (!leaves).then_some(at + 1).into_iter().chain(self.ways().into_iter().map(|to| to as usize))
    }

    /// Replaces the operands that it reads.
    pub(super) fn substitute(&mut self, new: &mut dyn FnMut(Operand) -> Operand) {
        self.visit(&mut |role| {
            if let Role::Reads(operand) | Role::Touches(operand) = role {
                *operand = new(*operand);
            }
        });
    }

    /// Replaces its registers.
    pub(super) fn rename(&mut self, new: &mut dyn FnMut(Register) -> Register) {
        self.visit(&mut |role| match role {
            Role::Reads(Operand::Register(register)) | Role::Touches(Operand::Register(register)) => {
                *register = new(*register);
            }
            Role::Writes(register) | Role::Updates(register) => *register = new(*register),
            _ => {}
        });
    }

    /// Replaces the positions where it may go on, and that of the opening instruction of its conditional.
    pub(super) fn retarget(&mut self, way: &mut dyn FnMut(Pc) -> Pc, opening: &mut dyn FnMut(Pc) -> Pc) {
        self.visit(&mut |role| match role {
            Role::Way(to) => *to = way(*to),
            Role::Opening(split) => *split = opening(*split),
            _ => {}
        });
    }
}

/// Writes the instruction as `r2 := Binary Add r0 s1` or `Unless r2 -> 5`.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut written, mut rest, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        self.plain().view(&mut |role| match role {
            Role::Reads(operand) | Role::Touches(operand) => rest.push(operand.to_string()),
            Role::Writes(register) | Role::Updates(register) => written.push(format!("r{register}")),
            Role::Stores(slot) | Role::Alters(slot) => written.push(format!("s{slot}")),
            Role::Way(to) => ways.push(to.to_string()),
            Role::Opening(_) => {}
            Role::Detail(detail) => rest.push(format!("{detail:?}")),
        });
        let result = if written.is_empty() { String::new() } else { format!("{} := ", written.join(", ")) };
        let to = if ways.is_empty() { Vec::new() } else { vec!["->".to_owned(), ways.join(", ")] };
        let words = [vec![self.plain().name().to_owned()], rest, to].concat();
        write!(f, "{result}{}", words.join(" "))
    }
}
