//! A specification that can be run: its program, its types, and the place of each node in the texts.

use std::sync::{Arc, OnceLock};

use super::check::{Checked, Protocol};
use super::code::{Function, Op, Operand, Program};
use super::generation::Generation;
use super::http::HttpForms;
use super::load::{Loaded, Loader, Text, load};
use super::lower::{Tasks, Unit, lower, lower_unknown};
use super::passes::Code;
use super::types::{TypeId, Types};
use crate::diagnostic::{Colour, Diagnostic, Sources, Span, suggest};
use crate::syntax::ast::{File, NodeId, Purity};
use crate::syntax::{parse, print};

/// The machine or protocol to compile, and the options of its compilation.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// The name of the machine or protocol, if a file has several.
    pub name: Option<String>,
    /// Constants and the texts of their new values.
    pub set: Vec<(String, String)>,
    /// The way in which tasks run.
    #[doc(hidden)]
    pub tasks: Tasks,
    /// The form of the code: optimized, or with each instruction as it was first emitted.
    #[doc(hidden)]
    pub code: Code,
}

/// A specification, compiled.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The program that runs.
    #[doc(hidden)]
    pub program: Program,
    /// The specification for states in which any map or set may be unknown, if it differs from this one; compiled on first use.
    unknown: OnceLock<Option<Arc<Spec>>>,
    /// The trees that it was compiled from.
    loaded: Arc<Loaded>,
    /// The machine or protocol among the trees.
    unit: Unit,
    /// The options of the compilation.
    selection: Selection,
    /// The specification for clients that do not wait for each other, if it differs from this one; compiled on first use.
    interleaved: OnceLock<Option<Arc<Spec>>>,
    /// The reports of constructs that are impossible if each client waits for its answer.
    asynchronous: Vec<Diagnostic>,
    /// The forms of requests and answers on the wire, if the specification has an `http` block.
    #[doc(hidden)]
    pub http: Option<Arc<HttpForms>>,
    /// The checked form of the `generate` block, if the specification has one.
    #[doc(hidden)]
    pub generation: Option<Arc<Generation>>,
    /// The types.
    #[doc(hidden)]
    pub types: Types,
    /// The texts that it was read from.
    pub sources: Sources,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
    spans: Vec<Span>,
}

/// The reason why there is no specification: its text is wrong, or a file cannot be read.
#[derive(Clone)]
#[non_exhaustive]
pub struct SpecError {
    /// The texts.
    pub sources: Sources,
    /// The diagnostics that say what is wrong with the texts; at least one is an error if the texts were read.
    pub diagnostics: Vec<Diagnostic>,
    /// The reason why the file cannot be read.
    unread: Option<String>,
}

impl SpecError {
    /// The error of a specification whose texts are wrong.
    pub(super) fn new(sources: Sources, diagnostics: Vec<Diagnostic>) -> SpecError {
        SpecError { sources, diagnostics, unread: None }
    }

    /// The error of a specification whose file cannot be read, for this reason.
    pub(crate) fn unread(why: String) -> SpecError {
        SpecError { unread: Some(why), ..SpecError::new(Sources::default(), Vec::new()) }
    }
}

/// The diagnostics with their places, as `unwrap()` prints them.
impl std::fmt::Debug for SpecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::fmt::Display for SpecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(why) = &self.unread {
            writeln!(f, "error: {why}")?;
        }
        for diagnostic in &self.diagnostics {
            f.write_str(&self.sources.render(diagnostic, Colour::Never))?;
        }
        Ok(())
    }
}

impl std::error::Error for SpecError {}

impl Spec {
    /// Reads, checks and compiles a specification.
    ///
    /// # Errors
    /// All errors in the specification.
    #[doc(hidden)]
    pub fn compile(first: Text, loader: &mut Loader<'_>, selection: &Selection) -> Result<Arc<Spec>, SpecError> {
        let mut sources = Sources::default();
        let (mut loaded, mut diagnostics) = load(first, loader, &mut sources);
        diagnostics.extend(loaded.set(&selection.set, &mut sources));
        Spec::of_trees(loaded, sources, diagnostics, selection)
    }

