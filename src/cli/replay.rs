//! `mayhap replay`: scripts that showed failures, run again.
//!
//! `mayhap replay specs/kv_etag.may mayhap-regressions/48-put-nocontent.ndjson --sut 127.0.0.1:7000` says `fixed` or `fails 20 of 20`.

use super::exit::Exit;
use super::terminal::Terminal;
use super::test::{NO_SUT, judging};
use super::testing_arguments::{ExportLanguage, ReplayArguments};
use super::values::ConstantArg;
use super::{failed, files, load, stopping};
use mayhap::harness::{WaitLimits, read_script, replay};
use mayhap::network::NetworkChoice;
use mayhap::report::campaign::RegressionOutcome;
use mayhap::script::{Script, ScriptHeader};
use mayhap::spec::Tasks;
use mayhap::sut;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

pub fn run(options: &ReplayArguments, terminal: &mut Terminal) -> Exit {
    let (options, file) = match with_said(options) {
        Ok(found) => found,
        Err(why) => return failed(terminal, &why),
    };
    let spec = match load::compile_for(Tasks::Either, &file, &options.selection, terminal) {
        Ok(spec) => spec,
        Err(exit) => return exit,
    };
    let mut scripts: Vec<(&PathBuf, Script)> = Vec::new();
    for path in &options.scripts {
        match read_script(&spec, path) {
            Ok(script) => scripts.push((path, script)),
            Err(why) => return failed(terminal, &why),
        }
    }
    if let Some(ExportLanguage::Rust) = options.export {
        let exported = scripts.iter().map(|(path, script)| super::export::rust(&spec, &file, path, script));
        exported.for_each(|test| terminal.print(&test));
        return Exit::Fine;
    }
    let stop = stopping::begin();
    let Some(address) = &options.system.sut else { return failed(terminal, NO_SUT) };
    let mut system = match sut::open(&spec, address, &options.system.start_options()) {
        Ok(system) => system,
        Err(failure) => {
            terminal.complain(&format!("error: {failure}\n"));
            return Exit::SystemFailed;
        }
    };
    let judging = match judging(&spec, NetworkChoice::TCP, &options.system) {
        Ok(judging) => judging,
        Err(why) => return failed(terminal, &why),
    };
    let deadline = options.system.deadline;
    let patience = WaitLimits { deadline, silence: deadline, stop: &stop };
    let mut worst = Exit::Fine;
    for (path, script) in &scripts {
        let clients = options.system.clients.get();
        let outcome = replay(&judging, script, (&mut *system, clients), patience, options.times.get());
        let (said, exit) = match outcome {
            RegressionOutcome::Pass => ("fixed".to_owned(), Exit::Fine),
            RegressionOutcome::Fails(failed, of) => (format!("fails {failed} of {of}"), Exit::Rejected),
            RegressionOutcome::Otherwise(cause) => (format!("fails otherwise: {cause}"), Exit::Rejected),
            RegressionOutcome::Error(_) if stop.load(Ordering::Relaxed) => return Exit::Interrupted,
            RegressionOutcome::Error(why) => (format!("error: {why}"), Exit::SystemFailed),
        };
        terminal.print(&format!("{}: {said}\n", files::shown(path)));
        terminal.flush();
        worst = worst.worst(exit);
    }
    worst
}

/// The options, with what the first script says of its system where they say nothing; and the file of the specification.
fn with_said(options: &ReplayArguments) -> Result<(ReplayArguments, PathBuf), String> {
    let mut options = options.clone();
    let Some(first) = options.scripts.first() else { return Err("no script is given".to_owned()) };
    let shown = files::shown(first);
    let said = ScriptHeader::said(&files::read_text(first)?).map_err(|error| error.render(&shown))?;
    let given = |key: &str| said.text(key);
    let of = |key: &str, why: String| format!("{shown}: its {key:?}: {why}");
    let system = &mut options.system;
    if let (None, Some(sut)) = (&system.sut, given("sut")) {
        system.sut = Some(sut.parse().map_err(|why| of("sut", why))?);
        system.start = system.start.take().or(given("start"));
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
