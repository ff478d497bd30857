//! `mayhap explore`: every run of a program that takes its choices from us, and the set of what the runs print.
//!
//! `mayhap explore --cmd ./transfer` prints each output once, with choices that lead to it; with `--versus ./other` the
//! outputs that only one of two programs has.

mod outputs;
mod program;

use super::arguments::{Explore as Options, Order};
use super::exit::Exit;
use super::failed;
use super::terminal::Terminal;
use crate::choice::{BreadthFirst, Chooser, Ended, Explore, Odometer, Replay, Report, Sampled, Strategy, token};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outputs::Outputs;
use program::{Program, Trouble};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Set by a signal: the run at hand is finished, what was found is told.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What was found out about one program.
struct Found {
    report: Report,
    outputs: Outputs,
    /// What kind of trouble ended it.
    trouble: Option<Trouble>,
    /// What is left to visit.
    rest: Vec<String>,
}

pub fn run(options: &Options, terminal: &mut Terminal) -> Exit {
    if let Err(cause) = ctrlc::set_handler(|| INTERRUPTED.store(true, Relaxed)) {
        return failed(terminal, &format!("cannot listen for signals: {cause}"));
    }
    let found = match found(&options.cmd, options) {
        Ok(found) => found,
        Err(why) => return failed(terminal, &why),
    };
    let Some(other) = options.versus.as_ref().filter(|_| found.exit() == Exit::Fine) else {
        terminal.print(&found.outputs.told(options.show));
        return found.tell(&options.cmd, terminal);
    };
    match self::found(other, options) {
        Ok(versus) => compare((&options.cmd, found), (other, versus), options.show, terminal),
        Err(why) => failed(terminal, &why),
    }
}

/// Explores one program by the strategy that is asked for.
fn found(command: &str, options: &Options) -> Result<Found, String> {
    let program = Program { command, timeout: Duration::from_secs_f64(options.timeout.clamp(0.001, 1e9)) };
    let bad = |error: token::TokenError| error.to_string();
    if let Some(run) = &options.replay {
        let run = token::read(run).map_err(bad)?;
        return Ok(search(Explore::new(Replay::new(run)), &program, options, |_| Vec::new()));
    }
    if let Some(runs) = options.sample {
        return Ok(search(Explore::new(Sampled::new(options.seed, runs)), &program, options, |_| Vec::new()));
    }
    if options.order == Order::BreadthFirst {
        return Ok(search(Explore::new(BreadthFirst::new()), &program, options, |_| Vec::new()));
    }
    let resume = |saved: &String| Odometer::resume(saved, options.choices, |c| program.run(c).map(drop));
    let resumed: Vec<Odometer> = options.resume.iter().map(resume).collect::<Result<_, _>>().map_err(bad)?;
    let parts = if resumed.is_empty() { vec![Odometer::new()] } else { resumed };
    Ok(search(Explore::of(parts), &program, options, |parts| parts.iter().map(Odometer::save).collect()))
}

fn search<S: Strategy + Send>(
    search: Explore<S>,
    program: &Program,
    options: &Options,
    save: impl Fn(&[S]) -> Vec<String>,
) -> Found {
    let progress = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    progress.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
    let mut search =
        search.runs(options.runs.unwrap_or(u64::MAX)).choices(options.choices).until_failure().shrinking(0).watched(
            |so_far| {
                progress.set_message(format!("{}: {} runs", program.command, so_far.runs));
                if INTERRUPTED.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
    let seen: Mutex<(Outputs, Vec<Trouble>)> = Mutex::default();
    let one = |c: &mut Chooser| -> Result<(), String> {
        let ran = program.run(c);
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
    };
    let report = if options.jobs == 1 { search.run(one) } else { search.run_on(options.jobs, one) };
    let rest = save(search.rest());
    drop(search);
    progress.finish_and_clear();
    let (outputs, troubles) = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first = report.failures.first().map(|failure| failure.message.as_str());
    let trouble = troubles.into_iter().find(|trouble| Some(trouble.to_string().as_str()) == first);
    Found { report, outputs, trouble, rest }
}

impl Found {
    fn exit(&self) -> Exit {
        match (&self.trouble, self.report.ended) {
            (Some(Trouble::Endless(_) | Trouble::TooMuch), _) => Exit::Inconclusive,
            (Some(Trouble::NoProgram(_) | Trouble::System(_)), _) => Exit::Failed,
            (Some(Trouble::Died(..) | Trouble::Malformed(_) | Trouble::Escaped(_)), _) => Exit::SystemFailed,
            (None, Ended::Exhausted | Ended::Sampled) if self.report.cut == 0 => Exit::Fine,
            (None, Ended::Interrupted) => Exit::Interrupted,
            (None, Ended::Mistake | Ended::Failure) => Exit::SystemFailed,
            (None, Ended::Exhausted | Ended::Sampled | Ended::Cut | Ended::Endless | Ended::Runs) => Exit::Inconclusive,
        }
    }

    /// How it ended: a result where nothing is wrong, else a complaint.
    fn tell(&self, command: &str, terminal: &mut Terminal) -> Exit {
        let exit = self.exit();
        let outputs = match self.outputs.len() {
            1 => "1 output".into(),
            count => format!("{count} different outputs"),
        };
        let text =
            format!("{command}: {}\n", self.report.to_string().replacen(", none failed", &format!(", {outputs}"), 1));
        match exit {
            Exit::Fine => terminal.print(&text),
            Exit::Rejected | Exit::Failed | Exit::Inconclusive | Exit::SystemFailed | Exit::Interrupted => {
                terminal.complain(&text);
            }
        }
        if exit == Exit::Interrupted || self.report.ended == Ended::Runs {
            self.rest.iter().for_each(|rest| terminal.complain(&format!("  go on with --resume {rest}\n")));
        }
        exit
    }
}

/// Tells the outputs that only one of two programs has. That the other does not have one is certain where all of its
/// runs were visited.
fn compare(one: (&str, Found), other: (&str, Found), show: usize, terminal: &mut Terminal) -> Exit {
    let exit = one.1.tell(one.0, terminal).worst(other.1.tell(other.0, terminal));
    if exit != Exit::Fine {
        return exit;
    }
    let whole = |found: &Found| found.report.ended == Ended::Exhausted;
    let whole = [whole(&other.1), whole(&one.1)];
    let (mine, theirs, common) = one.1.outputs.apart(other.1.outputs);
    terminal.print(&format!("{common} outputs in common\n"));
    let mut exit = Exit::Fine;
    for ((command, only), whole) in [(one.0, mine), (other.0, theirs)].into_iter().zip(whole) {
        if only.len() > 0 {
            let sure = if whole { "" } else { ", as far as was seen" };
            terminal.print(&format!("only {command} has {} outputs{sure}:\n{}", only.len(), only.told(show)));
            exit = exit.worst(if whole { Exit::Rejected } else { Exit::Inconclusive });
        }
    }
    exit
}
