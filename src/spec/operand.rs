//! The parts of instructions: operands, operations, the domains of choices, and the parts of the state that are touched.
//!
//! In `r2 := r0 + s1` the operands are a register and a variable of the state, and the operation is [`Binary::Add`].

use std::fmt;

use super::types::TypeId;
use crate::term::TextOp;
use crate::value::Arithmetic;

/// A position in a function's code.
pub type Pc = u32;
/// A register of the running function.
pub type Register = u32;

/// An operand that an instruction reads: a register, a constant or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register of the running function.
    Register(Register),
    /// A constant of the specification.
    Constant(u32),
    /// A variable of the server's state.
    Slot(u32),
}

impl Operand {
    /// The number of the register, if the operand is one.
    #[must_use]
    pub fn register(self) -> Option<Register> {
        match self {
            Operand::Register(register) => Some(register),
            Operand::Constant(_) | Operand::Slot(_) => None,
        }
    }
}

/// Writes it as `r0`, `c0` or `s0`.
impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(register) => write!(f, "r{register}"),
            Operand::Constant(constant) => write!(f, "c{constant}"),
            Operand::Slot(slot) => write!(f, "s{slot}"),
        }
    }
}

/// The reason why a path of the specification is faulty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// `m[k]` if `m` has no `k`.
    MissingKey,
    /// `l[i]` or a slice out of range.
    OutOfRange,
    /// No arm of a `match` fits, or a `let` pattern does not.
    NoArm,
    /// A map or set with unknown elements is counted, iterated, or compared or combined with another such one.
    Uncounted,
}

/// Writes the reason in the words that every command prints.
impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::MissingKey => "the specification looks up a key that may not be there",
            FaultKind::OutOfRange => "the specification reads beyond the end",
            FaultKind::Uncounted => {
                "the specification counts, iterates, compares or combines a map or set whose elements are not known"
            }
            FaultKind::NoArm => "the specification meets a value for which it has no pattern",
        })
    }
}

/// The domain that a `Choose` chooses from.
#[derive(Clone, PartialEq, Debug)]
pub enum ChoiceDomain {
    /// A value of a type.
    Type(TypeId),
    /// One of n alternatives: a boolean (true comes first) if n is two, else an integer from 0.
    Alternatives(u32),
    /// An integer from the first bound, below the second.
    Range(Operand, Operand),
    /// An element of a list or set, or a key of a map, with its type.
    Element(Operand, TypeId),
}

/// Binary operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `+`, by type
    Add,
    /// `- * / %` of integers
    Arithmetic(Arithmetic),
    /// `-` of sets
    Difference,
    /// `+` of maps
    Overlay,
    /// `&` of sets
    Intersection,
    /// `<=` of sets
    Subset,
    /// `l.starts_with(m)` of lists
    BeginsWith,
    /// `x in c`; also `c.contains(x)` of maps and sets, operands swapped
    In,
    /// `m.get(k)`
    Get,
    /// `m.remove(k)`, and the removal of an element
    Remove,
    /// `s.contains(t)` and its like
    Text(TextOp),
    /// `s.split(t)`
    Split,
    /// Both of two conditions without effects
    And,
    /// One of two conditions without effects
    Or,
    /// `len(a..b)`: `b - a`, or 0 if that is negative
    RangeLen,
}

impl Binary {
    /// Tests whether both operands are integers, texts or conditions, whatever the types in the specification.
    #[must_use]
    pub fn takes_scalars(self) -> bool {
        match self {
            Binary::Lt | Binary::Le | Binary::Arithmetic(_) | Binary::Text(_) | Binary::Split => true,
            Binary::And | Binary::Or | Binary::RangeLen => true,
            Binary::Eq | Binary::Ne | Binary::Add | Binary::Difference => false,
            Binary::Overlay | Binary::Intersection | Binary::Subset | Binary::BeginsWith => false,
            Binary::In | Binary::Get | Binary::Remove => false,
        }
    }
}

/// Unary operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `len`
    Len,
    /// `s.lower()`, `n.to_string()`
    Text(TextOp),
    /// `s.to_int()`
    ToInt,
    /// `m.keys()`
    Keys,
    /// `m.values()`, and the sorted list of a set
    Values,
    /// `m.to_list()`: the pairs of a map
    Entries,
    /// `s.to_list()`
    ToList,
}

/// A part of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The variable.
    pub slot: u32,
    /// The key or element; `None` is the variable as a whole.
    pub key: Option<Operand>,
}
