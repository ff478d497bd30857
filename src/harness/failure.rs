//! A failure of a live system: its kind, its cause, and the script that shows it.
//!
//! Two failures are alike if they have the same kind, the same constructors of request and answer, and a common statement in
//! their reasons. While a failure is shrunk, the statement may change: a stale `Get` is found after a `Cas`, and shown after a
//! `Put`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::evidence::Budget;
use crate::judge::{Exchange, Observed};
use crate::report::campaign::{FailureKind, FoundFailure, SpecPlace};
use crate::script::{RecordedOutcome, Script, ScriptHeader, ScriptStep};
use crate::spec::http::{AnswerPart, AnswerSource};
use crate::spec::{Spec, Type, TypeId};
use crate::sut::{SutFailure, SutFailureKind, System, UnfitAnswer};
use crate::trace::{EventPlace, PeerEvent, PeerMessage, Places};
use crate::value::Value;

use super::run::{Judging, LiveRun, RunState, in_order_of_service};
use super::waves::{LiveEvent, LiveEventKind, UNASKED};

/// The most work on the reason of a failure, in seconds of budget.
const REASON_SECONDS: f64 = 1.0;
/// The time after the end of a connection within which the system may show that it has ended as a whole.
const DYING: Duration = Duration::from_millis(500);

/// A failure of a run.
#[derive(Clone, Debug)]
pub struct Failing {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The constructors of the request and the answer at which the failure shows: `Put NoContent`.
    pub constructors: String,
    /// The constructor of the answer, and its status over HTTP.
    pub answer: String,
    /// The answer over HTTP that does not fit the specification, if it is one.
    pub unfit: Option<UnfitAnswer>,
    /// The optional parts of the request, each with its constructor, if requests of this variant have several: `if_match Any`.
    pub options: Vec<String>,
    /// The statements of the specification that the reason names.
    pub places: Vec<SpecPlace>,
    /// The script that repeats the run up to the failure, as it was observed.
    pub script: Script,
    /// The label of the message at which the failure shows.
    pub label: u64,
    /// The labels of the messages in the reason of the failure.
    pub reason: Vec<u64>,
    /// The reason in words.
    pub explanation: Vec<String>,
    /// The answers that were possible instead, as JSON.
    pub possible: Vec<String>,
    /// The last lines of the system's output, if it broke down.
    pub last_output: Vec<String>,
}

impl Failing {
    /// The cause, which tells failures apart: `kv_etag.may:48 Put NoContent`.
    #[must_use]
    pub fn cause(&self) -> String {
        self.cause_of(self.places.first(), &self.constructors)
    }

    /// The cause of a failure like this one, with a place and constructors of its own.
    pub(super) fn cause_of(&self, place: Option<&SpecPlace>, constructors: &str) -> String {
        let place = place.map(ToString::to_string);
        let kind = match self.kind {
            FailureKind::Violation => None,
            kind => Some(kind.word().to_owned()),
        };
        let options = Some(self.options.join(", ")).filter(|text| !text.is_empty()).map(|text| format!("({text})"));
        let constructors = Some(constructors.to_owned()).filter(|text| !text.is_empty());
        let parts = [place, kind, constructors, options];
        let text: Vec<String> = parts.into_iter().flatten().collect();
        if text.is_empty() { "violation".to_owned() } else { text.join(" ") }
    }

    /// Tests whether another failure is like this one. If this request has optional parts, the other one must have all of them.
    /// If it has none, the reasons must have a statement in common.
    #[must_use]
    pub fn is_like(&self, other: &Failing) -> bool {
        let meets = self.places.iter().any(|place| other.places.contains(place));
        let is_open = self.places.is_empty() || other.places.is_empty();
        let is_known = if self.options.is_empty() { meets || is_open } else { self.has_options(&other.options) };
        is_known && self.is_observed_in(other)
    }

    /// Tests whether another failure has the same kind, the same constructors, and the same complaint about an answer that does not
    /// fit.
    fn is_observed_in(&self, other: &Failing) -> bool {
        let is_unfit_alike = match (&self.unfit, &other.unfit) {
            (Some(own), Some(other)) => without_values(&own.why) == without_values(&other.why),
            (own, other) => own.is_none() && other.is_none(),
        };
        self.kind == other.kind && self.constructors == other.constructors && is_unfit_alike
    }

