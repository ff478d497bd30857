//! Parsing of YAML into trees with places, from the events of `granit_parser`.
//!
//! For example `a: [1]` is an object whose member `a` is a list. An alias is replaced by the node with its anchor, and `<<` merges members.

use std::rc::Rc;

use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, FileId, Span};

use super::tree::{Described, MAX_LEVELS, ScalarText, Tree, TreeKind, TreeMember, object_of};

/// The largest number of nodes of a text after its aliases are replaced, so that nested aliases cannot exhaust the memory.
const MAX_NODES: u64 = 20_000_000;

/// Parses the first document of a YAML text into a tree.
///
/// # Errors
/// The text is not YAML.
pub fn tree_of_yaml(text: &str, file: FileId) -> Described<Rc<Tree>> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let mut trees = YamlTrees {
        text,
        file,
        lines: std::iter::once(0).chain(ends).collect(),
        open: Vec::new(),
        anchors: FxHashMap::default(),
        root: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = trees.offset(*error.marker());
            Box::new(Diagnostic::error(trees.span(at, at + 1), "this is no YAML").label(error.info()))
        })?;
        if matches!(event, Event::DocumentEnd) && trees.root.is_some() {
            break;
        }
        trees.take(event, span.start, span.end)?;
    }
    let nothing = Span { file, ..Span::default() };
    let root = trees.root.take().map(|(tree, _)| tree);
    root.ok_or_else(|| Box::new(Diagnostic::error(nothing, "this file is empty").label("expected a description")))
}

/// A node, and the number of nodes in it.
type CountedTree = (Rc<Tree>, u64);

/// A list or an object that is not complete yet.
struct OpenTree {
    span: Span,
    anchor: usize,
    count: u64,
    parts: OpenParts,
}

enum OpenParts {
    List(Vec<Rc<Tree>>),
    /// The members so far, and the key whose value comes next.
    Object(Vec<TreeMember>, Option<(String, Span)>),
}

struct YamlTrees<'t> {
    text: &'t str,
    file: FileId,
    /// The offset at which each line begins.
    lines: Vec<usize>,
    open: Vec<OpenTree>,
    anchors: FxHashMap<usize, CountedTree>,
    root: Option<CountedTree>,
}

impl YamlTrees<'_> {
    /// The offset of a marker, in bytes.
    fn offset(&self, mark: Marker) -> usize {
        let start = self.lines.get(mark.line().saturating_sub(1)).copied().unwrap_or(self.text.len());
        let line = &self.text[start..];
        start + line.char_indices().nth(mark.col()).map_or(line.len(), |(at, _)| at)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end.max(start) as u32 }
    }

    fn error<T>(span: Span, message: String, expected: &str) -> Described<T> {
        Err(Box::new(Diagnostic::error(span, message).label(expected)))
    }

    fn take(&mut self, event: Event<'_>, start: Marker, end: Marker) -> Described<()> {
        let at = self.offset(start);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let span = self.span(at, self.offset(end));
                let is_text = tag.is_some_and(|tag| is_text_tag(&tag));
                let is_quoted = is_text || style != ScalarStyle::Plain;
                let kind = TreeKind::Scalar(ScalarText { text: text.into_owned(), is_quoted });
                self.complete((Rc::new(Tree { kind, span }), 1), anchor)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(at, anchor, OpenParts::List(Vec::new())),
            Event::MappingStart(_, anchor, _) => self.begin(at, anchor, OpenParts::Object(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(OpenTree { span, anchor, count, parts }) = self.open.pop() else { return Ok(()) };
                let kind = match parts {
                    OpenParts::List(elements) => TreeKind::List(elements),
                    OpenParts::Object(members, _) => merged(members)?,
                };
                self.complete((Rc::new(Tree { kind, span }), count), anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(known) => self.complete(known.clone(), 0),
                None => Self::error(self.span(at, at + 1), "this alias stands in itself".into(), "expected another"),
            },
            // What else there is, such as the beginning of a document, holds no node.
            _ => Ok(()),
        }
    }

    fn begin(&mut self, at: usize, anchor: usize, parts: OpenParts) -> Described<()> {
        let span = self.span(at, at + 1);
        if self.open.len() > MAX_LEVELS {
            let message = format!("this is nested more than {MAX_LEVELS} levels deep");
            return Self::error(span, message, "expected fewer levels");
        }
        if let Some(OpenTree { parts: OpenParts::Object(_, None), .. }) = self.open.last() {
            return Self::error(span, "this key is no text".into(), "expected a text as the key");
        }
        self.open.push(OpenTree { span, anchor, count: 1, parts });
        Ok(())
    }

    /// Adds a complete node to the node that contains it.
    fn complete(&mut self, (tree, count): CountedTree, anchor: usize) -> Described<()> {
        if anchor != 0 {
            self.anchors.insert(anchor, (tree.clone(), count));
        }
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert((tree, count));
            return Ok(());
        };
        open.count = open.count.saturating_add(count);
        if open.count > MAX_NODES {
            let message = format!("the aliases of this file stand for more than {MAX_NODES} nodes");
            return Self::error(tree.span, message, "expected fewer aliases");
        }
        match &mut open.parts {
            OpenParts::List(elements) => elements.push(tree),
            OpenParts::Object(members, key) => match (key.take(), &tree.kind) {
                (Some((key, span)), _) => members.push(TreeMember { key, span, value: tree }),
                (None, TreeKind::Scalar(scalar)) => *key = Some((scalar.text.clone(), tree.span)),
                (None, _) => {
                    return Self::error(tree.span, "this key is no text".into(), "expected a text as the key");
                }
            },
        }
        Ok(())
    }
}

/// Tests whether a tag makes a scalar a string.
fn is_text_tag(tag: &Tag) -> bool {
    tag.is_yaml_core_schema_tag("str")
}

/// The members of an object, and those of the objects that `<<` names; its own members take precedence.
fn merged(members: Vec<TreeMember>) -> Described<TreeKind> {
    let (merges, mut own): (Vec<TreeMember>, Vec<TreeMember>) =
        members.into_iter().partition(|member| member.key == "<<");
    for merge in &merges {
        let several = merge.value.elements().iter().map(|element| &**element);
        for from in std::iter::once(&*merge.value).chain(several) {
            for member in from.members() {
                if own.iter().all(|known| known.key != member.key) {
                    own.push(member.clone());
                }
            }
        }
    }
    object_of(own)
}
