//! `mayhap replay`: runs scripts that showed failures again.
//!
//! `mayhap replay specs/kv_etag.may mayhap-regressions/48-put-nocontent.ndjson --sut 127.0.0.1:7000` prints `fixed` or
//! `fails 20 of 20`.

use super::stopping;
use super::{NO_SUT, judging};
use crate::cli::arguments::testing_arguments::{ExportLanguage, ReplayArguments};
use crate::cli::arguments::values::ConstantArg;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::files;
use crate::cli::{failed, load};
use mayhap::harness::{WaitLimits, read_script, replay};
use mayhap::limits::end::WorkEnd;
use mayhap::report::campaign::RegressionOutcome;
use mayhap::report::campaign::shell::{self, word};
use mayhap::script::{Script, ScriptHeader};
use mayhap::spec::{Spec, Tasks};
use mayhap::sut;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The file of a script, with the script or the reason why it cannot be read.
type ReadScript<'s> = (&'s Path, Result<Script, String>);

pub fn run(options: &ReplayArguments, terminal: &mut Terminal) -> Exit {
    let (header, first) = match first_header(&options.scripts) {
        Ok(found) => found,
        Err(whys) => {
            let paths = options.scripts.iter();
            paths.zip(&whys).for_each(|(path, why)| terminal.complain(&unreadable(path, why)));
            return Exit::Failed;
        }
    };
    let (options, file) = match with_said(options, header, first) {
        Ok(found) => found,
        Err(why) => return failed(terminal, &why),
    };
    let spec = match load::compile_for(Tasks::Either, &file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let scripts: Vec<ReadScript<'_>> = options
        .scripts
        .iter()
        .map(|path| (path.as_path(), read_script(&spec, path).map_err(|why| why.to_string())))
        .collect();
    let is_any_read = scripts.iter().any(|(_, script)| script.is_ok());
    if options.export == Some(ExportLanguage::Rust) || !is_any_read {
        return export(&spec, &file, &scripts, terminal);
    }
    let stop = stopping::begin();
    let _end = WorkEnd::of(&stop).enter();
    let Some(address) = &options.system.sut else { return failed(terminal, NO_SUT) };
    let mut system = match sut::open(&spec, address, &options.system.start_options(&stop)) {
        Ok(system) => system,
        Err(failure) => return failed(terminal, &failure.to_string()),
    };
    let judging = match judging(&spec, &options.system) {
        Ok(judging) => judging,
        Err(why) => return failed(terminal, &why),
    };
    let deadline = options.system.deadline;
    let patience = WaitLimits { deadline, silence: deadline, stop: &stop, until: None };
    let mut worst = Exit::Fine;
    for (path, script) in &scripts {
        let script = match script {
            Ok(script) => script,
            Err(why) => {
                terminal.print(&unreadable(path, why));
                worst = worst.worst(Exit::Failed);
                continue;
            }
        };
        let clients = options.system.clients.get();
        let outcome = replay(&judging, script, &mut *system, clients, patience, options.times.get()).outcome;
        let (said, exit) = match outcome {
            RegressionOutcome::Pass if script.header.cause.is_none() => ("passes".to_owned(), Exit::Fine),
            RegressionOutcome::Pass => ("fixed".to_owned(), Exit::Fine),
            RegressionOutcome::Fails(failed, of) => (format!("fails {failed} of {of}"), Exit::Rejected),
            RegressionOutcome::Otherwise(cause) => (format!("fails otherwise: {cause}"), Exit::Rejected),
            RegressionOutcome::Outside(why) => (format!("outside the specification: {why}"), Exit::Failed),
            RegressionOutcome::Undecided(why) => (format!("undecided: {why}"), Exit::Inconclusive),
            RegressionOutcome::Error(_) if stop.load(Ordering::Relaxed) => return worst.worst(Exit::Interrupted),
            RegressionOutcome::Error(why) => (format!("error: {why}"), Exit::SystemFailed),
        };
        terminal.print(&format!("{}: {said}\n", files::shown(path)));
        terminal.flush();
        worst = worst.worst(exit);
    }
    worst
}

/// Prints scripts as tests.
fn export(spec: &Arc<Spec>, file: &Path, scripts: &[ReadScript<'_>], terminal: &mut Terminal) -> Exit {
    let mut worst = Exit::Fine;
    for (path, script) in scripts {
        match script {
            Ok(script) => terminal.print(&super::export::rust(spec, file, path, script)),
            Err(why) => {
                terminal.complain(&unreadable(path, why));
                worst = Exit::Failed;
            }
        }
    }
    worst
}

/// The message that a script cannot be read: `FILE: error: WHY`, and the lines that show the place.
fn unreadable(path: &Path, why: &str) -> String {
    let shown = files::shown(path);
    let why = why.trim_end().trim_start_matches("error: ");
    let why = why.strip_prefix(&format!("{shown}: ")).unwrap_or(why);
    format!("{shown}: error: {why}\n")
}

/// The header of the first script that can be read, with its file; or the reasons why none can.
pub fn first_header(scripts: &[PathBuf]) -> Result<(ScriptHeader, &Path), Vec<String>> {
    let mut whys = Vec::new();
    for path in scripts {
        let text = files::read_text(path);
        match text.and_then(|text| ScriptHeader::said(&text).map_err(|error| error.render(&files::shown(path)))) {
            Ok(header) => return Ok((header, path)),
            Err(why) => whys.push(why),
        }
    }
    Err(whys)
}

/// The options, completed from the header of a script, and the file of the specification. A script is data, which may come from
/// anybody: the commands that stand in it are run only if the user trusts it, and headers, which may hold secrets, are sent only
/// to an address that the user gave.
fn with_said(
    options: &ReplayArguments,
    said: ScriptHeader,
    first: &Path,
) -> Result<(ReplayArguments, PathBuf), String> {
    let mut options = options.clone();
    let shown = files::shown(first);
    let given = |key: &str| said.text(key);
    let of = |key: &str, why: String| format!("{shown}: its {key:?}: {why}");
    let system = &mut options.system;
    if let (None, Some(sut)) = (&system.sut, given("sut").filter(|_| options.export.is_none())) {
        let has_commands =
            given("start").is_some() || sut.starts_with("stdio:") || runs_command(given("reset").as_deref());
        if !options.trust_script && (has_commands || !system.headers.is_empty()) {
            return Err(untrusted(&shown, &said, has_commands));
        }
        system.sut = Some(sut.parse().map_err(|why| of("sut", why))?);
        system.start = system.start.take().or(given("start"));
        if system.peers.is_empty() {
            let peers = given("peers").unwrap_or_default();
            let peers = peers.lines().map(str::parse).collect::<Result<_, _>>();
            system.peers = peers.map_err(|why| of("peers", why))?;
        }
        if let (None, Some(ready)) = (&system.ready, given("ready")) {
            system.ready = Some(ready.parse().map_err(|why| of("ready", why))?);
        }
        if let (None, Some(reset)) = (&system.reset, given("reset")) {
            system.reset = Some(reset.parse().map_err(|why| of("reset", why))?);
        }
    }
    if options.selection.constants.is_empty() {
        let constant = |(name, value): &(String, String)| ConstantArg { name: name.clone(), value: value.clone() };
        options.selection.constants = said.set.iter().map(constant).collect();
    }
    let file = options.file.clone().or_else(|| given("file").map(PathBuf::from));
    let file = file.ok_or_else(|| format!("{shown} does not say where its specification is: --for FILE does"))?;
    Ok((options, file))
}

/// Tests whether a way to reset the system runs a command.
fn runs_command(reset: Option<&str>) -> bool {
    !matches!(reset, None | Some("restart" | "none"))
}

/// The message that only the script says which system it is for, with the line to be typed.
fn untrusted(file: &str, said: &ScriptHeader, has_commands: bool) -> String {
    let options = ["sut", "start", "ready", "reset"].into_iter().filter_map(|key| Some((key, said.text(key)?)));
    let peers = said.text("peers").unwrap_or_default();
    let peers = peers.lines().map(|peer| ("peer", peer.to_owned()));
    let options: Vec<String> = options.chain(peers).map(|(key, value)| format!("--{key} {}", word(&value))).collect();
    let why = match has_commands {
        true => "only the script says how the system is started, and commands of a script are not run",
        false => "headers are not sent to an address that only the script names",
    };
    format!(
        "{}: {why}: give them, or trust the file with --trust-script\n  {}",
        file,
        shell::replay(file, &options.join(" "))
    )
}
