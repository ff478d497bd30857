//! `mayhap test --check-adapter`: sends one request of each kind, and prints the outcomes.
//!
//! ```text
//! Get {"key": "a"}: {"Values": []}
//! Set {"key": "a", "flags": 0, "exptime": 0, "data": ""}: "Stored"
//! ```

use crate::cli::arguments::testing_arguments::SutArguments;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use mayhap::json::encode;
use mayhap::limits::end;
use mayhap::spec::Spec;
use mayhap::sut::{AdapterTrial, SutEventKind, System, check_adapter, request_kinds};
use std::sync::Arc;

/// Sends one request of each kind as client 1, each after the answer to the one before.
pub fn run(spec: &Arc<Spec>, system: &mut dyn System, options: &SutArguments, terminal: &mut Terminal) -> Exit {
    let requests = request_kinds(spec);
    let trials = match check_adapter(system, &requests, options.deadline) {
        Ok(trials) => trials,
        Err(_) if end::is_over() => return Exit::Interrupted,
        Err(failure) => return failed(terminal, system, &failure.to_string()),
    };
    if end::is_over() {
        return Exit::Interrupted;
    }
    let mut exit = Exit::Fine;
    for AdapterTrial { request, outcome } in trials {
        let shown = encode(&spec.types, spec.program.request, &request);
        let said = match outcome {
            Ok(Some(SutEventKind::Answer(answer))) => encode(&spec.types, spec.program.response, &answer),
            Ok(Some(SutEventKind::Lost)) => "lost".to_owned(),
            Ok(Some(SutEventKind::Refused)) => "refused".to_owned(),
            Ok(Some(SutEventKind::Unsent)) => "not sent: it has no form in HTTP".to_owned(),
            Ok(Some(SutEventKind::Closed)) => "the connection was closed".to_owned(),
            // Peers that are called fail, which no client sees.
            Ok(Some(SutEventKind::Called(_)) | None) => {
                exit = Exit::SystemFailed;
                format!("no answer within {} s", options.deadline.as_secs_f64())
            }
            Err(failure) => return failed(terminal, system, &format!("{shown}: {failure}")),
        };
        terminal.print(&format!("{shown}: {said}\n"));
    }
    exit
}

fn failed(terminal: &mut Terminal, system: &mut dyn System, why: &str) -> Exit {
    terminal.complain(&format!("error: {why}\n"));
    system.last_output().iter().for_each(|line| terminal.complain(&format!("  | {line}\n")));
    Exit::SystemFailed
}
