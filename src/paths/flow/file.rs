//! Reading of graph files, line by line.
//!
//! ```text
//! line  = [ decl | "entry" vertex | "end" vertex | edge ] [ "//" comment ]
//! decl  = ( "int" | "bool" | "int[]" | "bool[]" ) name { "," name }
//! edge  = vertex "->" vertex [ "if" expression ] [ "do" set { "," set } ]
//! set   = name [ "[" expression "]" ] ":=" expression
//! ```

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::formula::{Formula, typed};
use super::variables::{FlowScope, FlowType};
use crate::choice::paths::FlowGraph;
use crate::diagnostic::{Diagnostic, FileId, Span};
use crate::syntax::ast::NodeId;
use crate::syntax::parse_expression;

/// A program that is written as a graph.
#[derive(Clone, Debug)]
pub struct FlowProgram {
    /// The names of the vertices.
    pub vertices: Vec<String>,
    /// The graph; an edge has the number of what it does.
    pub graph: FlowGraph,
    /// The names and types of the variables.
    pub variables: Vec<(String, FlowType)>,
    /// The effects of the edges of each vertex.
    pub(super) edges: Vec<Vec<EdgeEffect>>,
}

/// The condition of an edge, and what it sets.
#[derive(Clone, Debug)]
pub(super) struct EdgeEffect {
    pub condition: Option<Formula>,
    pub sets: Vec<SetVariable>,
}

/// A variable, or the element of an array, that is set.
#[derive(Clone, Debug)]
pub(super) struct SetVariable {
    pub variable: usize,
    pub at: Option<Formula>,
    pub value: Formula,
}

/// A part of the text.
#[derive(Clone, Copy)]
struct Part<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
}

impl<'t> Part<'t> {
    fn span(self) -> Span {
        Span { file: self.file, start: self.at as u32, end: (self.at + self.text.len()) as u32 }
    }

    fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span(), message)
    }

    fn range(self, range: Range<usize>) -> Part<'t> {
        Part { text: &self.text[range.clone()], at: self.at + range.start, ..self }.trimmed()
    }

    fn trimmed(self) -> Part<'t> {
        let begins = self.text.len() - self.text.trim_start().len();
        Part { text: self.text.trim(), at: self.at + begins, ..self }
    }

    /// The parts before and after a mark, if it is there.
    fn split(self, mark: &str) -> Option<(Part<'t>, Part<'t>)> {
        let at = self.text.find(mark)?;
        Some((self.range(0..at), self.range(at + mark.len()..self.text.len())))
    }

    /// The part after a word with which it begins.
    fn after_word(self, word: &str) -> Option<Part<'t>> {
        let rest = self.text.strip_prefix(word)?;
        let is_word = rest.is_empty() || rest.starts_with(char::is_whitespace);
        is_word.then(|| self.range(word.len()..self.text.len()))
    }

    /// The first word, and what follows.
    fn first_word(self) -> (Part<'t>, Part<'t>) {
        let end = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        (self.range(0..end), self.range(end..self.text.len()))
    }

    /// The parts between commas that are in no brackets.
    fn list(self) -> Vec<Part<'t>> {
        let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_i32);
        for (at, character) in self.text.char_indices() {
            match character {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(self.range(begin..at));
                    begin = at + 1;
                }
                _ => {}
            }
        }
        parts.push(self.range(begin..self.text.len()));
        parts
    }

    /// The place of a word that stands alone.
    fn find_word(self, word: &str) -> Option<usize> {
        let is_blank = |character: Option<char>| character.is_none_or(char::is_whitespace);
        self.text.match_indices(word).map(|(at, _)| at).find(|at| {
            let after = self.text[at + word.len()..].chars().next();
            is_blank(self.text[..*at].chars().next_back()) && is_blank(after)
        })
    }
}