    /// Tests whether the violation of a run has this cause, as far as can be told without its reason: the request has optional
    /// parts, and the other one has all of them. Otherwise [`is_like`](Failing::is_like) decides.
    pub(super) fn is_violated_again(&self, run: &LiveRun, event: u64) -> bool {
        let (spec, events) = (&run.judging().spec, &run.events()[..event as usize]);
        let Some(last) = events.last().filter(|last| !matches!(last.kind, LiveEventKind::Closed)) else { return false };
        self.kind == FailureKind::Violation
            && !self.options.is_empty()
            && self.constructors == constructors(spec, events, last)
            && self.has_options(&options(spec, events, last))
    }

    /// The names of the optional parts that the request has.
    pub(super) fn names_of_options(&self) -> BTreeSet<&str> {
        self.options.iter().filter_map(|option| option.split(' ').next()).collect()
    }

    /// The exchanges before the failure, in an order in which the server may have served them, and the one at which it shows; `None`
    /// if it does not show at an answer, or no order is known.
    #[must_use]
    pub(super) fn exchanges(&self, judging: &Judging) -> Option<Vec<Exchange>> {
        let events: Vec<LiveEvent> = self.script.steps.iter().filter_map(|step| event(&self.script, step)).collect();
        let last = events.last()?;
        let LiveEventKind::Answered(answer) = &last.kind else { return None };
        let (request, observed) = (request(&events, last)?.clone(), Observed::Answer(answer.clone()));
        let failing = Exchange { line: events.len() as u64, client: last.client, request, observed };
        let before: Vec<LiveEvent> = events.iter().filter(|event| event.label != last.label).cloned().collect();
        let before = in_order_of_service(judging, &before)?;
        Some(before.into_iter().chain([failing]).collect())
    }

    fn has_options(&self, others: &[String]) -> bool {
        self.options.iter().all(|option| others.contains(option))
    }

    /// Tests whether a smaller script shows this failure. Its reason may name other statements if constructors tell requests and
    /// answers apart, as it depends on the script which earlier request has set the state.
    #[must_use]
    pub fn is_shown_by(&self, smaller: &Failing) -> bool {
        let is_same_answer = self.kind == smaller.kind && self.constructors == smaller.constructors;
        let is_breakdown = self.kind != FailureKind::Violation || self.unfit.is_some();
        match is_breakdown {
            // It has no places, and the optional parts of the request may have nothing to do with it.
            true => self.is_observed_in(smaller),
            false => is_same_answer && self.constructors.contains(' ') || self.is_like(smaller),
        }
    }

    /// The failure of a run, if it ended with one.
    pub fn of_run(
        run: &mut LiveRun,
        state: &RunState,
        system: &mut dyn System,
        header: &ScriptHeader,
    ) -> Option<Failing> {
        Failing::found(run, state, system, header, Duration::from_secs_f64(REASON_SECONDS))
    }

    /// The violation that a script shows with its recorded answers, if it does. Its reason names the steps of the script.
    #[must_use]
    pub fn recorded(judging: &Judging, script: &Script) -> Option<Failing> {
        let mut run = LiveRun::unjudged(judging);
        let event = run.violated_by(script.steps.iter().filter_map(|step| event(script, step)).collect())?;
        Some(Failing::violation(&mut run, event, &script.header, Duration::from_secs_f64(REASON_SECONDS)))
    }

    pub(super) fn found(
        run: &mut LiveRun,
        state: &RunState,
        system: &mut dyn System,
        header: &ScriptHeader,
        time: Duration,
    ) -> Option<Failing> {
        match state {
            RunState::Violated(event) => {
                // A program that crashes may end its connections first.
                let is_closed = matches!(run.events()[*event as usize - 1].kind, LiveEventKind::Closed);
                Some(match is_closed.then(|| system.ended_within(DYING)).flatten() {
                    Some(crash) => Failing::broken(run, &crash, system, header),
                    None => Failing::violation(run, *event, header, time),
                })
            }
            RunState::Broken(failure) => Some(Failing::broken(run, failure, system, header)),
            RunState::Explained | RunState::Undecided(_) | RunState::Interrupted | RunState::Outside(_) => None,
        }
    }

