//! A specification that cannot run on, told at its place: `mayhap simulate` and `mayhap serve` say it alike.
//!
//! A fault, a request outside the specification or a run that does not exist is exit code 2, a limit or a question that was too hard is 3.

use super::Terminal;
use super::exit::Exit;
use crate::cli::load;
use mayhap::diagnostic::Diagnostic;
use mayhap::server::Stop;
use mayhap::spec::{Site, Spec};

/// Says why the server could not go on, at its place in the specification.
pub fn report(spec: &Spec, stop: &Stop, terminal: &mut Terminal) -> Exit {
    match site(stop) {
        Some(site) => load::report(&spec.sources, &[Diagnostic::error(spec.span(site), words(spec, stop))], terminal),
        None => terminal.complain(&format!("error: {stop}\n")),
    }
    exit(stop)
}

/// Why the server could not go on; of a request outside the specification, what `validate` says of it.
pub fn words(spec: &Spec, stop: &Stop) -> String {
    if let Stop::Outside(site) = stop { spec.program.duty(*site).to_owned() } else { stop.to_string() }
}

/// Returns the exit code for a stop: [`Exit::Failed`] if it says that something is wrong, [`Exit::Inconclusive`]
/// if it only says that this could not be found out.
pub fn exit(stop: &Stop) -> Exit {
    if let Stop::Limit(_) | Stop::Undecided(_) = stop { Exit::Inconclusive } else { Exit::Failed }
}

/// Returns the place in the specification at which the server stopped, if the stop has one.
pub fn site(stop: &Stop) -> Option<Site> {
    match stop {
        Stop::Fault(fault) => Some(fault.site),
        Stop::Outside(site) | Stop::Stuck(site) | Stop::Mismatch(site) => Some(*site),
        Stop::Limit(_) | Stop::Undecided(_) | Stop::Choice(_) => None,
    }
}
