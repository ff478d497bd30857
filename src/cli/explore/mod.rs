//! `mayhap explore`: every behaviour of a specification, or every run of a program that takes its choices from us, and
//! the set of what the runs print.
//!
//! `mayhap explore specs/kv.may` prints each trace once, with choices that lead to it, and `mayhap explore --cmd
//! ./transfer` each output; with `--versus ./other` what only one of the two has.

mod outputs;
mod program;
mod ran;
mod shortest;
mod specification;

use super::arguments::{Explore as Options, Order};
use super::exit::Exit;
use super::terminal::Terminal;
use super::{failed, load};
use crate::choice::{
    BreadthFirst, Chooser, Ended, Explore, Flaky, Odometer, Replay, Report, SMALL, Sampled, Step, Strategy, token,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outputs::Outputs;
use program::Program;
use ran::{Ran, Trouble};
use shortest::shortest;
use specification::Behaviours;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Set by a signal: the run at hand is finished, what was found is told.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What is explored.
enum Subject<'o> {
    Program(Program<'o>),
    Specification(Box<Behaviours>),
}

impl Subject<'_> {
    fn run(&self, c: &mut Chooser) -> Result<Ran, Trouble> {
        match self {
            Subject::Program(program) => program.run(c),
            Subject::Specification(specification) => specification.run(c),
        }
    }

    /// What a run prints is one.
    fn output(&self) -> &'static str {
        match self {
            Subject::Program(_) => "output",
            Subject::Specification(_) => "trace",
        }
    }

    /// What is said where no run exists.
    fn empty(&self) -> &'static str {
        match self {
            Subject::Program(_) => "  nothing was explored: every run is refused\n",
            Subject::Specification(_) => "  nothing was explored: try other values (--range)\n",
        }
    }
}

/// What was found out about one program or specification.
struct Found<'o> {
    name: &'o str,
    /// What its runs print, and what is said where there is none.
    output: &'static str,
    empty: &'static str,
    report: Report,
    outputs: Outputs,
    /// What kind of trouble ended it.
    trouble: Option<Trouble>,
    /// How to go on with what is left to visit, a line each.
    go_on: Vec<String>,
}

pub fn run(options: &Options, terminal: &mut Terminal) -> Exit {
    if let Err(cause) = ctrlc::set_handler(|| INTERRUPTED.store(true, Relaxed)) {
        return failed(terminal, &format!("cannot listen for signals: {cause}"));
    }
    compared(options, terminal).unwrap_or_else(|exit| exit)
}

/// Explores what is to be explored, and what that is compared with.
fn compared(options: &Options, terminal: &mut Terminal) -> Result<Exit, Exit> {
    let file = options.file.as_ref().map(|file| file.to_string_lossy());
    let name = options.cmd.as_deref().or(file.as_deref()).unwrap_or_default();
    let one = found(name, options, terminal)?;
    let Some(other) = options.versus.as_ref().filter(|_| one.exit() == Exit::Fine) else {
        let outputs = one.outputs.told(options.show, one.output);
        // A fault of a specification is not to be looked for behind what works.
        let (before, behind) = match one.trouble {
            Some(Trouble::Stopped(_)) => (String::new(), outputs),
            Some(_) | None => (outputs, String::new()),
        };
        terminal.print(&before);
        let exit = one.tell(terminal);
        terminal.print(&behind);
        return Ok(exit);
    };
    let other = found(other, options, terminal)?;
    Ok(compare(one, other, options.show, terminal))
}

/// Reads the specification of that name, or takes the command.
fn subject<'o>(name: &'o str, options: &Options, terminal: &mut Terminal) -> Result<Subject<'o>, Exit> {
    if options.cmd.is_some() {
        return Ok(Subject::Program(Program { command: name, timeout: options.timeout }));
    }
    let spec = load::compile(name.as_ref(), &options.selection, terminal)?;
    Ok(Subject::Specification(Box::new(Behaviours::new(spec, options))))
}

