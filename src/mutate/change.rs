//! Changes of a specification's text, and the state of the walk that collects them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Span;
use crate::spec::Spec;
use crate::spec::check::Checked;
use crate::syntax::ast::{Expr, NodeId};
use crate::syntax::{AnyNode, on_one_line};

/// The largest number of characters of a text that is shown in full in a change's description.
const SHOWN: usize = 72;

/// A change of the text at one place.
pub(super) struct TextChange {
    /// The place that is changed.
    pub span: Span,
    /// The text that replaces the text at this place.
    pub with: String,
    /// The change in words.
    pub words: String,
}

/// The effect of a change on the cases in which a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strength {
    /// It holds in more cases.
    Weaker,
    /// It holds in fewer cases.
    Stronger,
    /// Neither is certain.
    Other,
}

impl Strength {
    /// The effect on the negated condition.
    pub fn reversed(self) -> Strength {
        match self {
            Strength::Weaker => Strength::Stronger,
            Strength::Stronger => Strength::Weaker,
            Strength::Other => Strength::Other,
        }
    }
}

/// The changes to leave out at a place, since they only take choices away.
pub(super) type LeftOut = Option<Strength>;

/// A place as a key of a map.
type ChangePlace = (u32, u32, u32);

pub(super) fn key(span: Span) -> ChangePlace {
    (span.file.0, span.start, span.end)
}

/// The state of the walk that collects changes.
pub(super) struct ChangeWalk<'t> {
    pub spec: &'t Spec,
    pub checked: &'t Checked<'t>,
    /// The statements that must not be deleted: a handler would end without an answer, or the deletion would equal another alternative.
    pub kept: FxHashSet<NodeId>,
    pub left_out: LeftOut,
    /// The operand of the last `!` that was visited.
    pub negated: Option<NodeId>,
    /// The replacements that change nothing at a place: the texts of other alternatives, or of the variable that is assigned to.
    pub idle: FxHashMap<ChangePlace, Vec<String>>,
    /// The effect that a larger number at a place has on the comparison around it.
    pub larger: FxHashMap<ChangePlace, Strength>,
    /// The procs that may change nothing.
    pub idle_procs: FxHashSet<&'t str>,
    pub found: Vec<TextChange>,
}
impl<'t> ChangeWalk<'t> {
    /// Adds a replacement of an expression, unless it only takes choices away or changes nothing; returns whether it was added.
    pub fn replace(&mut self, expr: &Expr, with: String, strength: Strength) -> bool {
        let is_idle = self.idle.get(&key(expr.span)).is_some_and(|idle| idle.contains(&with));
        let is_told = !is_idle && self.left_out.is_none_or(|left_out| left_out != strength);
        if is_told {
            let was = self.expr(expr);
            self.found.push(replaced(expr.span, &was, with));
        }
        is_told
    }

    /// Adds the replacement of a part.
    pub fn replace_part(&mut self, span: Span, was: &str, with: String) {
        self.found.push(replaced(span, was, with));
    }

    /// Adds the deletion of a part.
    pub fn delete(&mut self, node: AnyNode<'_>) {
        let was = self.written(node);
        self.found.push(TextChange {
            span: node.span(),
            with: String::new(),
            words: format!("delete `{}`", shortened(&was)),
        });
    }

    /// Tests whether an expression is the operand of a `!`, whose removal negates it.
    pub fn is_negated(&self, expr: &Expr) -> bool {
        self.negated == Some(expr.id)
    }

    /// Notes that the replacement of an expression by this text changes nothing.
    pub fn add_idle(&mut self, expr: &Expr, text: String) {
        self.idle.entry(key(expr.span)).or_default().push(text);
    }

    /// Notes the effect that a larger number in place of an expression has on a condition.
    pub fn add_larger(&mut self, expr: &Expr, strength: Strength) {
        self.larger.insert(key(expr.span), strength);
    }

    /// The effect that a larger number in place of an expression has on a condition.
    pub fn larger(&self, expr: &Expr) -> Strength {
        self.larger.get(&key(expr.span)).copied().unwrap_or(Strength::Other)
    }

    /// Tests whether a proc may change nothing.
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

/// The position from which two texts are shown: two words before their first difference.
fn differs_from(one: &str, other: &str) -> usize {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map_or(0, |((at, _), _)| at);
    let words = one[..same].match_indices(' ').map(|(at, _)| at + 1);
    words.rev().nth(1).unwrap_or(0)
}

/// A text, cut if it is long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
