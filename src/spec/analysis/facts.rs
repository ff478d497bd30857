//! The facts about a program that analyses find and those who run it ask for.
//!
//! After `if q <= n { reply 0; } reply 1;` the shapes of the answers are 0 and 1, and after the condition 0 alone.

use crate::scalar::Scalar;
use crate::value::Value;

/// The shape of an answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReplyShape {
    /// A constructor.
    Tag(u32),
    /// A known scalar.
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

/// A set of shapes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReplyShapes {
    /// Every shape is possible.
    pub any: bool,
    /// The function may return to its caller, whose own shapes are then possible too.
    pub returns: bool,
    /// The possible shapes.
    pub set: Vec<ReplyShape>,
}

impl ReplyShapes {
    /// Tests whether an answer is possible by these shapes; `None` is no answer.
    #[must_use]
    pub fn admits(&self, answer: Option<&Value>) -> bool {
        self.any || self.set.iter().any(|shape| shape.fits(answer))
    }
}

/// The answers that show a choice, and the places in them where they do.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Provenance {
    /// Every answer is the choice itself.
    pub(crate) whole: bool,
    /// Each answer of the variant has it at the end of the path, whose first step is a field of the variant.
    pub(crate) fields: Vec<(u32, Vec<FieldStep>)>,
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
    /// Returns what was chosen, as this answer shows it; `None` if answers with its head do not.
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

/// Steps that touch common variables.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StepComponent {
    /// Their numbers.
    pub steps: Vec<usize>,
    /// The variables that they touch.
    pub slots: Vec<u32>,
    /// True if each run of each of the steps touches these variables at one key only.
    pub keyed: bool,
    /// True if the steps can never be faulty, so that nothing is missed if they are not run.
    pub faultless: bool,
}
