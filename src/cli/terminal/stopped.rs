//! The message about a specification that cannot go on, at its place, for `mayhap simulate` and `mayhap serve`.
//!
//! The exit code is 2 for a fault, a request outside the specification and a run that does not exist; it is 3 for a limit or a
//! question that was too hard.

use super::Terminal;
use super::exit::Exit;
use crate::cli::load;
use mayhap::diagnostic::Diagnostic;
use mayhap::limits::end;
use mayhap::server::Stop;
use mayhap::spec::{Site, Spec};

/// Reports why the server could not go on, at its place in the specification.
pub fn report(spec: &Spec, stop: &Stop, terminal: &mut Terminal) -> Exit {
    if end::is_stopped() {
        terminal.complain("interrupted\n");
        return Exit::Interrupted;
    }
    match site(stop) {
        Some(site) => load::report(&spec.sources, &[Diagnostic::error(spec.span(site), words(spec, stop))], terminal),
        None => terminal.complain(&format!("error: {stop}\n")),
    }
    exit(stop)
}

/// The reason why the server could not go on; for a request outside the specification, in the words of `validate`.
pub fn words(spec: &Spec, stop: &Stop) -> String {
    if let Stop::Outside(site) = stop { spec.program.duty(*site).to_owned() } else { stop.to_string() }
}

/// The exit code for a stop: [`Exit::Failed`] if something is wrong, and [`Exit::Inconclusive`] if this could not be found out.
pub fn exit(stop: &Stop) -> Exit {
    if let Stop::Limit(_) | Stop::Undecided(_) = stop { Exit::Inconclusive } else { Exit::Failed }
}

/// The place in the specification at which the server stopped, if there is one.
pub fn site(stop: &Stop) -> Option<Site> {
    match stop {
        Stop::Fault(fault) => Some(fault.site),
        Stop::Outside(site) | Stop::Stuck(site) | Stop::Mismatch(site) => Some(*site),
        Stop::Limit(_) | Stop::Undecided(_) | Stop::Choice(_) => None,
    }
}
