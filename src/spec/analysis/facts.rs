//! The results of analyses, as the modules that run a program use them.
//!
//! For example `if q <= n { reply 0; } reply 1;` has the reply shapes 0 and 1, and the block of the `if` has 0 alone.

use crate::scalar::Scalar;
use crate::value::Value;

/// The shape of an answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReplyShape {
    /// An answer with this outermost constructor.
    Tag(u32),
    /// An answer that is this scalar.
    Scalar(Scalar),
    /// The handler ends without an answer.
    Nothing,
}

impl ReplyShape {
    /// Tests whether an answer may have this shape; `None` is no answer.
    fn fits(&self, answer: Option<&Value>) -> bool {
        match (self, answer) {
            (ReplyShape::Tag(own), Some(Value::Data { tag, .. })) => own == tag,
            (ReplyShape::Scalar(own), Some(Value::Scalar(scalar))) => own == scalar,
            (ReplyShape::Tag(_), Some(Value::Scalar(_))) | (ReplyShape::Scalar(_), Some(Value::Data { .. })) => false,
            (ReplyShape::Nothing, answer) => answer.is_none(),
            (ReplyShape::Tag(_) | ReplyShape::Scalar(_), answer) => answer.is_some(),
        }
    }
}

/// The shapes of the answers that may still be given from a position on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReplyShapes {
    /// Set if every shape is possible.
    pub any: bool,
    /// Set if the function may return to its caller, whose own shapes are then possible too.
    pub returns: bool,
    /// The possible shapes.
    pub set: Vec<ReplyShape>,
}

impl ReplyShapes {
    /// Tests whether one of these shapes admits an answer; `None` is no answer.
    #[must_use]
    pub fn admits(&self, answer: Option<&Value>) -> bool {
        self.any || self.set.iter().any(|shape| shape.fits(answer))
    }
}

/// The answers that show a choice, with the path to it in each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Provenance {
    /// Set if every answer is the choice itself.
    pub(crate) whole: bool,
    /// For each variant that shows the choice, the path to it; the first step is a field of the variant.
    pub(crate) fields: Vec<(u32, Vec<FieldStep>)>,
    /// Set if the choice may go anywhere but into an answer: the server may look into it, or keep it.
    pub(crate) is_used: bool,
}

/// A step into a value: to a field of a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldStep {
    /// The number of the variant.
    pub tag: u32,
    /// The number of the field.
    pub field: u32,
}

impl Provenance {
    /// Returns the choice that an answer shows; `None` if answers of its variant do not show it.
    #[must_use]
    pub fn within<'v>(&self, answer: &'v Value) -> Option<&'v Value> {
        if self.whole {
            return Some(answer);
        }
        let Value::Data { tag, .. } = answer else { return None };
        let (_, path) = self.fields.iter().find(|(own, _)| own == tag)?;
        path.iter().try_fold(answer, |value, FieldStep { tag: own, field }| match value {
            Value::Data { tag, .. } if tag == own => value.fields().get(*field as usize),
            _ => None,
        })
    }
}

/// A component of internal steps that depend on each other because they touch common variables.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StepComponent {
    /// The numbers of the steps.
    pub steps: Vec<usize>,
    /// The variables that the steps touch.
    pub slots: Vec<u32>,
    /// Set if each run of a step touches these variables at one key only.
    pub keyed: bool,
    /// Set if the steps can never be faulty, so that no fault is missed if they are not run.
    pub faultless: bool,
}