    fn violation(run: &mut LiveRun, event: u64, header: &ScriptHeader, time: Duration) -> Failing {
        let budget = Budget::seconds(time.as_secs_f64());
        let places = steps(&run.events()[..event as usize]);
        let evidence = match run.without_overlap(event) {
            Some(mut session) => session.evidence_by(&places, budget),
            None => run.session().evidence_by(&places, budget),
        };
        let events = &run.events()[..event as usize];
        let label = |line: &u64| {
            let event = &events[*line as usize - 1];
            (event.label != UNASKED).then(|| message_label(event))
        };
        let spec = &run.judging().spec;
        Failing {
            kind: FailureKind::Violation,
            constructors: events.last().map(|last| constructors(spec, events, last)).unwrap_or_default(),
            answer: events.last().map(|last| constructor_of_answer(spec, last)).unwrap_or_default(),
            options: events.last().map(|last| options(spec, events, last)).unwrap_or_default(),
            unfit: None,
            places: evidence.places.iter().filter_map(|named| place(&named.place)).collect(),
            script: script(header, events),
            label: events.last().map_or(0, message_label),
            reason: evidence.reason.iter().filter(|line| **line <= event).filter_map(label).collect(),
            explanation: evidence.explanation,
            possible: evidence.possible,
            last_output: Vec::new(),
        }
    }

    fn broken(run: &mut LiveRun, failure: &SutFailure, system: &mut dyn System, header: &ScriptHeader) -> Failing {
        let events = run.events();
        let spec = &run.judging().spec;
        let of_client = |event: &&LiveEvent| failure.client.is_none_or(|client| event.client == client);
        let last = match failure.kind {
            SutFailureKind::Violation if failure.is_of_last_answer => {
                let is_answer = |event: &&LiveEvent| matches!(event.kind, LiveEventKind::Answered(_));
                events.iter().rev().filter(is_answer).find(of_client)
            }
            // A client is answered in the order of its requests, so what it waits for is the answer to the first open one.
            _ => unanswered(events, failure.client).or_else(|| events.iter().rev().find(of_client)),
        };
        let last = last.or(events.last());
        let status = failure.unfit.as_ref().map(|unfit| unfit.status.to_string());
        let said = last.map(|last| constructors(spec, events, last)).into_iter().chain(status.clone());
        let answer = status.or_else(|| last.map(|last| constructor_of_answer(spec, last)));
        Failing {
            kind: kind(failure.kind),
            constructors: said.collect::<Vec<_>>().join(" "),
            answer: answer.unwrap_or_default(),
            unfit: failure.unfit.clone(),
            options: last.map(|last| options(spec, events, last)).unwrap_or_default(),
            places: Vec::new(),
            script: script(header, events),
            label: last.map_or(0, message_label),
            reason: last.map(message_label).into_iter().collect(),
            explanation: vec![failure.what.clone()],
            possible: Vec::new(),
            last_output: system.last_output(last.and_then(|last| sent(events, last))),
        }
    }
}

/// The text without numbers and quoted parts.
pub(super) fn without_values(text: &str) -> String {
    let mut quote = None;
    let mut kept = String::new();
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None if letter.is_ascii_digit() => {}
            None => kept.push(letter),
        }
    }
    kept
}

/// The place that a text such as `kv.may:9` names.
fn place(text: &str) -> Option<SpecPlace> {
    let (file, line) = text.rsplit_once(':')?;
    Some(SpecPlace { file: file.to_owned(), line: line.parse().ok()? })
}

fn kind(kind: SutFailureKind) -> FailureKind {
    match kind {
        SutFailureKind::Crash => FailureKind::Crash,
        SutFailureKind::Hang => FailureKind::Hang,
        SutFailureKind::Garbage => FailureKind::Garbage,
        SutFailureKind::Violation => FailureKind::Violation,
        SutFailureKind::Refused => FailureKind::Refused,
        SutFailureKind::Start => FailureKind::Start,
        SutFailureKind::Adapter => FailureKind::Adapter,
    }
}

