//! `mayhap sample`: feasible paths of a specification or of a graph, drawn uniformly, each once.
//!
//! `mayhap sample specs/cmp_rst.may` prints the paths of two requests, such as `machine:11 if:14 · machine:11 else:16`.

use super::arguments::sample_arguments::{SampleArguments, WantedPaths};
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::{failed, load};
use mayhap::choice::counted;
use mayhap::choice::paths::{NoPaths, PathDrawing};
use mayhap::coverage::{BranchKind, SpecBranch};
use mayhap::diagnostic::Sources;
use mayhap::generate::script_of;
use mayhap::json;
use mayhap::limits::end::{self, WorkEnd};
use mayhap::paths::flow::{FlowInput, FlowOracle, FlowProgram};
use mayhap::paths::handlers::{HandlerGraph, PathBounds};
use mayhap::paths::{FeasiblePaths, PathOracle, SampledPath};
use mayhap::spec::{Spec, Tasks};
use std::fs;
use std::path::Path;

/// The number of paths unless another one is given.
const PATHS: u64 = 10;
/// The number of runs in which the specification's own server is sent the requests of a path.
const RUNS: u64 = 20;

pub fn run(options: &SampleArguments, terminal: &mut Terminal) -> Exit {
    let _end = WorkEnd::current().within(options.time).enter();
    if options.file.extension().is_some_and(|extension| extension == "graph") {
        of_graph(options, terminal)
    } else {
        of_specification(options, terminal)
    }
}

/// A path as it is shown.
struct SampledLine {
    line: String,
    /// True if its requests take it, whatever the system chooses.
    is_certain: bool,
    /// The content of its file.
    content: String,
}

fn of_graph(options: &SampleArguments, terminal: &mut Terminal) -> Exit {
    let text = match load::text(&options.file) {
        Ok(text) => text,
        Err(why) => return failed(terminal, &why),
    };
    let mut sources = Sources::default();
    let file = sources.add(&text.name, &text.text);
    let program = match FlowProgram::read(&text.text, file) {
        Ok(program) => program,
        Err(findings) => {
            load::report(&sources, &findings, terminal);
            let summary = load::summary(&findings).unwrap_or_default();
            return failed(terminal, &format!("{}: {summary}", text.name));
        }
    };
    let drawing = match PathDrawing::new(program.graph.clone(), options.length) {
        Ok(drawing) => drawing,
        Err(why @ NoPaths::Endless) => return failed(terminal, &format!("{}: {why}: --length", text.name)),
        Err(why) => return failed(terminal, &format!("{}: {why}", text.name)),
    };
    let bound =
        options.length.map_or(String::new(), |length| format!(" of at most {}", counted(length as u64, "edge")));
    let paths = FeasiblePaths::new(drawing, FlowOracle::new(&program), options.seed);
    let sampling = Sampling { options, extension: "json", bound, is_bounded: false };
    sampling.run(paths, terminal, |oracle, path| {
        let vertices = vertices(&program, &path.steps);
        let input = oracle.input(&path.state).filter(|input| program.takes(input, &path.steps))?;
        let named = || program.variables.iter().zip(&input).map(|((name, _), input)| (name, value(input)));
        let shown: Vec<String> = named().map(|(name, value)| format!("{name} = {value}")).collect();
        let input: Vec<String> = named().map(|(name, value)| format!("{}: {value}", json::quoted(name))).collect();
        let quoted: Vec<String> = vertices.iter().map(|vertex| json::quoted(vertex)).collect();
        let content = format!("{{\"path\": [{}], \"input\": {{{}}}}}\n", quoted.join(", "), input.join(", "));
        let line = format!("{}   {}", vertices.join(" "), shown.join(", "));
        Some(SampledLine { line, is_certain: true, content })
    })
}

/// The names of the vertices on a path. Of several edges between two vertices, all but the first are marked: `b#2`.
fn vertices(program: &FlowProgram, steps: &[usize]) -> Vec<String> {
    let mut at = program.graph.entry();
    let mut names = vec![program.vertices[at].clone()];
    for step in steps {
        let targets = program.graph.targets(at);
        let Some(&next) = targets.get(*step) else { break };
        let name = &program.vertices[next];
        names.push(match targets[..*step].iter().filter(|target| **target == next).count() {
            0 => name.clone(),
            before => format!("{name}#{}", before + 1),
        });
        at = next;
    }
    names
}

