//! `mayhap mutate`: the mutants of a specification, and how many of them tests find.
//!
//! `mayhap mutate specs/cmp_rst.may` prints `1  specs/cmp_rst.may:14: replace `0` with `1`` and so on.

use super::arguments::mutate_arguments::MutateArguments;
use super::arguments::selection::Format;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::validate::parallel;
use super::{failed, load};
use mayhap::choice::counted;
use mayhap::harness::MutantTester;
use mayhap::json;
use mayhap::limits::end::{self, WorkEnd};
use mayhap::mutate::{Comparing, Mutant, MutantFate, MutationScore, fate, mutants};
use mayhap::spec::{Spec, Tasks};
use std::sync::{Arc, Mutex, PoisonError};

pub fn run(options: &MutateArguments, terminal: &mut Terminal) -> Exit {
    let spec = match load::compile_for(Tasks::Either, &options.file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let mutants = mutants(&spec);
    if mutants.is_empty() {
        terminal.complain(&format!("{}: there is nothing to change\n", files::shown(&options.file)));
        return if options.score { Exit::Failed } else { Exit::Fine };
    }
    if options.score {
        return score(&spec, &mutants, options, terminal);
    }
    for mutant in &mutants {
        terminal.print(&match options.format {
            Format::Text => format!("{}\n", numbered_line(mutant, mutants.len())),
            Format::Json => format!("{{{}}}\n", listed(mutant)),
        });
    }
    Exit::Fine
}

fn numbered_line(mutant: &Mutant, count: usize) -> String {
    let width = count.to_string().len();
    format!("{:width$}  {mutant}", mutant.number)
}

/// Tests each mutant, and prints the results in the order of their numbers, as soon as they are known.
fn score(spec: &Arc<Spec>, mutants: &[Mutant], options: &MutateArguments, terminal: &mut Terminal) -> Exit {
    let workers = if options.jobs == 0 { parallel::workers() } else { options.jobs };
    let comparing = Mutex::new(Vec::new());
    let end = WorkEnd::current();
    let test = |mutant: &Mutant| {
        let _end = end.clone().enter();
        let idle = comparing.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut own = idle.unwrap_or_else(|| Comparing::new(spec));
        let mut killer = MutantTester { requests: options.requests };
        let fate = fate(spec, mutant, &mut killer, options.seed, &mut own);
        comparing.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        // What was cut off by a signal says nothing.
        (!end::is_over()).then_some(fate)
    };
    let mut reported = Vec::new();
    parallel::in_order(mutants, workers, test, |fate| {
        let Some(fate) = fate else { return };
        terminal.print(&line(&mutants[reported.len()], &fate, mutants.len(), options.format));
        terminal.flush();
        reported.push(fate);
    });
    if end::is_over() {
        terminal.complain(&format!("interrupted: {} of {} mutants were tested\n", reported.len(), mutants.len()));
    }
    let score = MutationScore::of(&reported);
    terminal.print(&match options.format {
        Format::Text => format!("{score}\n"),
        Format::Json => format!(
            "{{\"mutants\":{},\"killed\":{},\"refinements\":{},\"missed\":{},\"undecided\":{},\"median_requests\":{}}}\n",
            score.mutants, score.killed, score.refinements, score.missed, score.undecided, score.median_requests
        ),
    });
    match score {
        MutationScore { missed: 1.., .. } => Exit::Rejected,
        MutationScore { undecided: 1.., .. } => Exit::Inconclusive,
        MutationScore { .. } => Exit::Fine,
    }
}

/// The line for a tested mutant.
fn line(mutant: &Mutant, fate: &MutantFate, count: usize, format: Format) -> String {
    match format {
        Format::Text => format!("{}: {fate}\n", numbered_line(mutant, count)),
        Format::Json => {
            let requests = match fate {
                MutantFate::Killed(requests, setting) => {
                    let set =
                        |(name, value): &(String, String)| format!("{}:{}", json::quoted(name), json::quoted(value));
                    let set = setting.iter().map(set).collect::<Vec<_>>().join(",");
                    format!(",\"requests\":{requests},\"set\":{{{set}}}")
                }
                MutantFate::Missed(requests) => format!(",\"enough\":{requests}"),
                MutantFate::Refinement(bound) => {
                    let requests = bound.requests.map_or("null".to_owned(), |requests| requests.to_string());
                    format!(",\"up_to\":{{\"requests\":{requests},\"values\":{}}}", bound.values)
                }
                MutantFate::Undecided => String::new(),
                MutantFate::Untested(why) => format!(",\"why\":{}", json::quoted(why)),
            };
            format!("{{{},\"fate\":\"{}\"{requests}}}\n", listed(mutant), fate.name())
        }
    }
}

/// The members of a JSON object for a mutant.
fn listed(mutant: &Mutant) -> String {
    let [place, change] = [&mutant.place, &mutant.change].map(|text| json::quoted(text));
    format!("\"mutant\":{},\"place\":{place},\"change\":{change}", mutant.number)
}

/// The mutant with this number.
///
/// # Errors
/// There is none; this was reported.
pub fn numbered(spec: &Arc<Spec>, number: usize, terminal: &mut Terminal) -> Result<Arc<Spec>, Exit> {
    let mutants = mutants(spec);
    let found = mutants.iter().find(|mutant| mutant.number == number).and_then(|mutant| mutant.of(spec).ok());
    found.ok_or_else(|| {
        let there = match mutants.len() {
            0 => "it has none".to_owned(),
            count => {
                format!("it has {}, from 1 to {count} (`mayhap mutate` lists them)", counted(count as u64, "mutant"))
            }
        };
        failed(terminal, &format!("the specification has no mutant {number}: {there}"))
    })
}
