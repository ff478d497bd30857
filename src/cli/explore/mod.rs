//! `mayhap explore`: every behaviour of a specification, or every run of a program that lets us choose, with the set of their
//! outputs.
//!
//! `mayhap explore specs/kv.may` prints each trace once, with choices that lead to it, and `mayhap explore --cmd ./transfer` each
//! output. With `--versus ./other` it prints the outputs that only one of the two has.

mod child;
mod outputs;
mod program;
mod ran;
mod search;
mod shortest;
mod specification;

use super::arguments::{ExploreArguments as Options, Order};
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::{failed, load};
use mayhap::choice::{Chooser, Ended, Replay, Report, counted, token};
use outputs::Outputs;
use program::ExternalProgram;
use ran::{Ran, Trouble};
use search::NamedSubject;
use shortest::shortest;
use specification::Behaviours;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Set by a signal: the current run is ended, and everything found so far is printed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn is_interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// The time that the search has to end by itself after a signal.
const MOMENT: Duration = Duration::from_millis(700);

/// Asks the search to end at the first signal; ends the process a moment later, or at the second signal.
fn interrupt() {
    let end = || std::process::exit(Exit::Interrupted.code().into());
    if INTERRUPTED.swap(true, Relaxed) {
        end();
    }
    thread::spawn(move || {
        thread::sleep(MOMENT);
        end();
    });
}

/// The subject of an exploration: a program or a specification.
enum ExploreSubject<'o> {
    Program(ExternalProgram<'o>),
    Specification(Box<Behaviours>),
}

impl ExploreSubject<'_> {
    fn run(&self, c: &mut Chooser) -> Result<Ran, Trouble> {
        match self {
            ExploreSubject::Program(program) => program.run(c),
            ExploreSubject::Specification(specification) => specification.run(c),
        }
    }

    /// The word for the output of a run: `output` or `trace`.
    fn output(&self) -> &'static str {
        match self {
            ExploreSubject::Program(_) => "output",
            ExploreSubject::Specification(_) => "trace",
        }
    }

    /// The statement that no run exists.
    fn empty(&self) -> &'static str {
        match self {
            ExploreSubject::Program(_) => "  nothing was explored: every run is refused\n",
            ExploreSubject::Specification(_) => "  nothing was explored: try other values (--range)\n",
        }
    }
}

/// The result of exploring one program or specification.
struct SubjectReport<'o> {
    name: &'o str,
    /// The word for the output of a run; `empty` is the statement that there is no run.
    output: &'static str,
    empty: &'static str,
    report: Report,
    outputs: Outputs,
    /// The trouble that ended the search, if any.
    trouble: Option<Trouble>,
    /// The options that continue the search.
    go_on: Option<String>,
}

pub fn run(options: &Options, terminal: &mut Terminal) -> Exit {
    if let Err(cause) = ctrlc::set_handler(interrupt) {
        return failed(terminal, &format!("cannot listen for signals: {cause}"));
    }
    compared(options, terminal).unwrap_or_else(|exit| exit)
}

/// Explores the subject, and the one that it is compared with.
fn compared(options: &Options, terminal: &mut Terminal) -> Result<Exit, Exit> {
    let file = options.file.as_ref().map(|file| file.to_string_lossy());
    let name = options.cmd.as_deref().or(file.as_deref()).unwrap_or_default();
    let one = found(name, options, terminal)?;
    let Some(other) = options.versus.as_ref().filter(|_| one.exit() == Exit::Fine) else {
        let outputs = one.outputs.listed(options.show, one.output);
        // A fault of a specification is printed before the outputs of runs without a fault.
        let (before, after) = match one.trouble {
            Some(Trouble::Stopped(_)) => (String::new(), outputs),
            Some(_) | None => (outputs, String::new()),
        };
        terminal.print(&before);
        let exit = one.report(terminal);
        terminal.print(&after);
        return Ok(exit);
    };
    let other = found(other, options, terminal)?;
    Ok(compare(one, other, options.show, terminal))
}

/// Reads the specification with this name, or takes the name as a command.
fn subject<'o>(name: &'o str, options: &Options, terminal: &mut Terminal) -> Result<ExploreSubject<'o>, Exit> {
    if options.cmd.is_some() {
        return Ok(ExploreSubject::Program(ExternalProgram { command: name, timeout: options.timeout }));
    }
    let spec = load::compile(name.as_ref(), &options.selection, terminal)?;
    Ok(ExploreSubject::Specification(Box::new(Behaviours::new(spec, options))))
}

