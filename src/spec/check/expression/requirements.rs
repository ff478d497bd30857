//! The operators, one row each, and the requirements of operations on their operands' types.
//!
//! In the row of `+` both operands and the sum have one type, and this type must be one that can be added.

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::report::{helped, mistake};
use crate::spec::types::{BOOL, INT, Type, TypeId, Types};
use crate::syntax::ast::BinaryOp;

/// A requirement of an operation on its operand's type; checked once the type is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// The operation as it is written.
    by: &'static str,
    verb: &'static str,
    fits: fn(&Types, TypeId) -> bool,
    expected: &'static str,
    help: Option<&'static str>,
}

/// The help for a collection that would have to be sorted, but cannot be.
const UNSORTED: &str = "these have no order: keep them in a list, too, or ask with `any`, `all` and `{… for x in s}`";

/// The requirement of `+`.
const ADDABLE: Need = Need {
    by: "+",
    verb: "add",
    fits: |types, ty| is_scalar(types, ty) || matches!(types.get(ty), Type::List(_) | Type::Set(_) | Type::Map(..)),
    expected: "expected `int`, `string`, `bytes`, a list, a set or a map",
    help: None,
};

/// The requirement of `-`.
const SUBTRACTABLE: Need = Need {
    by: "-",
    verb: "subtract",
    fits: |types, ty| matches!(types.get(ty), Type::Int | Type::Set(_)),
    expected: "expected `int` or a set",
    help: None,
};

/// The requirement of `&`.
const INTERSECTABLE: Need = Need {
    by: "&",
    verb: "intersect",
    fits: |types, ty| matches!(types.get(ty), Type::Set(_)),
    expected: "expected a set",
    help: Some("`&&` is the logical and"),
};

/// The requirement of `len`.
pub(crate) const MEASURABLE: Need = Need {
    by: "len",
    verb: "measure",
    fits: |types, ty| matches!(types.get(ty), Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Str | Type::Bytes),
    expected: "expected a list, set, map, `string` or `bytes`",
    help: None,
};

impl Need {
    /// The requirement of the comparison operator `by`.
    fn comparable(by: &'static str) -> Need {
        let fits = |types: &Types, ty| is_scalar(types, ty) || matches!(types.get(ty), Type::Set(_));
        Need { by, verb: "compare", fits, expected: "expected `int`, `string`, `bytes` or a set", help: None }
    }

    /// The requirement of the method `by`, which sorts.
    pub(crate) fn sortable(by: &'static str) -> Need {
        let expected = "expected a type without token, client, `json`, set or map inside";
        Need { by, verb: "sort", fits: Types::is_ordered, expected, help: Some(UNSORTED) }
    }

    /// The report that a type does not meet the requirement; none for a type with an error, which is reported already.
    pub(crate) fn unmet(self, types: &Types, ty: TypeId, span: Span) -> Option<Diagnostic> {
        let fits = types.find(ty, &mut |part| *part == Type::Error).is_some() || (self.fits)(types, ty);
        let message = || format!("`{}` cannot {} `{}`", self.by, self.verb, types.name(ty));
        (!fits).then(|| helped(mistake(span, message(), self.expected), self.help))
    }
}

fn is_scalar(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Int | Type::Str | Type::Bytes)
}

/// The types that an operator takes and yields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operands {
    /// Takes two operands of this type, and yields this type.
    Of(TypeId),
    /// Takes two operands of one type, which may have to meet a requirement, and yields `bool`.
    Compared(Option<Need>),
    /// Takes two operands of one type, and yields this type.
    Summed(Need),
    /// Takes an element and a collection, and yields `bool`.
    Member,
}

/// The types that an infix operator takes and yields.
pub(crate) fn operands(op: BinaryOp) -> Operands {
    match op {
        BinaryOp::Or | BinaryOp::And => Operands::Of(BOOL),
        BinaryOp::Eq | BinaryOp::Ne => Operands::Compared(None),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            Operands::Compared(Some(Need::comparable(op.sign())))
        }
        BinaryOp::In => Operands::Member,
        BinaryOp::Add => Operands::Summed(ADDABLE),
        BinaryOp::Sub => Operands::Summed(SUBTRACTABLE),
        BinaryOp::Intersect => Operands::Summed(INTERSECTABLE),
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Operands::Of(INT),
    }
}
