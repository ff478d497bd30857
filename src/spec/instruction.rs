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
        /// The register that gets the result.
        dst: Register,
        /// The operand that is copied.
        src: Operand,
    },
    /// `slot := src`
    Store {
        /// The variable.
        slot: u32,
        /// The operand that is stored.
        src: Operand,
    },
    /// `dst := op a`
    Unary {
        /// The register that gets the result.
        dst: Register,
        /// The operation.
        op: Unary,
        /// The operand.
        a: Operand,
    },
    /// `dst := a op b`
    Binary {
        /// The register that gets the result.
        dst: Register,
        /// The operation.
        op: Binary,
        /// The left operand.
        a: Operand,
        /// The right operand.
        b: Operand,
    },
    /// `dst := map[key]` and `there := map has key`; no value where there is none
    Find {
        /// The register that gets the value.
        dst: Register,
        /// The register that gets the condition on which the value is there.
        there: Register,
        /// The map that is read.
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
        /// The register that gets the result, if that is not done in place.
        dst: Register,
        /// The variable.
        slot: u32,
        /// The key, or the element of a set.
        key: Operand,
        /// The condition on which the entry stays.
        kept: Operand,
        /// The position at which to go on where the variable itself was changed: behind what would put the result into it.
        stored: Pc,
    },
    /// `slot := slot + src`, in place, and the next instruction is left out; or, where that cannot be, `dst := slot + src`
    Append {
        /// The register that gets the result, if that is not done in place; the next instruction puts it into the variable.
        dst: Register,
        /// The variable.
        slot: u32,
        /// The operand that is appended.
        src: Operand,
    },
    /// `slot := slot + [element]`, [`Op::Append`] for a list of one element: in place, and the next instruction is left out; or,
    /// where that cannot be, `dst := slot + [element]`
    AppendOne {
        /// The register that gets the result, if that is not done in place; the next instruction puts it into the variable.
        dst: Register,
        /// The variable.
        slot: u32,
        /// The element that is appended.
        element: Operand,
    },
    /// `slot := slot without its first elements`, in place
    Behead {
        /// The variable.
        slot: u32,
        /// The number of elements that are left out.
        from: u32,
    },
    /// `dst := map with key := value` (a set where the value is the unit)
    Insert {
        /// The register that gets the result.
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
        /// The register that gets the result.
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
        /// The register that gets the result.
        dst: Register,
        /// The list or map that is read.
        src: Operand,
        /// The position, or the key.
        at: Operand,
    },
    /// `dst := src[from..to]`; a fault where out of range
    Slice {
        /// The register that gets the result.
        dst: Register,
        /// The list or text that is read.
        src: Operand,
        /// The first position.
        from: Operand,
        /// The position behind the last one.
        to: Operand,
    },
    /// A struct, tuple, option or variant
    Make {
        /// The register that gets the result.
        dst: Register,
        /// The variant; 0 for structs and tuples.
        tag: u32,
        /// The fields, in order.
        fields: Box<[Operand]>,
    },
    /// Goes on where the table of variants says; behind itself, where it is not known which one it is
    ByVariant {
        /// The operand whose variant is tested.
        src: Operand,
        /// The positions at which the variants go on, by the number of the variant.
        targets: Arc<[Pc]>,
        /// The position at which the other variants go on.
        none: Pc,
    },
    /// A list
    MakeList {
        /// The register that gets the result.
        dst: Register,
        /// The elements, in order.
        elements: Box<[Operand]>,
    },
    /// `dst := (src is the variant tag)`
    IsVariant {
        /// The register that gets the result.
        dst: Register,
        /// The operand whose variant is tested.
        src: Operand,
        /// The variant; 0 for structs and tuples.
        tag: u32,
    },
    /// `dst :=` field `index` of the variant `tag`
    Field {
        /// The register that gets the result.
        dst: Register,
        /// The operand whose field is read.
        src: Operand,
        /// The variant; 0 for structs and tuples.
        tag: u32,
        /// The number of the field.
        index: u32,
    },
    /// `dst := { src with index: value }`
    With {
        /// The register that gets the result.
        dst: Register,
        /// The operand whose fields are replaced in the result.
        src: Operand,
        /// The numbers of the replaced fields, with their new values.
        fields: Box<[(u32, Operand)]>,
    },
    /// `dst := (src is a list of at least/exactly that length)`
    HasLength {
        /// The register that gets the result.
        dst: Register,
        /// The operand whose length is tested.
        src: Operand,
        /// The length.
        length: u32,
        /// True if the length must be exact: a longer list does not count.
        exact: bool,
    },
    /// Element `at` of a list, from the front; absent where there is none
    Nth {
        /// The register that gets the result.
        dst: Register,
        /// The list that is read.
        src: Operand,
        /// The position.
        at: u32,
    },
    /// The list without its first `from` elements
    Tail {
        /// The register that gets the result.
        dst: Register,
        /// The list that is read.
        src: Operand,
        /// The number of elements that are left out.
        from: u32,
    },
    /// The elements of a collection (or of the range `a..b`) as an iteration: `dst` becomes its cursor
    Iterate {
        /// The register that gets the iteration.
        dst: Register,
        /// The collection.
        over: Operand,
    },
    /// The elements of a set as an iteration that depends on their order, as it ends at one of them, before another that may
    /// be a fault. Where the order is not known the iteration goes over all of them, and what may be a fault in it is beyond a
    /// limit
    IterateInOrder {
        /// The register that gets the iteration.
        dst: Register,
        /// The set.
        over: Operand,
        /// The register that gets whether the elements come in their order.
        ordered: Register,
    },
    /// `a..b` as an iteration
    IterateRange {
        /// The register that gets the iteration.
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
        /// The register that gets the element.
        element: Register,
        /// The register that gets the condition on which the element is there.
        presence: Register,
        /// The position at which to go on without a next element.
        done: Pc,
    },
    /// `a..b` as a list
    RangeList {
        /// The register that gets the result.
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
        /// The element that is added.
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
        /// The position at which to go on.
        to: Pc,
    },
    /// Jumps where the condition is *known* to be false (a short cut, never a fork)
    Unless {
        /// The condition.
        cond: Operand,
        /// The position at which to go on if the condition is false.
        to: Pc,
    },
    /// Goes on where the condition holds, else at `otherwise`: a fork where it is open
    Branch {
        /// The condition.
        cond: Operand,
        /// The position at which to go on if the condition does not hold.
        otherwise: Pc,
    },
    /// Goes on where `a op b` holds, an order, else at `otherwise`: a fork where it is open
    Compare {
        /// The order by which the operands are compared.
        op: Binary,
        /// The left operand.
        a: Operand,
        /// The right operand.
        b: Operand,
        /// The position at which to go on if the order does not hold.
        otherwise: Pc,
    },
    /// Opens the first arm of a joining conditional; the second one begins at `otherwise`
    Split {
        /// The condition.
        cond: Operand,
        /// The position at which the second arm begins.
        otherwise: Pc,
    },
    /// Ends the first arm with its value; `end` is behind the second one. `split` is the opening instruction.
    Swap {
        /// The register that gets the result.
        dst: Register,
        /// The value of the first arm.
        src: Operand,
        /// The position at which to go on behind the second arm.
        end: Pc,
        /// The opening instruction.
        split: Pc,
    },
    /// Ends the second arm with its value
    Join {
        /// The register that gets the result.
        dst: Register,
        /// The value of the second arm.
        src: Operand,
        /// The opening instruction.
        split: Pc,
    },
    /// Calls a function, or a procedure
    Call {
        /// The register that gets the value of the call.
        dst: Register,
        /// The number of the function.
        function: u32,
        /// Its arguments.
        args: Box<[Operand]>,
    },
    /// Ends a function with its value
    Return {
        /// The value that the function gives.
        src: Operand,
    },
    /// An internal choice
    Choose {
        /// The register that gets the result.
        dst: Register,
        /// The domain that the choice ranges over.
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
        /// The register that gets the result.
        dst: Register,
        /// The collection.
        over: Operand,
        /// The type of its elements.
        ty: TypeId,
    },
    /// `either {..} or {..}`: a fork
    Select {
        /// The positions at which the ways begin.
        targets: Arc<[Pc]>,
    },
    /// `dst := a <= b` or `dst := a < b`, which is assumed
    Require {
        /// The register that gets the condition; it is true behind the instruction, where no arm is open.
        dst: Register,
        /// The order: [`Binary::Le`] or [`Binary::Lt`].
        op: Binary,
        /// The operand that comes first in the order.
        a: Operand,
        /// The operand that comes behind it in the order.
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
        /// The kind of the fault.
        kind: FaultKind,
    },
    /// Answers the request and ends the handler
    Reply {
        /// The operand that is the answer.
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
        /// The parts of the state that it touches, and the place of its own beside the state if its writes are traced.
        touches: Box<[Touch]>,
    },
    /// A construct that is not executed; `load` refuses it unless it is never reached
    Unsupported,
}
