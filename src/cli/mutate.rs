//! `mayhap mutate`: the mutants of a specification, and how many of them testing finds.
//!
//! `mayhap mutate specs/cmp_rst.may` prints `1  specs/cmp_rst.may:14: replace `0` with `1`` and so on.

use super::arguments::{Format, SpecArguments};
use super::exit::Exit;
use super::terminal::Terminal;
use super::values::count;
use super::{abreast, failed, files, load};
use clap::Args;
use mayhap::choice::counted;
use mayhap::json;
use mayhap::mutate::{Comparing, Fate, Mutant, MutantTester, MutationScore, fate, mutants};
use mayhap::spec::{Spec, Tasks};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The help behind the options.
pub const MUTATE_HELP: &str = "\
Examples:
  mayhap mutate specs/kv_etag.may
  mayhap mutate specs/kv_etag.may --score
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:7000 --mutant 3

A mutant is the specification with one small change, as a mistake in a server would be: `<=` instead
of `<`, a condition or an assignment left out, another answer. What only takes choices away from
the server is not among them: all that such a server does, the specification allows.

With --score each mutant is tested; one that is not found, with other values of the constants, too:
truth values negated, large integers small. What is still not found is compared: it is
missed where a few requests tell them apart, and a refinement where none do, up to the bound that is
printed: all sequences of so many requests, each scalar in them one of so many values, were tried.

Exit codes: 0 if no mutant is missed, 1 if some are, 2 if there is none or the specification is
wrong, 3 if nothing could be said of some.";

/// `mayhap mutate`
#[derive(Args, Debug)]
pub struct MutateArguments {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Test each mutant, and tell which are found
    #[arg(long)]
    pub score: bool,
    /// Number of requests to test each mutant with
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = count::<u64>, requires = "score")]
    #[arg(allow_hyphen_values = true)]
    pub requests: u64,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, requires = "score", value_parser = count::<u64>)]
    #[arg(allow_hyphen_values = true)]
    pub seed: u64,
    /// Number of mutants to test in parallel; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, requires = "score", value_parser = count::<usize>)]
    #[arg(allow_hyphen_values = true)]
    pub jobs: usize,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Which specification.
    #[command(flatten)]
    pub selection: SpecArguments,
}

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

/// Tests each mutant; tells what became of it when that is known, in the order of their numbers.
fn score(spec: &Arc<Spec>, mutants: &[Mutant], options: &MutateArguments, terminal: &mut Terminal) -> Exit {
    let workers = if options.jobs == 0 { abreast::workers() } else { options.jobs };
    let comparing = Mutex::new(Vec::new());
    let test = |mutant: &Mutant| {
        let idle = comparing.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut own = idle.unwrap_or_else(|| Comparing::new(spec));
        let mut killer = MutantTester { requests: options.requests };
        let fate = fate(spec, mutant, &mut killer, options.seed, &mut own);
        comparing.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        fate
    };
    let mut told = Vec::new();
    abreast::in_order(mutants, workers, test, |fate| {
        terminal.print(&line(&mutants[told.len()], &fate, mutants.len(), options.format));
        terminal.flush();
        told.push(fate);
    });
    let score = MutationScore::of(&told);
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

/// The line of a mutant that was tested.
fn line(mutant: &Mutant, fate: &Fate, count: usize, format: Format) -> String {
    match format {
        Format::Text => format!("{}: {fate}\n", numbered_line(mutant, count)),
        Format::Json => {
            let requests = match fate {
                Fate::Killed(requests, setting) => {
                    let set =
                        |(name, value): &(String, String)| format!("{}:{}", json::quoted(name), json::quoted(value));
                    let set = setting.iter().map(set).collect::<Vec<_>>().join(",");
                    format!(",\"requests\":{requests},\"set\":{{{set}}}")
                }
                Fate::Missed(requests) => format!(",\"enough\":{requests}"),
                Fate::Refinement(bound) => {
                    let requests = bound.requests.map_or("null".to_owned(), |requests| requests.to_string());
                    format!(",\"up_to\":{{\"requests\":{requests},\"values\":{}}}", bound.values)
                }
                Fate::Undecided => String::new(),
                Fate::Untested(why) => format!(",\"why\":{}", json::quoted(why)),
            };
            format!("{{{},\"fate\":\"{}\"{requests}}}\n", listed(mutant), fate.name())
        }
    }
}

/// The fields of a mutant as a JSON object.
fn listed(mutant: &Mutant) -> String {
    let [place, change] = [&mutant.place, &mutant.change].map(|text| json::quoted(text));
    format!("\"mutant\":{},\"place\":{place},\"change\":{change}", mutant.number)
}

/// A mutant by its number.
///
/// # Errors
/// That there is none; it has been said.
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
