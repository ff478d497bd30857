//! `mayhap mutate`: the mutants of a specification, and how many of them testing finds.
//!
//! `mayhap mutate specs/cmp_rst.may` prints `1  specs/cmp_rst.may:14: replace `0` with `1`` and so on.

use super::arguments::{Format, SpecArguments};
use super::exit::Exit;
use super::terminal::Terminal;
use super::{failed, files, load};
use clap::Args;
use mayhap::choice::counted;
use mayhap::json;
use mayhap::mutate::{Mutant, mutants};
use mayhap::spec::{Spec, Tasks};
use std::path::PathBuf;
use std::sync::Arc;

/// The help behind the options.
pub const MUTATE_HELP: &str = "\
Examples:
  mayhap mutate specs/kv_etag.may
  mayhap serve specs/kv_etag.may --tcp 127.0.0.1:7000 --mutant 3

A mutant is the specification with one small change, as a mistake in a server would be: `<=` instead
of `<`, a condition or an assignment left out, another answer. What only takes choices away from
the server is not among them: all that such a server does, the specification allows.";

/// `mayhap mutate`
#[derive(Args, Debug)]
pub struct MutateArguments {
    /// The specification; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
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
    }
    let width = mutants.len().to_string().len();
    for mutant in &mutants {
        terminal.print(&match options.format {
            Format::Text => format!("{:width$}  {mutant}\n", mutant.number),
            Format::Json => format!("{}\n", listed(mutant)),
        });
    }
    Exit::Fine
}

/// A mutant as a JSON object.
fn listed(mutant: &Mutant) -> String {
    let [place, change] = [&mutant.place, &mutant.change].map(|text| json::quoted(text));
    format!("{{\"mutant\":{},\"place\":{place},\"change\":{change}}}", mutant.number)
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
