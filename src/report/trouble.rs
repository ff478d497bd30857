//! The explanation, in words, of why there is no verdict: a fault of the specification, a client that broke its duty, or a
//! question that was too hard.
//!
//! For `on q { reply m[q]; }` with an empty map:
//!
//! ```text
//! line 1 asked 0; the specification looks up a key that may not be there
//!   (fault.may:1: `reply m[q];`)
//!   for example where m = {}
//! ```

use super::{SHOWN, named_place, place, shortened};
use crate::evidence::Fact;
use crate::json::encode;
use crate::judge::{Doubt, Exchange, FaultReport, Place};
use crate::spec::{Site, Spec};
use crate::trace::Places;

/// A request that met a problem, with the names of events.
#[derive(Clone, Copy)]
pub struct AskedEvent<'a> {
    /// The request.
    pub exchange: &'a Exchange,
    /// The names of the events of its recording.
    pub places: &'a Places,
}

/// A fault, with the request that met it, and an example of a state before the request.
#[must_use]
pub fn fault(spec: &Spec, report: &FaultReport, asked: Option<AskedEvent<'_>>, values: &[Fact]) -> Vec<String> {
    met(spec, asked, &report.fault.kind.to_string(), report.fault.site, values)
}

/// A broken duty of the client, with the request that broke it, and an example of a state before the request.
#[must_use]
pub fn outside(spec: &Spec, site: Site, asked: Option<AskedEvent<'_>>, values: &[Fact]) -> Vec<String> {
    met(spec, asked, spec.program.duty(site), site, values)
}

/// The lines about a problem that a request meets: its place, and an example of a state.
fn met(spec: &Spec, request: Option<AskedEvent<'_>>, what: &str, site: Site, values: &[Fact]) -> Vec<String> {
    let mut lines = vec![format!("{}{what}", asked(spec, request)), format!("  {}", place(spec, site))];
    if !values.is_empty() {
        let values: Vec<String> = values.iter().map(|fact| shortened(&fact.to_string(), SHOWN)).collect();
        lines.push(format!("  for example where {}", values.join(" and ")));
    }
    lines
}

/// An undecided verdict; `event` is the last line that was judged.
#[must_use]
pub fn unknown(spec: &Spec, places: &Places, doubt: &Doubt, at: Option<Place>, event: u64) -> Vec<String> {
    let Some(at) = at else { return vec![format!("{doubt} ({})", on(places, event))] };
    let when = if at.event == 0 { "in the initial state".to_owned() } else { on(places, at.event) };
    vec![format!("{doubt} ({when})"), format!("  {}", named_place(spec, at.site))]
}

/// The place of an event, with its preposition.
fn on(places: &Places, event: u64) -> String {
    format!("{} {}", if places.are_lines() { "on" } else { "at" }, places.at(event))
}

fn asked(spec: &Spec, asked: Option<AskedEvent<'_>>) -> String {
    let Some(AskedEvent { exchange: Exchange { line, request, .. }, places }) = asked else { return String::new() };
    let request = encode(&spec.types, spec.program.request, request);
    format!("{} asked {}; ", places.at(*line), shortened(&request, SHOWN))
}