/// A value of an input as JSON.
fn value(input: &FlowInput) -> String {
    match input {
        FlowInput::Scalar(value) => value.to_string(),
        FlowInput::Array(elements) => {
            let elements: Vec<String> =
                elements.iter().map(|(at, value)| format!("{}: {value}", json::quoted(at))).collect();
            format!("{{{}}}", elements.join(", "))
        }
    }
}

fn of_specification(options: &SampleArguments, terminal: &mut Terminal) -> Exit {
    let spec = match load::compile_for(Tasks::Either, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    if options.length.is_some() {
        return failed(terminal, "--length is about graphs; the paths of a specification have --requests");
    }
    let bounds = PathBounds { requests: options.requests.get(), loops: options.loops, calls: options.calls.get() };
    let name = files::shown(&options.file);
    let refused = |terminal: &mut Terminal, why: &dyn std::fmt::Display| failed(terminal, &format!("{name}: {why}"));
    let graph = match HandlerGraph::new(&spec, bounds) {
        Ok(graph) => graph,
        Err(why) => return refused(terminal, &why),
    };
    if !spec.program.steps.is_empty() {
        terminal.print("internal steps of the server do not run on these paths\n");
    }
    let paths = match FeasiblePaths::of(&graph, options.seed) {
        Ok(paths) => paths,
        Err(why) => return refused(terminal, &why),
    };
    let requests = counted(options.requests.get() as u64, "request");
    let bound = format!(" of {requests} (each loop runs at most {} in a request)", times(options.loops));
    let sampling = Sampling { options, extension: "ndjson", bound, is_bounded: graph.leaves_out_calls };
    sampling.run(paths, terminal, |oracle, path| {
        let exchanges = oracle.exchanges(&path.state)?;
        let line = described(&spec, &graph, &path.steps);
        let script = script_of(&spec, &exchanges);
        let taken = graph.runs_that_take(&path.steps, &script, RUNS);
        let chance = if taken < RUNS { format!("   [{taken} of {RUNS} runs]") } else { String::new() };
        Some(SampledLine { line: line + &chance, is_certain: taken == RUNS, content: script.write(&spec) })
    })
}

fn times(number: usize) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// The branches of a path, with their lines; with their columns, too, where a line has several of a kind.
fn described(spec: &Spec, graph: &HandlerGraph, steps: &[usize]) -> String {
    let place = |branch: &SpecBranch| (branch.kind, branch.file.clone(), branch.line);
    let alike = |branch: &SpecBranch| graph.all_branches().iter().filter(|other| place(other) == place(branch)).count();
    let shown = |branch: &SpecBranch| match alike(branch) {
        1 => named(spec, branch),
        _ => format!("{}:{}", named(spec, branch), branch.column),
    };
    let request = |branches: Vec<&SpecBranch>| branches.into_iter().map(shown).collect::<Vec<_>>().join(" ");
    graph.branches(steps).into_iter().map(request).collect::<Vec<_>>().join(" · ")
}

/// A branch with its line, as in `Get:14 else:16`.
fn named(spec: &Spec, branch: &SpecBranch) -> String {
    let kind = match branch.kind {
        BranchKind::Handler => {
            let head = spec.sources.files().find(|(name, _)| *name == branch.file);
            let head = head.and_then(|(_, text)| text.get(branch.span.0 as usize..branch.span.1 as usize));
            let word = |text: &str| {
                text.split(|other: char| !other.is_alphanumeric() && other != '_').next().unwrap_or("").to_owned()
            };
            head.map(|head| word(head.trim_start_matches("on ").trim_start())).filter(|word| !word.is_empty())
        }
        BranchKind::If => Some("if".to_owned()),
        BranchKind::Else => Some("else".to_owned()),
        BranchKind::Arm => Some("match".to_owned()),
        BranchKind::Either => Some("either".to_owned()),
        BranchKind::Loop => Some("loop".to_owned()),
    };
    format!("{}:{}", kind.unwrap_or_else(|| "handler".to_owned()), branch.line)
}

/// Makes a directory for paths. One with paths of an earlier run is refused, as those would stay among the new ones.
fn prepared(directory: &Path) -> Result<(), String> {
    let shown = files::shown(directory);
    if directory.exists() && !directory.is_dir() {
        return Err(format!("{shown}: is no directory"));
    }
    let made = fs::create_dir_all(directory).and_then(|()| fs::read_dir(directory));
    let entries = made.map_err(|why| format!("{shown}: {}", files::reason(&why)))?;
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    match entries.flatten().map(name).find(|name| name.starts_with("path-")) {
        Some(name) => Err(format!("{shown}: has {name} of an earlier run; remove it, or name another directory")),
        None => Ok(()),
    }
}

/// The numbers of some of the paths that were shown.
#[derive(Default)]
struct LineCounts {
    without_values: u64,
    uncertain: u64,
}

/// Drawing, printing and writing paths.
struct Sampling<'o> {
    options: &'o SampleArguments,
    /// The extension of files.
    extension: &'static str,
    /// The bound on paths, in words.
    bound: String,
    /// True if paths beyond a bound are not even counted.
    is_bounded: bool,
}