    /// Checks and compiles trees; `diagnostics` are the reports of reading them.
    fn of_trees(
        loaded: Loaded,
        sources: Sources,
        mut diagnostics: Vec<Diagnostic>,
        selection: &Selection,
    ) -> Result<Arc<Spec>, SpecError> {
        let compiled = {
            let (checked, found) = loaded.check();
            diagnostics.extend(found);
            if diagnostics.iter().any(Diagnostic::is_error) {
                return Err(SpecError::new(sources, diagnostics));
            }
            let names = names(&checked);
            choose_unit(&names, selection.name.as_deref(), loaded.files[0].span)
                .map_err(|diagnostic| vec![diagnostic])
                .and_then(|unit| {
                    let (program, tasks, asynchronous) = lower_for(&checked, unit, selection)?;
                    let spans = checked.tables.spans().to_vec();
                    let forms = match unit {
                        Unit::Protocol(at) => forms(&checked.protocols[at]),
                        Unit::Machine(_) => (None, None),
                    };
                    Ok((program, tasks, asynchronous, unit, (checked.types.clone(), forms), spans))
                })
        };
        match compiled {
            Ok((program, tasks, asynchronous, unit, (types, (http, generation)), spans)) => Ok(Arc::new(Spec {
                program,
                unknown: OnceLock::new(),
                interleaved: OnceLock::new(),
                asynchronous,
                loaded: Arc::new(loaded),
                unit,
                selection: Selection { tasks, ..selection.clone() },
                http,
                generation,
                types,
                sources,
                warnings: diagnostics,
                spans,
            })),
            Err(refused) => {
                diagnostics.extend(refused);
                Err(SpecError::new(sources, diagnostics))
            }
        }
    }

    /// The trees that it was compiled from.
    pub(crate) fn trees(&self) -> &Loaded {
        &self.loaded
    }

    /// Compiles this specification with other trees.
    ///
    /// # Errors
    /// All errors in the trees.
    pub(crate) fn of_other_trees(&self, trees: Loaded) -> Result<Arc<Spec>, SpecError> {
        self.of_other_trees_as(trees, self.selection.code)
    }

    /// Compiles this specification with other trees, to code of this form.
    ///
    /// # Errors
    /// All errors in the trees.
    pub(crate) fn of_other_trees_as(&self, trees: Loaded, code: Code) -> Result<Arc<Spec>, SpecError> {
        let selection = Selection { code, ..self.selection.clone() };
        Spec::of_trees(trees, self.sources.clone(), Vec::new(), &selection)
    }

    /// Its text in the canonical layout, without comments, and the name of its machine or protocol: specifications with equal texts mean
    /// the same.
    #[must_use]
    pub(crate) fn canonical_text(&self) -> String {
        let files = self.loaded.files.iter();
        let printed = files.map(|file| print(&File { comments: Vec::new(), ..file.clone() }, ""));
        printed.chain([self.program.name.clone()]).collect::<Vec<_>>().join("\n")
    }

    /// Compiles this specification with other values of constants, besides those that were set.
    ///
    /// # Errors
    /// All errors in the specification with these values.
    pub(crate) fn with_constants(&self, set: &[(String, String)]) -> Result<Arc<Spec>, SpecError> {
        let (mut loaded, mut sources) = (Loaded::clone(&self.loaded), self.sources.clone());
        let mut selection = self.selection.clone();
        selection.set.extend_from_slice(set);
        let diagnostics = loaded.set(set, &mut sources);
        Spec::of_trees(loaded, sources, diagnostics, &selection)
    }

    /// The constants that were set, and the texts of their values.
    pub(crate) fn constants_set_to(&self) -> impl Iterator<Item = &(String, String)> {
        self.selection.set.iter()
    }

    /// Compiles this specification with another text at a place.
    ///
    /// # Errors
    /// All errors in the specification with this text.
    pub(crate) fn altered(&self, place: Span, with: &str) -> Result<Arc<Spec>, SpecError> {
        let (mut loaded, mut sources) = (Loaded::clone(&self.loaded), self.sources.replaced(place, with));
        let parsed = parse(sources.text(place.file), place.file, loaded.next);
        loaded.next = parsed.next;
        loaded.files[place.file.0 as usize] = parsed.file;
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(loaded.set(&self.selection.set, &mut sources));
        Spec::of_trees(loaded, sources, diagnostics, &self.selection)
    }