/// The names of the events of a run: an event of a request has its step, which is the number of the request, from 1.
fn steps(events: &[LiveEvent]) -> Places {
    let mut places = Places::default();
    let mut steps: FxHashMap<u64, u64> = FxHashMap::default();
    for (number, event) in (1..).zip(events) {
        if matches!(event.kind, LiveEventKind::Sent(_)) {
            let step = steps.len() as u64 + 1;
            steps.entry(event.label).or_insert(step);
        }
        let step = steps.get(&event.label).filter(|_| event.label != UNASKED);
        places
            .note(number, step.map_or_else(|| EventPlace::Words(unasked(&event.kind)), |step| EventPlace::Step(*step)));
    }
    places
}

/// The words for an event that belongs to no request, and thus to no step.
fn unasked(kind: &LiveEventKind) -> &'static str {
    match kind {
        LiveEventKind::Closed | LiveEventKind::Left => "the end of the connection",
        LiveEventKind::Lost => "the end of a connection that its client gave up",
        LiveEventKind::Restarted => "the restart",
        LiveEventKind::Peer(PeerEvent { message: PeerMessage::Call(_), .. }) => "a call of a peer",
        LiveEventKind::Peer(_) => "the answer of a peer",
        LiveEventKind::Answered(_) | LiveEventKind::Sent(_) => "the answer to no request",
    }
}

/// The script that repeats these events, in their order.
fn script(header: &ScriptHeader, events: &[LiveEvent]) -> Script {
    let wait = |event: &LiveEvent| (event.waited > 0.0).then_some(ScriptStep::Wait(event.waited));
    let steps = events.iter().flat_map(|event| wait(event).into_iter().chain([step(event)]));
    Script::of_run(header.clone(), steps)
}

fn step(event: &LiveEvent) -> ScriptStep {
    let LiveEvent { label, client, kind, .. } = event;
    let (label, client) = (*label, *client);
    let seen =
        |seen| if label == UNASKED { ScriptStep::Seen { client, seen } } else { ScriptStep::Await { label, seen } };
    match kind {
        LiveEventKind::Sent(request) => ScriptStep::Ask { label, client, request: request.clone() },
        LiveEventKind::Answered(answer) => seen(RecordedOutcome::Answer(answer.clone())),
        LiveEventKind::Lost if label == UNASKED => ScriptStep::Close { client, noticed: false },
        LiveEventKind::Lost => seen(RecordedOutcome::Lost),
        LiveEventKind::Left => ScriptStep::Close { client, noticed: true },
        LiveEventKind::Closed => seen(RecordedOutcome::Closed),
        LiveEventKind::Restarted => ScriptStep::Restart,
        LiveEventKind::Peer(event) => ScriptStep::Peer(event.clone()),
    }
}

/// The event that was observed at a step of a script.
fn event(script: &Script, step: &ScriptStep) -> Option<LiveEvent> {
    let kind = |seen: &RecordedOutcome| match seen {
        RecordedOutcome::Answer(answer) => Some(LiveEventKind::Answered(answer.clone())),
        RecordedOutcome::Lost => Some(LiveEventKind::Lost),
        RecordedOutcome::Closed => Some(LiveEventKind::Closed),
        RecordedOutcome::Nothing => None,
    };
    let (label, client, kind) = match step {
        ScriptStep::Ask { label, client, request } => (*label, *client, LiveEventKind::Sent(request.clone())),
        ScriptStep::Await { label, seen } => (*label, script.client_of(*label), kind(seen)?),
        ScriptStep::Seen { client, seen } => (UNASKED, *client, kind(seen)?),
        ScriptStep::Close { client, noticed: true } => (UNASKED, *client, LiveEventKind::Left),
        ScriptStep::Close { client, noticed: false } => (UNASKED, *client, LiveEventKind::Lost),
        ScriptStep::Restart => (UNASKED, 0, LiveEventKind::Restarted),
        ScriptStep::Peer(event) => (UNASKED, 0, LiveEventKind::Peer(event.clone())),
        ScriptStep::Wait(_) | ScriptStep::Together { .. } => return None,
    };
    Some(LiveEvent { label, client, kind, waited: 0.0, sent: None })
}