/// Explores one program or specification with the strategy in the options.
fn found<'o>(name: &'o str, options: &Options, terminal: &mut Terminal) -> Result<SubjectReport<'o>, Exit> {
    let subject = subject(name, options, terminal)?;
    let explored = NamedSubject { name, subject: &subject, options };
    let mut bad = |error: token::TokenError| {
        if error != token::TokenError::Interrupted {
            return failed(terminal, &error.to_string());
        }
        terminal.complain(&format!("{name}: {error}\n  go on with the same --resume\n"));
        Exit::Interrupted
    };
    if let Some(run) = &options.replay {
        let run = token::read(run).map_err(&mut bad)?;
        return Ok(explored.visited(vec![Replay::new(run)], |_| None));
    }
    let mut found = explored.searched().map_err(bad)?;
    if let (ExploreSubject::Specification(behaviours), Some(Trouble::Stopped(known))) = (&subject, &found.trouble)
        && let Some((failure, trouble)) = shortest(behaviours, known, options.choices)
    {
        (found.report.failures, found.trouble) = (vec![failure], Some(trouble));
    }
    Ok(found)
}

impl SubjectReport<'_> {
    fn exit(&self) -> Exit {
        match (&self.trouble, self.report.ended) {
            (Some(trouble), _) => trouble.exit(),
            (None, _) if self.report.failed > 0 => Exit::SystemFailed,
            (None, Ended::Exhausted | Ended::Sampled | Ended::Replayed) if self.is_empty() => Exit::Failed,
            (None, Ended::Exhausted | Ended::Sampled | Ended::Replayed) if self.report.cut == 0 => Exit::Fine,
            (None, Ended::Interrupted) => Exit::Interrupted,
            (None, Ended::Mistake | Ended::Failure) => Exit::SystemFailed,
            (None, Ended::Exhausted | Ended::Sampled | Ended::Replayed) => Exit::Inconclusive,
            (None, Ended::Cut | Ended::Endless | Ended::Runs) => Exit::Inconclusive,
        }
    }

    /// Tests whether there was nothing to explore: no run was visited, and none was cut.
    fn is_empty(&self) -> bool {
        self.report.runs == 0 && self.report.cut == 0
    }

    /// Prints how the search ended, as a result or as a complaint. Returns the exit code.
    fn report(&self, terminal: &mut Terminal) -> Exit {
        let exit = self.exit();
        let outputs = match self.outputs.len() {
            1 => format!("1 {}", self.output),
            count => format!("{count} different {}s", self.output),
        };
        let report = self.report.to_string().replacen(", none failed", &format!(", {outputs}"), 1);
        let mut text = format!("{}: {report}\n", self.name);
        if let (Ended::Sampled, Some(estimate)) = (self.report.ended, self.report.estimate) {
            text.push_str(&format!("  {estimate}; runs with few choices are drawn more often than others\n"));
        }
        if self.trouble.is_none() && exit == Exit::Failed {
            text.push_str(self.empty);
        }
        if let Some(trace) = self.trouble.as_ref().map(Trouble::trace).filter(|trace| !trace.is_empty()) {
            text.push_str("  after\n");
            trace.lines().for_each(|line| text.push_str(&format!("  | {line}\n")));
        }
        match exit {
            Exit::Fine => terminal.print(&text),
            Exit::Rejected | Exit::Failed | Exit::Inconclusive | Exit::SystemFailed | Exit::Interrupted => {
                terminal.complain(&text);
            }
        }
        if [Ended::Interrupted, Ended::Runs, Ended::Endless].contains(&self.report.ended) {
            self.go_on.iter().for_each(|how| terminal.complain(&format!("  {how}\n")));
        }
        exit
    }
}

/// Prints the outputs that only one of the two has. It is certain that the other one does not have them only if all of its runs
/// were visited.
fn compare(one: SubjectReport, other: SubjectReport, show: usize, terminal: &mut Terminal) -> Exit {
    let exit = one.report(terminal).worst(other.report(terminal));
    if exit != Exit::Fine {
        return exit;
    }
    let whole = |found: &SubjectReport| found.report.ended == Ended::Exhausted;
    let (names, whole, output) = ([one.name, other.name], [whole(&other), whole(&one)], one.output);
    let (mine, theirs, common) = one.outputs.apart(other.outputs);
    terminal.print(&format!("{} in common\n", counted(common as u64, output)));
    let mut exit = Exit::Fine;
    for ((name, only), whole) in names.into_iter().zip([mine, theirs]).zip(whole) {
        if only.len() > 0 {
            let sure = if whole { "" } else { ", as far as was seen" };
            terminal.print(&format!(
                "only {name} has {}{sure}:\n{}",
                counted(only.len() as u64, output),
                only.listed(show, output)
            ));
            exit = exit.worst(if whole { Exit::Rejected } else { Exit::Inconclusive });
        }
    }
    exit
}