impl Sampling<'_> {
    fn run<O: PathOracle>(
        &self,
        mut paths: FeasiblePaths<O>,
        terminal: &mut Terminal,
        show: impl Fn(&mut O, &SampledPath<O::State>) -> Option<SampledLine>,
    ) -> Exit {
        let SampleArguments { count, out, list, count_only, .. } = self.options;
        if let Some(Err(why)) = out.as_deref().map(prepared) {
            return failed(terminal, &why);
        }
        let total = paths.drawing().total();
        let plural = if total == 1_u8.into() { "" } else { "s" };
        terminal.print(&format!("{total} path{plural}{}\n", self.bound));
        let wanted = count.unwrap_or(if *count_only { WantedPaths::All } else { WantedPaths::AtMost(PATHS) });
        let is_enough = |drawn: u64| matches!(wanted, WantedPaths::AtMost(most) if drawn >= most);
        let mut shown_paths = LineCounts::default();
        while !is_enough(paths.counts().feasible) && !terminal.is_gone() {
            let Some(path) = paths.next_path() else { break };
            if *count_only {
                continue;
            }
            let number = paths.counts().feasible;
            let Some(shown) = show(&mut paths.oracle, &path) else {
                shown_paths.without_values += 1;
                continue;
            };
            shown_paths.uncertain += u64::from(!shown.is_certain);
            if out.is_none() || *list {
                terminal.print(&format!("{number:>6}  {}\n", shown.line));
            }
            if let Some(directory) = out {
                let file = directory.join(format!("path-{number:04}.{}", self.extension));
                if let Err(why) = files::write_text(&file, &shown.content) {
                    return failed(terminal, &why);
                }
            }
        }
        terminal.print(&self.summary(&paths, &shown_paths));
        let is_done = is_enough(paths.counts().feasible) || paths.drawing().left() == 0_u8.into();
        if is_done { Exit::Fine } else { Exit::Inconclusive }
    }

    fn summary<O: PathOracle>(&self, paths: &FeasiblePaths<O>, shown: &LineCounts) -> String {
        let (counts, left) = (paths.counts(), paths.drawing().left());
        let mut lines = vec![format!(
            "{} drawn; {} infeasible, with {}",
            counted(counts.feasible, "feasible path"),
            counts.infeasible,
            counted(counts.infeasible_beginnings, "infeasible beginning"),
        )];
        if counts.undecided_beginnings > 0 {
            let beginnings = counted(counts.undecided_beginnings, "beginning");
            lines.push(format!("{} undecided, with {beginnings} that the solver could not decide", counts.undecided));
        }
        if shown.without_values > 0 {
            lines.push(format!("{} without values: the solver found none", counted(shown.without_values, "path")));
        }
        if shown.uncertain > 0 {
            let paths = counted(shown.uncertain, "path");
            lines.push(format!(
                "{paths} not taken in each of {RUNS} runs of the specification, as it chooses: [N of {RUNS} runs]"
            ));
        }
        if counts.cut > 0 {
            lines.push(format!("{} cut off, as a loop goes on", counted(counts.cut, "path")));
        }
        lines.push(match left == 0_u8.into() {
            true if self.is_bounded => {
                "nothing is left within the bounds; procedures that call themselves go on".to_owned()
            }
            true if paths.are_all_drawn() => "these are all".to_owned(),
            true => "nothing is left within the bounds".to_owned(),
            false if end::is_over() => format!("{left} left when the time was over, feasible or not"),
            false => format!("{left} left, feasible or not"),
        });
        lines.join("\n") + "\n"
    }
}