/// The label of the message of an event: odd for a request, and the next number for its answer.
#[must_use]
pub fn message_label(event: &LiveEvent) -> u64 {
    match event.kind {
        LiveEventKind::Sent(_) => event.label,
        LiveEventKind::Answered(_) | LiveEventKind::Lost | LiveEventKind::Closed => event.label + 1,
        LiveEventKind::Left | LiveEventKind::Restarted | LiveEventKind::Peer(_) => event.label,
    }
}

/// The first open request of a client.
fn unanswered(events: &[LiveEvent], client: Option<u64>) -> Option<&LiveEvent> {
    let is_sent = |event: &&LiveEvent| matches!(event.kind, LiveEventKind::Sent(_)) && client == Some(event.client);
    let is_over = |sent: &LiveEvent| {
        events.iter().any(|event| event.label == sent.label && !matches!(event.kind, LiveEventKind::Sent(_)))
    };
    events.iter().filter(is_sent).find(|sent| !is_over(sent))
}

/// The request that an event belongs to.
fn request<'e>(events: &'e [LiveEvent], last: &LiveEvent) -> Option<&'e Value> {
    events.iter().find_map(|event| match &event.kind {
        LiveEventKind::Sent(request) if event.label == last.label => Some(&request.value),
        _ => None,
    })
}

/// The moment at which the request of an event was sent.
fn sent(events: &[LiveEvent], last: &LiveEvent) -> Option<Instant> {
    events.iter().filter(|event| event.label == last.label).find_map(|event| event.sent)
}

/// The optional parts of the request that an event belongs to, with their constructors, if requests of its variant have several.
fn options(spec: &Spec, events: &[LiveEvent], last: &LiveEvent) -> Vec<String> {
    let Some(Value::Data { tag, fields: Some(values), .. }) = request(events, last) else { return Vec::new() };
    let fields = spec.types.fields(spec.program.request, *tag);
    let optional = fields.iter().zip(values.iter()).filter_map(|((name, ty), value)| match spec.types.get(*ty) {
        Type::Option(of) => Some((name.unwrap_or_default(), *of, value)),
        _ => None,
    });
    let optional: Vec<(&str, TypeId, &Value)> = optional.collect();
    if optional.len() < 2 {
        return Vec::new();
    }
    let given = optional.into_iter().filter(|(_, _, value)| **value != Value::NONE);
    let said = given.map(|(name, of, value)| match constructor(spec, of, &value.field(1, 0)) {
        Some(constructor) => format!("{name} {constructor}"),
        None => name.to_owned(),
    });
    said.collect()
}

/// The request without some of its optional parts, which are said by name.
pub(super) fn without_options(spec: &Spec, request: &Value, is_left_out: impl Fn(&str) -> bool) -> Value {
    let Value::Data { tag, .. } = request else { return request.clone() };
    let fields = (0..).zip(spec.types.fields(spec.program.request, *tag));
    let optional = fields
        .filter(|(_, (name, ty))| matches!(spec.types.get(*ty), Type::Option(_)) && name.is_none_or(&is_left_out));
    let none: Vec<(u32, Value)> = optional.map(|(at, _)| (at, Value::NONE)).collect();
    request.with_fields(&none)
}

/// The constructors of the request that an event belongs to, and of its answer.
fn constructors(spec: &Spec, events: &[LiveEvent], last: &LiveEvent) -> String {
    let request = request(events, last).and_then(|value| constructor(spec, spec.program.request, value));
    let answer = match &last.kind {
        LiveEventKind::Closed => Some("closed".to_owned()),
        LiveEventKind::Peer(event) => return called(spec, event),
        _ => Some(constructor_of_answer(spec, last)).filter(|text| !text.is_empty()),
    };
    let parts: Vec<String> = request.into_iter().chain(answer).collect();
    parts.join(" ")
}

