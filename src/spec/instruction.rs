//! The instructions of the compiled form.
//!
//! Statements fork ([`Op::Branch`], [`Op::Select`]); expressions join: `if c { a } else { b }` is a [`Op::Split`], the first
//! arm, a [`Op::Swap`], the second arm, and a [`Op::Join`].

use std::sync::Arc;

use super::code::{Binary, Domain, FaultKind, Operand, Pc, Register, Unary};
use super::footprint::Touch;
use super::types::TypeId;

/// An instruction; the form that each one shows says what it does with its fields.
#[derive(Clone, Debug)]
pub enum Op {
    /// `dst := src`
    Copy {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
    },
    /// `slot := src`
    Store {
        /// The variable.
        slot: u32,
        /// What is read.
        src: Operand,
    },
    /// `dst := op a`
    Unary {
        /// Where the result goes.
        dst: Register,
        /// Which.
        op: Unary,
        /// The operand.
        a: Operand,
    },
    /// `dst := a op b`
    Binary {
        /// Where the result goes.
        dst: Register,
        /// Which.
        op: Binary,
        /// The left operand.
        a: Operand,
        /// The right operand.
        b: Operand,
    },
    /// `dst := map[key]` and `there := map has key`; no value where there is none
    Find {
        /// Where the value goes.
        dst: Register,
        /// Where the condition goes on which it is there.
        there: Register,
        /// What is read.
        map: Operand,
        /// The key.
        key: Operand,
    },
    /// `slot[key] := value`, in place
    Put {
        /// The variable.
        slot: u32,
        /// The key, or the element of a set.
        key: Operand,
        /// The new value.
        value: Operand,
    },
    /// `slot := slot.remove(key)`, in place
    Delete {
        /// The variable.
        slot: u32,
        /// The key, or the element of a set.
        key: Operand,
    },
    /// `dst := if kept { slot } else { slot.remove(key) }`; where no arm is open that is done in the variable itself
    Retain {
        /// Where the result goes.
        dst: Register,
        /// The variable.
        slot: u32,
        /// The key, or the element of a set.
        key: Operand,
        /// On which condition an entry stays.
        kept: Operand,
        /// Where to go on behind what would put the result into the variable.
        stored: Pc,
    },
    /// `slot := slot + src`, in place, and the next instruction is left out; or, where that cannot be, `dst := slot + src`
    Append {
        /// Where the result goes; the next instruction puts it into the variable.
        dst: Register,
        /// The variable.
        slot: u32,
        /// What is appended.
        src: Operand,
    },
    /// The same for a list of one element: `slot := slot + [element]`.
    AppendOne {
        /// Where the result goes; the next instruction puts it into the variable.
        dst: Register,
        /// The variable.
        slot: u32,
        /// What is appended.
        element: Operand,
    },
    /// `slot := slot without its first elements`, in place
    Behead {
        /// The variable.
        slot: u32,
        /// How many elements are left out.
        from: u32,
    },
    /// `dst := map with key := value` (a set where the value is the unit)
    Insert {
        /// Where the result goes.
        dst: Register,
        /// The map or set.
        map: Operand,
        /// The key, or the element of a set.
        key: Operand,
        /// The new value.
        value: Operand,
    },
    /// `dst := list with element at := value`; a fault where there is none
    Replace {
        /// Where the result goes.
        dst: Register,
        /// The list.
        list: Operand,
        /// The position.
        at: Operand,
        /// The new element.
        value: Operand,
    },
    /// `dst := collection[at]`; a fault where there is none
    Index {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The position, or the key.
        at: Operand,
    },
    /// `dst := src[from..to]`; a fault where out of range
    Slice {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The first position.
        from: Operand,
        /// The position behind the last one.
        to: Operand,
    },
    /// A struct, tuple, option or variant
    Make {
        /// Where the result goes.
        dst: Register,
        /// The variant; 0 for structs and tuples.
        tag: u32,
        /// The fields, in order.
        fields: Box<[Operand]>,
    },
    /// Goes on where the table of variants says; behind itself, where it is not known which one it is
    ByVariant {
        /// What is read.
        src: Operand,
        /// Where each variant goes on.
        targets: Arc<[Pc]>,
        /// Where the other ones go on.
        none: Pc,
    },
    /// A list
    MakeList {
        /// Where the result goes.
        dst: Register,
        /// The elements, in order.
        elements: Box<[Operand]>,
    },
    /// `dst := (src is the variant tag)`
    IsVariant {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The variant; 0 for structs and tuples.
        tag: u32,
    },
    /// `dst :=` field `index` of the variant `tag`
    Field {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The variant; 0 for structs and tuples.
        tag: u32,
        /// Which field.
        index: u32,
    },
    /// `dst := { src with index: value }`
    With {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// Which fields, with their new values.
        fields: Box<[(u32, Operand)]>,
    },
    /// `dst := (src is a list of at least/exactly that length)`
    HasLength {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The length.
        length: u32,
        /// Whether a longer list does not count.
        exact: bool,
    },
    /// Element `at` of a list, from the front; absent where there is none
    Nth {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The position.
        at: u32,
    },
    /// The list without its first `from` elements
    Tail {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// How many elements are left out.
        from: u32,
    },
    /// The elements of a collection (or of the range `a..b`) as an iteration: `dst` becomes its cursor
    Iterate {
        /// Where the iteration goes.
        dst: Register,
        /// The collection.
        over: Operand,
    },
    /// The elements of a set as an iteration that depends on their order, as it ends at one of them, before another that may
    /// be a fault. Where the order is not known the iteration goes over all of them, and what may be a fault in it is beyond a
    /// limit
    IterateInOrder {
        /// Where the iteration goes.
        dst: Register,
        /// The set.
        over: Operand,
        /// Where it goes whether the elements come in their order.
        ordered: Register,
    },
    /// `a..b` as an iteration
    IterateRange {
        /// Where the iteration goes.
        dst: Register,
        /// The first integer.
        from: Operand,
        /// The integer behind the last one.
        to: Operand,
    },
    /// The next element and its presence; jumps where there is none
    Next {
        /// The iteration; advanced.
        cursor: Register,
        /// Where the element goes.
        element: Register,
        /// Where the condition goes on which it is there.
        presence: Register,
        /// Where to go on without a next element.
        done: Pc,
    },
    /// `a..b` as a list
    RangeList {
        /// Where the result goes.
        dst: Register,
        /// The first integer.
        from: Operand,
        /// The integer behind the last one.
        to: Operand,
    },
    /// Adds an element to the list in `dst` where `when` holds
    Push {
        /// The list.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The condition on which it is there.
        when: Operand,
    },
    /// Adds an entry to the map or set in `dst` where `when` holds
    Gather {
        /// The map or set.
        dst: Register,
        /// The key, or the element of a set.
        key: Operand,
        /// The value; the unit for a set.
        value: Operand,
        /// The condition on which it is there.
        when: Operand,
    },
    /// Goes on at `to`
    Jump {
        /// Where to go on.
        to: Pc,
    },
    /// Jumps where the condition is *known* to be false (a short cut, never a fork)
    Unless {
        /// The condition.
        cond: Operand,
        /// Where to go on if it is false.
        to: Pc,
    },
    /// Goes on where the condition holds, else at `otherwise`: a fork where it is open
    Branch {
        /// The condition.
        cond: Operand,
        /// Where to go on if it does not hold.
        otherwise: Pc,
    },
    /// Goes on where `a op b` holds, an order, else at `otherwise`: a fork where it is open
    Compare {
        /// Which.
        op: Binary,
        /// The left operand.
        a: Operand,
        /// The right operand.
        b: Operand,
        /// Where to go on if it does not hold.
        otherwise: Pc,
    },
    /// Opens the first arm of a joining conditional; the second one begins at `otherwise`
    Split {
        /// The condition.
        cond: Operand,
        /// Where the second arm begins.
        otherwise: Pc,
    },
    /// Ends the first arm with its value; `end` is behind the second one. `split` is the opening instruction.
    Swap {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// Where to go on behind the second arm.
        end: Pc,
        /// The opening instruction.
        split: Pc,
    },
    /// Ends the second arm with its value
    Join {
        /// Where the result goes.
        dst: Register,
        /// What is read.
        src: Operand,
        /// The opening instruction.
        split: Pc,
    },
    /// Calls a function, or a procedure
    Call {
        /// Where its value goes.
        dst: Register,
        /// Which function.
        function: u32,
        /// Its arguments.
        args: Box<[Operand]>,
    },
    /// Ends a function with its value
    Return {
        /// What is read.
        src: Operand,
    },
    /// An internal choice
    Choose {
        /// Where the result goes.
        dst: Register,
        /// What it ranges over.
        domain: Domain,
    },
    /// A picked element is one of the collection: what an unknown one has is found out so
    Within {
        /// The element.
        element: Operand,
        /// The collection.
        over: Operand,
    },
    /// One element of a collection of trees: a fork
    PickElement {
        /// Where the result goes.
        dst: Register,
        /// The collection.
        over: Operand,
        /// The type of its elements.
        ty: TypeId,
    },
    /// `either {..} or {..}`: a fork
    Select {
        /// Where each way begins.
        targets: Arc<[Pc]>,
    },
    /// `dst := a <= b` or `dst := a < b`, which is assumed
    Require {
        /// Where the condition goes; it is true behind the instruction, where no arm is open.
        dst: Register,
        /// Which order: [`Binary::Le`] or [`Binary::Lt`].
        op: Binary,
        /// What comes first.
        a: Operand,
        /// What comes behind.
        b: Operand,
    },
    /// `assume`, and the conditions of `where`
    Assume {
        /// The condition.
        cond: Operand,
    },
    /// `expects`, and a request that no handler takes (the constant false)
    Expects {
        /// The condition.
        cond: Operand,
    },
    /// The specification is wrong here
    Fault {
        /// In which way.
        kind: FaultKind,
    },
    /// Answers the request and ends the handler
    Reply {
        /// What is read.
        src: Operand,
    },
    /// Ends the handler without an answer
    End,
    /// Ends a section of the handler: other tasks may run before the next one
    Yield,
    /// An instruction that touches variables of the specification's steps
    Watched {
        /// The instruction.
        op: Box<Op>,
        /// What it touches.
        touches: Box<[Touch]>,
    },
    /// A construct that is not executed; `load` refuses it unless it is never reached
    Unsupported,
}