/// Explores one program or specification by the strategy that is asked for.
fn found<'o>(name: &'o str, options: &Options, terminal: &mut Terminal) -> Result<Found<'o>, Exit> {
    let subject = subject(name, options, terminal)?;
    let explored = Explored { name, subject: &subject, options };
    let bad = |error: token::TokenError| failed(terminal, &error.to_string());
    if let Some(run) = &options.replay {
        let run = token::read(run).map_err(bad)?;
        return Ok(explored.visited(vec![Replay::new(run)], |_| Vec::new()));
    }
    let mut found = explored.searched().map_err(bad)?;
    if let (Subject::Specification(behaviours), Some(Trouble::Stopped(known))) = (&subject, &found.trouble)
        && let Some((failure, trouble)) = shortest(behaviours, known, options.choices)
    {
        (found.report.failures, found.trouble) = (vec![failure], Some(trouble));
    }
    Ok(found)
}

/// What a program under exploration is to the library: it fails where a run has no output.
type Runs<'p> = dyn Fn(&mut Chooser) -> Result<(), String> + Sync + 'p;

/// What runs printed, and what trouble there was.
type Seen = (Outputs, Vec<Trouble>);

/// A subject, by its name, and how it is to be explored.
#[derive(Clone, Copy)]
struct Explored<'o, 's> {
    name: &'o str,
    subject: &'s Subject<'o>,
    options: &'s Options,
}

impl<'o> Explored<'o, '_> {
    /// Explores by the strategy that is asked for.
    fn searched(&self) -> Result<Found<'o>, token::TokenError> {
        if let Some(runs) = self.options.sample {
            return Ok(self.sampled(runs.get() as u64));
        }
        if self.options.order == Order::BreadthFirst {
            let anew = "a breadth-first search cannot be resumed, a depth-first one can";
            return Ok(self.visited(vec![BreadthFirst::new()], |_| vec![anew.to_owned()]));
        }
        let resume = |saved: &String| Odometer::resume(saved, self.options.choices, |c| self.subject.run(c).map(drop));
        let resumed: Vec<Odometer> = self.options.resume.iter().map(resume).collect::<Result<_, _>>()?;
        let parts = if resumed.is_empty() { vec![Odometer::new()] } else { resumed };
        Ok(self
            .visited(parts, |parts| parts.iter().map(|part| format!("go on with --resume {}", part.save())).collect()))
    }

    /// Visits what several searches have before them.
    fn visited<S: Strategy + Send>(&self, parts: Vec<S>, go_on: impl Fn(&[S]) -> Vec<String>) -> Found<'o> {
        let jobs = self.options.jobs;
        let (report, seen, parts) =
            self.search(parts, |search, one| if jobs == 1 { search.run(one) } else { search.run_on(jobs, one) });
        self.found(report, seen, go_on(&parts))
    }

    /// Visits all runs where there are few, else as many drawn ones. What was seen before there were known to be more
    /// is no sample, and forgotten.
    fn sampled(&self, runs: u64) -> Found<'o> {
        let (seed, jobs) = (self.options.seed, self.options.jobs);
        let few = runs.min(SMALL).min(self.options.runs.unwrap_or(u64::MAX));
        let (report, seen, _) = self.search(vec![Odometer::new()], |search, one| search.run_if_few(few, one));
        if let Some(report) = report {
            return self.found(report, seen, vec![format!("go on with --sample {runs} --seed {seed}")]);
        }
        // In rounds even where they are on one thread: what is drawn before a failure ends it does not depend on that.
        let drawn = vec![Sampled::new(seed, runs)];
        let (report, seen, parts) = self.search(drawn, |search, one| search.run_on(jobs, one));
        let left: u64 = parts.iter().map(Sampled::left).sum();
        self.found(
            report,
            seen,
            vec![format!("go on with other runs: --sample {left} --seed {}", seed.wrapping_add(1))],
        )
    }

    /// Runs a search within the bounds that are asked for; what its runs printed, and what is left.
    fn search<S: Strategy + Send, R>(
        &self,
        parts: Vec<S>,
        run: impl FnOnce(&mut Explore<S>, &Runs) -> R,
    ) -> (R, Seen, Vec<S>) {
        let progress = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        progress.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let runs = self.options.runs.unwrap_or(u64::MAX);
        let search = Explore::of(parts).runs(runs).choices(self.options.choices).until_failure().shrinking(0);
        let mut search = search.watched(|so_far| {
            progress.set_message(format!("{}: {} runs", self.name, so_far.runs));
            if INTERRUPTED.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let seen: Mutex<Seen> = Mutex::default();
        let report = run(&mut search, &|c| self.one(c, &seen));
        let rest = search.into_rest();
        progress.finish_and_clear();
        (report, seen.into_inner().unwrap_or_else(PoisonError::into_inner), rest)
    }

    /// One run, whose output or trouble is noted.
    fn one(&self, c: &mut Chooser, seen: &Mutex<Seen>) -> Result<(), String> {
        let ran = self.subject.run(c);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        match ran {
            Ok(ran) => seen.0.add(ran),
            Err(Trouble::Escaped(error)) => return Err(error.to_string()),
            Err(trouble) => {
                seen.1.push(trouble.clone());
                return Err(trouble.to_string());
            }
        }
        Ok(())
    }

    /// How a run that ended in trouble ends when it is run again, where that is otherwise. What else it prints to standard
    /// error is no difference.
    fn flaky(&self, trouble: &Trouble, run: &[Step]) -> Option<Flaky> {
        let (again, (_, troubles), _) = self.search(vec![Replay::new(run.to_vec())], |search, one| search.run(one));
        match (again.mistake, troubles.into_iter().next()) {
            _ if again.ended == Ended::Interrupted => None,
            (Some(mistake), _) => Some(Flaky::Escaped(mistake.error)),
            (None, Some(other)) if other.is_like(trouble) => None,
            (None, Some(other)) => Some(Flaky::Failed(other.to_string())),
            (None, None) => Some(Flaky::Passed),
        }
    }

    fn found(&self, mut report: Report, (outputs, troubles): Seen, go_on: Vec<String>) -> Found<'o> {
        let trouble = report.failures.first().and_then(|failure| {
            let is_it = |trouble: &Trouble| trouble.to_string() == failure.message;
            troubles.into_iter().find(|it| is_it(it) && it.run().is_none_or(|run| *run == failure.run))
        });
        let repeats = matches!(self.subject, Subject::Program(_)) && report.ended != Ended::Replayed;
        if let (Some(trouble), Some(failure)) = (trouble.as_ref().filter(|_| repeats), report.failures.first_mut()) {
            failure.flaky = self.flaky(trouble, &failure.run);
        }
        let (output, empty) = (self.subject.output(), self.subject.empty());
        Found { name: self.name, output, empty, report, outputs, trouble, go_on }
    }
}