/// The constructor of an answer, and its status over HTTP.
fn constructor_of_answer(spec: &Spec, event: &LiveEvent) -> String {
    let LiveEventKind::Answered(answer) = &event.kind else { return String::new() };
    let parts = constructor(spec, spec.program.response, answer).into_iter().chain(status(spec, answer));
    parts.collect::<Vec<_>>().join(" ")
}

/// A call of a peer in short: the name of the peer, and the constructor of the request.
fn called(spec: &Spec, event: &PeerEvent<Value>) -> String {
    let peer = spec.program.peers.iter().find(|peer| peer.name == event.peer);
    let request = match &event.message {
        PeerMessage::Call(request) => peer.and_then(|peer| constructor(spec, peer.request, request)),
        _ => None,
    };
    let parts: Vec<String> = ["call".to_owned(), event.peer.clone()].into_iter().chain(request).collect();
    parts.join(" ")
}

/// The status of an answer over HTTP, if it has one.
fn status(spec: &Spec, answer: &Value) -> Option<String> {
    let Value::Data { tag, .. } = answer else { return None };
    let is_status =
        |source: &Option<AnswerSource>| matches!(source, Some(AnswerSource { part: AnswerPart::Status, .. }));
    let forms = spec.http.as_deref()?.answers.iter().filter(|form| form.tag == Some(*tag));
    let at = forms.filter_map(|form| form.sources.iter().position(is_status)).next()?;
    answer.field(*tag, at as u32).as_int().map(ToString::to_string)
}

/// The constructor of a value, if its type has several.
pub(super) fn constructor(spec: &Spec, ty: TypeId, value: &Value) -> Option<String> {
    match (spec.types.get(ty), value) {
        (Type::Enum(at), Value::Data { tag, .. }) => {
            Some(spec.types.enums[*at as usize].variants[*tag as usize].name.clone())
        }
        // A request that is a record has constructors in its fields: `method: GET`.
        (Type::Struct(_), Value::Data { tag, .. }) => {
            let fields = spec.types.fields(ty, *tag);
            let parts = fields.iter().zip(value.fields());
            let names: Vec<String> = parts
                .filter(|((_, of), _)| matches!(spec.types.get(*of), Type::Enum(_)))
                .filter_map(|((_, of), part)| constructor(spec, *of, part))
                .collect();
            (!names.is_empty()).then(|| names.join("/"))
        }
        _ => None,
    }
}

/// The report on a system that could not be started.
#[must_use]
pub fn not_started(failure: &SutFailure) -> FoundFailure {
    let kind = kind(failure.kind);
    FoundFailure { explanation: vec![failure.what.clone()], ..FoundFailure::new(kind, kind.word().to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::RequestTemplate;

    fn event(label: u64, kind: LiveEventKind) -> LiveEvent {
        LiveEvent { label, client: 1, kind, waited: 0.0, sent: None }
    }

    fn events(last: LiveEventKind) -> Vec<LiveEvent> {
        let sent = || LiveEventKind::Sent(RequestTemplate::plain(Value::from(true)));
        let answered = || LiveEventKind::Answered(Value::from(true));
        vec![event(1, sent()), event(1, answered()), event(3, sent()), event(3, answered()), event(UNASKED, last)]
    }

    #[test]
    fn an_event_has_the_step_of_its_request() {
        let places = steps(&events(LiveEventKind::Closed));
        assert_eq!([1, 4, 5].map(|event| places.at(event)), ["step 1", "step 2", "the end of the connection"]);
        assert_eq!((places.all(&[1, 2, 3]), places.all(&[3, 4])), ("steps 1, 2".into(), "step 2".into()));
        assert_eq!((places.between(1, 4), places.between(3, 4)), ("steps 1 to 2".into(), "step 2".into()));
        assert_eq!(places.all(&[4, 5]), "step 2, the end of the connection");
        assert!(places.is_unasked(5) && !places.is_unasked(4));
        assert_eq!(steps(&events(LiveEventKind::Answered(Value::from(true)))).at(5), "the answer to no request");
    }
}