/// The parts of a file that were read so far.
struct GraphReader {
    scope: FlowScope,
    vertices: Vec<String>,
    numbers: FxHashMap<String, usize>,
    edges: Vec<Vec<(usize, EdgeEffect)>>,
    entry: Option<usize>,
    end: Option<usize>,
}

impl FlowProgram {
    /// Reads a graph.
    ///
    /// # Errors
    /// All findings about the text.
    pub fn read(text: &str, file: FileId) -> Result<FlowProgram, Vec<Diagnostic>> {
        let scope = FlowScope { variables: Vec::new() };
        let (vertices, numbers, edges) = (Vec::new(), FxHashMap::default(), Vec::new());
        let mut reader = GraphReader { scope, vertices, numbers, edges, entry: None, end: None };
        let (mut findings, mut at) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            // A byte order mark stands before some texts.
            let bom = if at == 0 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            at += bom;
            let line = &line[bom..];
            let code = line.find("//").map_or(line, |comment| &line[..comment]);
            if let Err(finding) = reader.line(Part { text: code, file, at }.trimmed()) {
                findings.push(finding);
            }
            at += line.len();
        }
        let whole = Span { file, start: 0, end: text.len().min(1) as u32 };
        let missing = |what: &str| {
            let help =
                format!("`{what} VERTEX` names the vertex at which paths {what}").replace("paths entry", "paths begin");
            Diagnostic::error(whole, format!("the graph has no {what}")).help(help)
        };
        let (entry, end) = (reader.entry.ok_or_else(|| missing("entry")), reader.end.ok_or_else(|| missing("end")));
        let (entry, end) = match (entry, end) {
            (Ok(entry), Ok(end)) if findings.is_empty() => (entry, end),
            (entry, end) => {
                findings.extend(entry.err().into_iter().chain(end.err()));
                return Err(findings);
            }
        };
        let mut graph = FlowGraph::new(reader.vertices.len(), entry, end);
        for (from, edges) in reader.edges.iter().enumerate() {
            edges.iter().for_each(|(to, _)| _ = graph.edge(from, *to));
        }
        let effects = |edges: Vec<(usize, EdgeEffect)>| edges.into_iter().map(|(_, effect)| effect).collect();
        let edges = reader.edges.into_iter().map(effects).collect();
        Ok(FlowProgram { vertices: reader.vertices, graph, variables: reader.scope.variables, edges })
    }
}

impl GraphReader {
    fn line(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        if line.text.is_empty() {
            return Ok(());
        }
        let types =
            [("int", FlowType::Int), ("bool", FlowType::Bool), ("int[]", FlowType::Ints), ("bool[]", FlowType::Bools)];
        if let Some((from, rest)) = line.split("->") {
            return self.edge(from, rest);
        }
        for (word, ty) in types {
            if let Some(names) = line.after_word(word) {
                return names.list().into_iter().try_for_each(|name| self.declare(name, ty));
            }
        }
        if let Some(vertex) = line.after_word("entry") {
            return GraphReader::once(&mut self.entry, "entry", line, vertex)
                .and_then(|()| self.vertex(vertex).map(|at| self.entry = Some(at)));
        }
        if let Some(vertex) = line.after_word("end") {
            return GraphReader::once(&mut self.end, "end", line, vertex)
                .and_then(|()| self.vertex(vertex).map(|at| self.end = Some(at)));
        }
        let help = "a line declares variables (`int x, y`, `bool[] b`), names the `entry` or the `end`, or is an edge (`a -> b if x < y do x := 0`)";
        Err(line.error("this is no line of a graph").help(help))
    }

    fn once(known: &mut Option<usize>, what: &str, line: Part<'_>, _: Part<'_>) -> Result<(), Diagnostic> {
        if known.is_some() { Err(line.error(format!("the graph has two of `{what}`"))) } else { Ok(()) }
    }

