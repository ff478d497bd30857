//! The command `mayhap`: arguments, files, the terminal and exit codes. All other work is in the library.
//!
//! `mayhap check specs/kv.may` parses its arguments to a [`arguments::Command`], runs it, and ends with an [`exit::Exit`]: 0 if
//! nothing is wrong, and 2 if the specification has errors.

pub mod arguments;
mod check;
mod configuration;
mod convert;
mod cost;
mod dualize;
mod explore;
mod fmt;
pub mod load;
pub mod mutate;
mod new;
mod observed;
mod sample;
mod serve;
mod simulate;
pub mod terminal;
mod test;
mod types;
pub mod validate;
mod watch;

use arguments::{Arguments, Command};
use clap::CommandFactory;
use mayhap::limits::end::WorkEnd;
use mayhap::solve;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use terminal::Terminal;
use terminal::exit::Exit;
use test::stopping;

/// Runs the command that the process was started with.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    ExitCode::from(run_words(&words))
}

/// Runs a command, given as its words, and returns its exit code. The first word is the name of the program.
#[must_use]
pub fn run_words(words: &[OsString]) -> u8 {
    let arguments = match configuration::parse(words) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            // If nobody reads the message any more, the exit code still tells.
            _ = refusal.print();
            return refusal.exit_code() as u8;
        }
    };
    let mut terminal = Terminal::new(arguments.color);
    let exit = run(&arguments.command, &mut terminal);
    if terminal.finish() { exit.code() } else { Exit::Failed.code() }
}

/// Runs one command.
pub fn run(command: &Command, terminal: &mut Terminal) -> Exit {
    if let Some(refusal) = stdin_twice(command) {
        return failed(terminal, refusal);
    }
    if let Some(refusal) = solve::unsupported_z3() {
        return failed(terminal, &refusal);
    }
    let stop = is_cut_off(command).then(stopping::soon);
    let _end = stop.as_ref().map(|stop| WorkEnd::of(stop).enter());
    let exit = run_to_end(command, terminal);
    let is_stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    if is_stopped { exit.worst(Exit::Interrupted) } else { exit }
}

/// Tests whether a signal ends a command wherever it is: all that it has found by then is written.
fn is_cut_off(command: &Command) -> bool {
    match command {
        Command::Check(_) | Command::Fmt(_) | Command::Dualize(_) | Command::Types(_) => true,
        Command::Simulate(_) => true,
        Command::Convert(_) | Command::Mutate(_) | Command::New(_) | Command::Completions { .. } => true,
        Command::Sample(_) => true,
        Command::Serve(_) | Command::Validate(_) | Command::Explore(_) => false,
        Command::Test(_) | Command::Replay(_) | Command::Watch(_) => false,
    }
}

fn run_to_end(command: &Command, terminal: &mut Terminal) -> Exit {
    match command {
        Command::Check(options) => check::run(options, terminal),
        Command::Fmt(options) => fmt::run(options, terminal),
        Command::Dualize(options) => dualize::run(options, terminal),
        Command::Types(options) => types::run(options, terminal),
        Command::Simulate(options) => simulate::run(options, terminal),
        Command::Serve(options) => serve::run(options, terminal),
        Command::Validate(options) => validate::run(options, terminal),
        Command::Convert(options) => convert::run(options, terminal),
        Command::Explore(options) => explore::run(options, terminal),
        Command::Test(options) => test::run(options, terminal),
        Command::Replay(options) => test::replay::run(options, terminal),
        Command::Watch(options) => watch::run(options, terminal),
        Command::Sample(options) => sample::run(options, terminal),
        Command::Mutate(options) => mutate::run(options, terminal),
        Command::New(options) => new::run(options, terminal),
        Command::Completions { shell } => {
            terminal.print(&completions(*shell));
            Exit::Fine
        }
    }
}

/// Prints why the job could not be done.
fn failed(terminal: &mut Terminal, why: &str) -> Exit {
    terminal.complain(&format!("error: {why}\n"));
    Exit::Failed
}

fn stdin_twice(command: &Command) -> Option<&'static str> {
    let files: Vec<PathBuf> = match command {
        Command::Check(options) => options.files.clone(),
        Command::Fmt(options) => options.files.clone(),
        Command::Validate(options) => options.traces.iter().chain([&options.file]).cloned().collect(),
        Command::Convert(options) => options.target.iter().chain([&options.trace]).cloned().collect(),
        Command::Explore(options) => options.files(),
        Command::Dualize(_) | Command::Types(_) | Command::Simulate(_) | Command::Serve(_) => Vec::new(),
        Command::Mutate(_)
        | Command::Sample(_)
        | Command::Test(_)
        | Command::Replay(_)
        | Command::Watch(_)
        | Command::New(_)
        | Command::Completions { .. } => Vec::new(),
    };
    let stdin = files.iter().filter(|path| terminal::files::is_stdin(path)).count();
    (stdin > 1).then_some("standard input (`-`) can only be read once")
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "mayhap", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example() {
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example") && help.contains("mayhap "), "{}", command.get_name());
        }
    }
}