    /// The name of a choice and its place, as two texts: `n` and ` (line 16)`.
    #[doc(hidden)]
    #[must_use]
    pub fn choice_at(&self, site: NodeId) -> (&str, String) {
        let span = self.span(site);
        let subject = self.program.subjects.get(&site).map_or("choice", String::as_str);
        let (line, _) = self.sources.line_column(span);
        let file = if span.file.0 == 0 { String::new() } else { format!("{}, ", self.sources.name(span.file)) };
        (subject, format!(" ({file}line {line})"))
    }

    /// Returns this specification for states in which any map or set may be unknown. Its variables are the same.
    #[doc(hidden)]
    #[must_use]
    pub fn for_unknown_maps(self: &Arc<Spec>) -> Arc<Spec> {
        self.unknown.get_or_init(|| self.compile_unknown()).clone().unwrap_or_else(|| self.clone())
    }

    fn compile_unknown(&self) -> Option<Arc<Spec>> {
        let holds_maps = self.program.slots.iter().any(|slot| self.types.holds_maps(slot.ty));
        if self.program.chooses_maps || !holds_maps {
            return None;
        }
        let (checked, _) = self.loaded.check();
        let program = lower_unknown(&checked, self.unit, self.selection.tasks, self.selection.code).ok()?;
        Some(Arc::new(Spec { program, ..self.clone() }))
    }

    /// Returns this specification for clients that do not wait for each other. Its variables are the same.
    #[doc(hidden)]
    #[must_use]
    pub fn for_networks(self: &Arc<Spec>) -> Arc<Spec> {
        self.interleaved.get_or_init(|| self.compile_interleaved()).clone().unwrap_or_else(|| self.clone())
    }

    fn compile_interleaved(&self) -> Option<Arc<Spec>> {
        if self.selection.tasks != Tasks::Alone {
            return None;
        }
        let (checked, _) = self.loaded.check();
        let selection = Selection { tasks: Tasks::Interleaved, ..self.selection.clone() };
        let program = lower(&checked, self.unit, selection.tasks, selection.code).ok()?;
        let is_other = program.is_asynchronous();
        is_other.then(|| Arc::new(Spec { program, unknown: OnceLock::new(), selection, ..self.clone() }))
    }

    /// The types of the parameter and of the result of a function that makes no choices and has one parameter; none for other functions.
    #[doc(hidden)]
    #[must_use]
    pub fn pure_function(&self, name: &str) -> Option<(TypeId, TypeId)> {
        self.pure_function_at(name).map(|(_, types)| types)
    }

    fn pure_function_at(&self, name: &str) -> Option<(u32, (TypeId, TypeId))> {
        let (checked, _) = self.loaded.check();
        let at = checked.functions.iter().position(|function| function.name.text == name)?;
        match (&checked.functions[at], checked.functions[at].params.as_slice()) {
            (function, [one]) if function.purity == Purity::Fn => Some((at as u32, (one.ty, function.result))),
            _ => None,
        }
    }

    /// A specification of a server that answers each request with the result of a function; none unless the function is pure and has one
    /// parameter.
    #[doc(hidden)]
    #[must_use]
    pub fn applying(&self, name: &str) -> Option<Arc<Spec>> {
        let (function, (request, response)) = self.pure_function_at(name)?;
        let call = Op::Call { dst: 2, function, args: Box::new([Operand::Register(0)]) };
        let serve = Function::plain(name, 2, vec![call, Op::Reply { src: Operand::Register(2) }]);
        let mut program = self.program.clone();
        program.functions.push(serve);
        let serve = program.functions.len() as u32 - 1;
        (program.request, program.response, program.serve, program.sunk) = (request, response, serve, serve);
        (program.steps, program.opens, program.closes, program.restarts) = (Vec::new(), None, None, None);
        program.note_reachable();
        Some(Arc::new(Spec { program, unknown: OnceLock::new(), interleaved: OnceLock::new(), ..self.clone() }))
    }

