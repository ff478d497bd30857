//! Changes of a specification's text, and the state of the walk that finds and notes them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Span;
use crate::spec::Spec;
use crate::spec::check::Checked;
use crate::syntax::ast::{Expr, NodeId};
use crate::syntax::{AnyNode, on_one_line};

/// The longest text, in characters, that is told whole.
const SHOWN: usize = 72;

/// A change of a text.
pub(super) struct TextChange {
    /// The place that is changed.
    pub span: Span,
    /// The text that stands there then.
    pub with: String,
    /// The change in words.
    pub words: String,
}

/// The effect of a change on how often a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strength {
    /// It holds more often.
    Weaker,
    /// It holds less often.
    Stronger,
    /// Neither is sure.
    Other,
}

impl Strength {
    /// The effect on the contrary.
    pub fn reversed(self) -> Strength {
        match self {
            Strength::Weaker => Strength::Stronger,
            Strength::Stronger => Strength::Weaker,
            Strength::Other => Strength::Other,
        }
    }
}

/// The changes that are left out at a place, as they only take choices away.
pub(super) type LeftOut = Option<Strength>;

/// A place, as a key.
type ChangePlace = (u32, u32, u32);

pub(super) fn key(span: Span) -> ChangePlace {
    (span.file.0, span.start, span.end)
}

/// Collects changes.
pub(super) struct ChangeWalk<'t> {
    pub spec: &'t Spec,
    pub checked: &'t Checked<'t>,
    /// The statements that are not left out: after them a handler ends without an answer, or another alternative is the same without them.
    pub kept: FxHashSet<NodeId>,
    pub left_out: LeftOut,
    /// The operand of the last `!`.
    pub negated: Option<NodeId>,
    /// The texts that change nothing at a place: of another alternative, or of what the value is assigned to.
    pub idle: FxHashMap<ChangePlace, Vec<String>>,
    /// The effect of a larger number on the comparison that it stands in.
    pub larger: FxHashMap<ChangePlace, Strength>,
    /// The procs that may leave everything as it is.
    pub idle_procs: FxHashSet<&'t str>,
    pub found: Vec<TextChange>,
}
impl<'t> ChangeWalk<'t> {
    /// Tells a change of an expression, unless it only takes choices away, or changes nothing. Whether it is told.
    pub fn replace(&mut self, expr: &Expr, with: String, strength: Strength) -> bool {
        let is_idle = self.idle.get(&key(expr.span)).is_some_and(|idle| idle.contains(&with));
        let is_told = !is_idle && self.left_out.is_none_or(|left_out| left_out != strength);
        if is_told {
            let was = self.expr(expr);
            self.found.push(replaced(expr.span, &was, with));
        }
        is_told
    }

    /// Tells that a part becomes another one.
    pub fn replace_part(&mut self, span: Span, was: &str, with: String) {
        self.found.push(replaced(span, was, with));
    }

    /// Tells that a part is left out.
    pub fn delete(&mut self, node: AnyNode<'_>) {
        let was = self.written(node);
        self.found.push(TextChange {
            span: node.span(),
            with: String::new(),
            words: format!("delete `{}`", shortened(&was)),
        });
    }

    /// Tests whether an expression stands after a `!`, which has the contrary.
    pub fn is_negated(&self, expr: &Expr) -> bool {
        self.negated == Some(expr.id)
    }

    /// Notes that this text changes nothing in the place of an expression.
    pub fn add_idle(&mut self, expr: &Expr, text: String) {
        self.idle.entry(key(expr.span)).or_default().push(text);
    }

    /// Notes the effect that a larger number in the place of an expression has on a condition.
    pub fn add_larger(&mut self, expr: &Expr, strength: Strength) {
        self.larger.insert(key(expr.span), strength);
    }

    /// The effect that a larger number in the place of an expression has on a condition.
    pub fn larger(&self, expr: &Expr) -> Strength {
        self.larger.get(&key(expr.span)).copied().unwrap_or(Strength::Other)
    }

    /// Tests whether a proc may leave everything as it is.
    pub fn may_be_idle(&self, proc: &str) -> bool {
        self.idle_procs.contains(proc)
    }

    /// A part as the formatter prints it, on one line.
    pub fn written(&self, node: AnyNode<'_>) -> String {
        on_one_line(node, self.spec.sources.text(node.span().file))
    }

    /// An expression as the formatter prints it, on one line.
    pub fn expr(&self, expr: &Expr) -> String {
        self.written(AnyNode::Expr(expr))
    }

    /// The text at a place, on one line.
    pub fn source(&self, span: Span) -> String {
        let text = self.spec.sources.text(span.file);
        let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn replaced(span: Span, was: &str, with: String) -> TextChange {
    let long = was.chars().count().max(with.chars().count()) > SHOWN;
    let from = if long { differs_from(was, &with) } else { 0 };
    let dots = if from > 0 { "… " } else { "" };
    let words = format!("replace `{dots}{}` with `{dots}{}`", shortened(&was[from..]), shortened(&with[from..]));
    TextChange { span, words, with }
}

/// The beginning of the word before the one in which two texts differ first.
fn differs_from(one: &str, other: &str) -> usize {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map_or(0, |((at, _), _)| at);
    let words = one[..same].match_indices(' ').map(|(at, _)| at + 1);
    words.rev().nth(1).unwrap_or(0)
}

/// A text, its end left out if it is long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