    fn declare(&mut self, name: Part<'_>, ty: FlowType) -> Result<(), Diagnostic> {
        let begins = |character: char| character.is_ascii_alphabetic() || character == '_';
        let is_name =
            name.text.starts_with(begins) && name.text.chars().all(|other| begins(other) || other.is_ascii_digit());
        if !is_name {
            return Err(name.error("expected the name of a variable"));
        }
        if ["if", "do", "else", "true", "false"].contains(&name.text) {
            return Err(name.error(format!("`{}` cannot be the name of a variable", name.text)));
        }
        if self.scope.variables.iter().any(|(known, _)| known == name.text) {
            return Err(name.error(format!("there are two variables `{}`", name.text)));
        }
        self.scope.variables.push((name.text.to_owned(), ty));
        Ok(())
    }

    fn vertex(&mut self, name: Part<'_>) -> Result<usize, Diagnostic> {
        if name.text.is_empty() || name.text.contains(char::is_whitespace) {
            return Err(name.error("expected the name of a vertex"));
        }
        let next = self.vertices.len();
        let number = *self.numbers.entry(name.text.to_owned()).or_insert(next);
        if number == next {
            self.vertices.push(name.text.to_owned());
            self.edges.push(Vec::new());
        }
        Ok(number)
    }

    fn edge(&mut self, from: Part<'_>, rest: Part<'_>) -> Result<(), Diagnostic> {
        let (to, rest) = rest.first_word();
        let (from, to) = (self.vertex(from)?, self.vertex(to)?);
        let (condition, sets) = match rest.find_word("do") {
            Some(at) => (rest.range(0..at), Some(rest.range(at + 2..rest.text.len()))),
            None => (rest, None),
        };
        let condition = match condition.after_word("if") {
            Some(condition) => Some(self.expression(condition, FlowType::Bool)?),
            None if condition.text.is_empty() => None,
            None => return Err(condition.error("expected `if` or `do`")),
        };
        let sets = sets.map_or_else(Vec::new, Part::list);
        let sets: Vec<SetVariable> = sets.into_iter().map(|set| self.set(set)).collect::<Result<_, _>>()?;
        self.edges[from].push((to, EdgeEffect { condition, sets }));
        Ok(())
    }

    fn set(&self, set: Part<'_>) -> Result<SetVariable, Diagnostic> {
        let Some((to, value)) = set.split(":=") else { return Err(set.error("expected `VARIABLE := VALUE`")) };
        if let Some((array, at)) = to.split("[") {
            let Some(at) = at.text.strip_suffix(']').map(|index| at.range(0..index.len())) else {
                return Err(to.error("expected `]` at its end"));
            };
            let (variable, element) = self.scope.array(array.text, array.span())?;
            let at = Some(self.expression(at, FlowType::Int)?);
            return Ok(SetVariable { variable, at, value: self.expression(value, element)? });
        }
        let (variable, ty) = self.scope.variable(to.text, to.span())?;
        if ty.element().is_some() {
            return Err(to.error("an array is not set as a whole").help("set its elements"));
        }
        Ok(SetVariable { variable, at: None, value: self.expression(value, ty)? })
    }

    fn expression(&self, part: Part<'_>, ty: FlowType) -> Result<Formula, Diagnostic> {
        if part.text.is_empty() {
            return Err(part.error("expected an expression"));
        }
        let (expr, findings, _) = parse_expression(part.text, part.file, NodeId(0));
        let finding = findings.into_iter().find(Diagnostic::is_error);
        let formula = match (expr, finding) {
            (Some(expr), None) => typed(&expr, ty, &self.scope),
            (_, Some(finding)) => Err(finding),
            (None, None) => Err(part.error("expected an expression")),
        };
        // The expression was read as a text of its own.
        formula.map_err(|mut finding| {
            for label in std::iter::once(&mut finding.primary).chain(&mut finding.secondary) {
                label.span.start += part.at as u32;
                label.span.end += part.at as u32;
            }
            finding
        })
    }
}