    /// A specification whose variables hold the lists of the `generate` block; none without such a block.
    #[doc(hidden)]
    #[must_use]
    pub fn listing(&self) -> Option<Arc<Spec>> {
        self.generation.as_ref()?;
        let (mut checked, _) = self.loaded.check();
        let Unit::Protocol(at) = self.unit else { return None };
        let protocol = &mut checked.protocols[at];
        protocol.vars = protocol.generate.take()?.values;
        (protocol.handlers, protocol.procs, protocol.steps) = Default::default();
        let program = lower(&checked, self.unit, Tasks::Alone, self.selection.code).ok()?;
        let generation = None;
        let (unknown, interleaved) = (OnceLock::new(), OnceLock::new());
        Some(Arc::new(Spec { program, unknown, interleaved, generation, ..self.clone() }))
    }

    /// The reports of constructs that are impossible if each client waits for its answer.
    #[doc(hidden)]
    #[must_use]
    pub fn asynchronous(&self) -> &[Diagnostic] {
        &self.asynchronous
    }

    /// The place of a node.
    #[doc(hidden)]
    #[must_use]
    pub fn span(&self, site: NodeId) -> Span {
        self.spans.get(site.0 as usize).copied().unwrap_or_default()
    }
}

/// A program, the way in which its tasks run, and the reports of what tasks that run alone cannot do.
type Lowered = (Program, Tasks, Vec<Diagnostic>);

/// Compiles a machine or protocol for its tasks. If either way of running them will do, tasks run alone if they can.
fn lower_for(checked: &Checked, unit: Unit, selection: &Selection) -> Result<Lowered, Vec<Diagnostic>> {
    let lowered = |tasks| lower(checked, unit, tasks, selection.code);
    if selection.tasks != Tasks::Either {
        return Ok((lowered(selection.tasks)?, selection.tasks, Vec::new()));
    }
    match lowered(Tasks::Alone) {
        Ok(program) => Ok((program, Tasks::Alone, Vec::new())),
        Err(asynchronous) => Ok((lowered(Tasks::Interleaved)?, Tasks::Interleaved, asynchronous)),
    }
}

/// The forms that tests use of a protocol: on the wire, and of what is drawn.
fn forms(protocol: &Protocol<'_>) -> (Option<Arc<HttpForms>>, Option<Arc<Generation>>) {
    let generation = protocol.generate.as_ref().map(|block| Arc::new(block.generation.clone()));
    (protocol.http.clone().map(Arc::new), generation)
}

fn names(checked: &Checked) -> Vec<(String, Span, Unit)> {
    let machines = checked.machines.iter().enumerate().map(|(at, m)| (m.name, Unit::Machine(at)));
    let protocols = checked.protocols.iter().enumerate().map(|(at, p)| (p.name, Unit::Protocol(at)));
    machines.chain(protocols).map(|(name, unit)| (name.text.clone(), name.span, unit)).collect()
}

fn choose_unit(names: &[(String, Span, Unit)], wanted: Option<&str>, file: Span) -> Result<Unit, Diagnostic> {
    let listed = || names.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>();
    match (wanted, names) {
        (None, []) => {
            Err(Diagnostic::error(Span { end: file.start, ..file }, "there is no machine and no protocol here")
                .label("expected `machine NAME { .. }` or `protocol NAME { .. }`"))
        }
        (None, [(_, _, unit)]) => Ok(*unit),
        (None, [(_, span, _), ..]) => {
            // The specifications of the first file come first; if the file has only one, that one is meant.
            let own: Vec<_> = names.iter().filter(|(_, other, _)| other.file == file.file).collect();
            match own.as_slice() {
                [(_, _, own)] => Ok(*own),
                _ => Err(Diagnostic::error(*span, "there are several machines and protocols here")
                    .help(format!("say which one with --spec: {}", listed().join(", ")))),
            }
        }
        (Some(wanted), names) => {
            let found = names.iter().find(|(name, ..)| name == wanted).map(|(.., unit)| *unit);
            found.ok_or_else(|| {
                let report = Diagnostic::error(
                    Span { end: file.start, ..file },
                    format!("there is no machine or protocol `{wanted}` here"),
                );
                match suggest(wanted, listed()) {
                    Some(near) => report.help(format!("did you mean `{near}`?")),
                    None => report.help(format!("there are: {}", listed().join(", "))),
                }
            })
        }
    }
}