impl Found<'_> {
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

    /// Whether there was nothing to explore.
    fn is_empty(&self) -> bool {
        self.report.runs == 0 && self.report.cut == 0
    }

    /// How it ended: a result where nothing is wrong, else a complaint.
    fn tell(&self, terminal: &mut Terminal) -> Exit {
        let exit = self.exit();
        let outputs = match self.outputs.len() {
            1 => format!("1 {}", self.output),
            count => format!("{count} different {}s", self.output),
        };
        let report = self.report.to_string().replacen(", none failed", &format!(", {outputs}"), 1);
        let mut text = format!("{}: {report}\n", self.name);
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
            self.go_on.iter().for_each(|line| terminal.complain(&format!("  {line}\n")));
        }
        exit
    }
}

/// Tells the outputs that only one of two has. That the other does not have one is certain where all of its runs were
/// visited.
fn compare(one: Found, other: Found, show: usize, terminal: &mut Terminal) -> Exit {
    let exit = one.tell(terminal).worst(other.tell(terminal));
    if exit != Exit::Fine {
        return exit;
    }
    let whole = |found: &Found| found.report.ended == Ended::Exhausted;
    let (names, whole, output) = ([one.name, other.name], [whole(&other), whole(&one)], one.output);
    let (mine, theirs, common) = one.outputs.apart(other.outputs);
    terminal.print(&format!("{common} {output}s in common\n"));
    let mut exit = Exit::Fine;
    for ((name, only), whole) in names.into_iter().zip([mine, theirs]).zip(whole) {
        if only.len() > 0 {
            let sure = if whole { "" } else { ", as far as was seen" };
            terminal.print(&format!("only {name} has {} {output}s{sure}:\n{}", only.len(), only.told(show, output)));
            exit = exit.worst(if whole { Exit::Rejected } else { Exit::Inconclusive });
        }
    }
    exit
}
