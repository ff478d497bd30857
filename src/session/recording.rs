//! A recording that is judged while it is read: by which engine, and what is tried if that is too hard.
//!
//! | recording | judged |
//! |---|---|
//! | whole exchanges | one after another; if that is too hard, and it is a file that can be read again: deepest first |
//! | clients that an order explains, and that wait for each other so far | one after another; as a whole once they do not |
//! | clients that an order explains, while the recording grows | event by event, so that a rejection is reported when it happens |
//! | all others | as a whole ([`EngineKind`]) |

use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

use super::proof::{ConcurrentEvidence, ExchangesEvidence, NetworkedEvidence, Proof};
use super::source::{RecordingSource, TraceNotes, TracePart};
use super::whole::{self, EngineKind, is_order};
use crate::diagnostic::Colour;
use crate::judge::{Judge, Observed, Options, RecordedEvent, Verdict};
use crate::network::{NetworkChoice, Observation};
use crate::reading::{
    Events, Exchanges, FormatRules, Observations, StoredTrace, each_happening, history, observations,
};
use crate::report::{Stats, TraceReport};
use crate::search::{History, OnlineHistory};
use crate::spec::Spec;
use crate::trace::{Places, TraceFormat};
use crate::validate::Validator;

/// The most bytes of a file that is judged again deepest first.
const SHORT: u64 = 1 << 26;

/// The evidence that will be asked for, which decides what is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EvidenceKept {
    /// None.
    Nothing,
    /// The explanation of a verdict that is no acceptance.
    Explanation,
    /// A witness of an acceptance, too.
    Witness,
}

/// A recording, and how it is judged.
pub struct RecordingJudge<'r> {
    /// The specification.
    pub spec: &'r Arc<Spec>,
    /// The network.
    pub net: NetworkChoice,
    /// The name of the recording in messages.
    pub name: &'r str,
    /// Its format.
    pub format: TraceFormat,
    /// The options of the format.
    pub rules: FormatRules,
    /// Set if it may still be growing, so that a rejection is reported as soon as it happens.
    pub grows: bool,
    /// The limits.
    pub options: Options,
    /// The evidence that will be asked for.
    pub kept: EvidenceKept,
    /// Set if the state at the end is measured, for the statistics of whole exchanges: this walks all of it.
    pub shows_state: bool,
    /// Called with the number of events so far.
    pub progress: &'r dyn Fn(u64),
}

/// A recording that was judged.
pub struct JudgedRecording {
    /// The specification that it was judged by.
    pub spec: Arc<Spec>,
    /// The verdict; its events have the numbers that the places of the report name.
    pub verdict: Verdict,
    /// The report, without evidence until that is added.
    pub report: TraceReport,
    /// The information that came with the events.
    pub notes: TraceNotes,
}

/// A judged recording, and what its evidence is made of if evidence will be asked for.
pub type Judgement = (JudgedRecording, Option<Box<dyn Proof>>);

/// The outcome of judging a recording while it is read.
enum Streamed {
    /// It was judged up to its end, or to a rejection: the judge, the places, and the number of events up to the rejected one.
    Judged(Box<(Judge, Places, TraceNotes, Option<usize>)>, u64),
    /// It was judged up to the event with this number, which is too hard to judge by itself.
    TooHard(usize),
    /// It must be judged as a whole, as requests overlap, or something is wrong.
    Whole,
}

/// The way of judging a recording while it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Streaming {
    /// One exchange after another, as long as no requests overlap.
    Alone,
    /// Event by event.
    AtOnce,
}

type OpenedSource = Box<dyn RecordingSource>;

impl RecordingJudge<'_> {
    /// Reads and judges the recording.
    ///
    /// # Errors
    /// A line is no event, or there is nothing to judge. The message is ready to be shown.
    pub fn judge(&self, source: OpenedSource) -> Result<Judgement, String> {
        if self.net.is_sync() { self.exchanges(source) } else { self.over(source) }
    }

    /// Judges whole exchanges, one after another.
    fn exchanges(&self, mut source: OpenedSource) -> Result<Judgement, String> {
        let RecordingJudge { spec, name, .. } = *self;
        if self.kept == EvidenceKept::Nothing && source.size().is_none() {
            source.forget();
        }
        if self.format != TraceFormat::Ndjson {
            return Err(format!("error: {name}: a history of concurrent clients is judged with --net tcp\n"));
        }
        let mut exchanges = Exchanges::new(spec, source.input());
        let mut next = exchanges.next_exchange().map_err(|error| error.render(name))?;
        if next.is_some() {
            refuse_alone(spec, name)?;
        }
        let mut validator = Validator::with_options(spec, self.options.clone());
        let (started, mut is_tested) = (Instant::now(), false);
        while let Some(exchange) = next {
            (self.progress)(exchanges.position().events);
            is_tested |= !matches!(exchange.observed, Observed::Lost | Observed::Restarted);
            if !validator.observe_exchange(&exchange) {
                break;
            }
            next = exchanges.next_exchange().map_err(|error| error.render(name))?;
        }
        let length = exchanges.position().events as usize;
        if length == 0 {
            return Err(format!("error: {name}: no events, so nothing was tested\n"));
        }
        let notes = TraceNotes { header: exchanges.header().cloned(), passed_over: None, is_tested };
        let is_too_hard = matches!(validator.verdict(), Verdict::Unknown { .. });
        if is_too_hard
            && source.size().is_some_and(|size| size < SHORT)
            && let Some(explained) = self.deepest_first(&mut *source)?
        {
            return Ok(explained);
        }
        let judge = validator.into_judge();
        let judged = self.judged(&judge, Places::default(), started, None, notes);
        let proof = || {
            let (verdict, recorded) = (judge.verdict(), Box::new(StoredTrace::new(spec, length, source.reopened())));
            let (spec, places) = (spec.clone(), Places::default());
            Box::new(ExchangesEvidence { spec, recorded, judge, verdict, places }) as Box<dyn Proof>
        };
        Ok((judged, (self.kept > EvidenceKept::Nothing).then(proof)))
    }

    /// Searches for one run that explains exchanges one after another, as it may be found even if there are too many explanations.
    fn deepest_first(&self, source: &mut dyn RecordingSource) -> Result<Option<Judgement>, String> {
        let composed = self.spec.for_networks();
        let (observed, notes) = self.observations(&composed, &mut self.anew(source, TracePart::All)?)?;
        let started = Instant::now();
        let found = NetworkedEvidence::explained(&composed, self.net, observed, &self.options);
        Ok(found.map(|evidence| self.judged_whole(Box::new(evidence), started, notes)))
    }

    /// Judges a recording of a network: while it is read, if this gives everything that is wanted, and otherwise as a whole.
    fn over(&self, mut source: OpenedSource) -> Result<Judgement, String> {
        let streaming = self.streaming().filter(|_| self.grows || self.kept < EvidenceKept::Witness);
        let Some(streaming) = streaming else { return self.whole(source.input()) };
        let started = Instant::now();
        match self.streamed(streaming, source.input())? {
            Streamed::Judged(judged, recorded) => {
                let (judge, places, notes, rejected) = *judged;
                let needed = if rejected.is_some() { EvidenceKept::Explanation } else { EvidenceKept::Witness };
                if self.kept < needed {
                    return Ok((self.judged(&judge, places, started, Some(recorded), notes), None));
                }
                let (history, notes) = self.history(&mut self.anew(&mut *source, TracePart::Read)?, rejected)?;
                Ok(self.ordered(history, notes))
            }
            Streamed::TooHard(events) => {
                let (history, notes) = self.history(&mut self.anew(&mut *source, TracePart::Read)?, Some(events))?;
                let judged = self.ordered(history, notes);
                if let Verdict::Reject { .. } = judged.0.verdict {
                    return Ok(judged);
                }
                self.whole(&mut self.anew(&mut *source, TracePart::All)?)
            }
            Streamed::Whole => self.whole(&mut self.anew(&mut *source, TracePart::All)?),
        }
    }

    /// The way of judging while reading; `None` if the recording must be judged as a whole.
    fn streaming(&self) -> Option<Streaming> {
        if self.grows && EngineKind::of(self.spec, self.net) == EngineKind::Order {
            return Some(Streaming::AtOnce);
        }
        let is_same =
            self.net.is_like_tcp(1) && self.net.connections().is_none() && is_order(&self.spec.for_networks());
        (self.format == TraceFormat::Ndjson && is_same).then_some(Streaming::Alone)
    }

    /// Judges a recording while it is read. As long as each request is answered before the next one is sent, a request with its answer
    /// is a plain step of the judge, and the state is all that is kept, however many clients there are.
    fn streamed(&self, streaming: Streaming, input: &mut dyn BufRead) -> Result<Streamed, String> {
        let mut events = self.events(self.spec, input);
        let mut online = OnlineHistory::new(self.spec, self.options.clone());
        let (mut count, mut recorded, mut last) = (0, 0, 0);
        let mut verdict = Some(Verdict::Accept { warning: None });
        let read = each_happening(&mut events, &mut |line, happened| {
            count += 1;
            // A request and its answer may be one event.
            recorded += u64::from(line > last);
            last = line;
            (self.progress)(count as u64);
            verdict = online.push(line, happened);
            let goes_on = streaming == Streaming::AtOnce || online.is_alone();
            goes_on && verdict.as_ref().is_some_and(Verdict::is_accept)
        });
        let is_explained = verdict == Some(Verdict::Accept { warning: None });
        if streaming == Streaming::Alone && !(read.is_ok() && count > 0 && online.is_alone() && is_explained) {
            // The error in the trace is found again when it is judged as a whole.
            return Ok(Streamed::Whole);
        }
        read.map_err(|error| error.render(self.name))?;
        let notes = TraceNotes::of(&events, self.name, count == 0)?;
        let rejected = matches!(verdict, Some(Verdict::Reject { .. })).then_some(count);
        if !is_explained && rejected.is_none() {
            return Ok(Streamed::TooHard(count));
        }
        Ok(Streamed::Judged(Box::new((online.into_judge(), events.places(), notes, rejected)), recorded))
    }

    /// Reads a recording of a network to its end, and judges it as a whole.
    fn whole(&self, input: &mut dyn BufRead) -> Result<Judgement, String> {
        if EngineKind::of(self.spec, self.net) == EngineKind::Order {
            let (history, notes) = self.history(input, None)?;
            return Ok(self.ordered(history, notes));
        }
        let composed = self.spec.for_networks();
        let (observed, notes) = self.observations(&composed, input)?;
        let started = Instant::now();
        let proof = whole::judged(&composed, self.net, observed, &self.options);
        Ok(self.judged_whole(proof, started, notes))
    }

    /// Judges a history by an order of service.
    fn ordered(&self, history: History, notes: TraceNotes) -> Judgement {
        let started = Instant::now();
        let evidence = ConcurrentEvidence::of(self.spec, self.net, history, &self.options);
        self.judged_whole(Box::new(evidence), started, notes)
    }

    /// The result for a recording that was judged as a whole from this moment on.
    fn judged_whole(&self, proof: Box<dyn Proof>, started: Instant, notes: TraceNotes) -> Judgement {
        let judged = self.judged(proof.judge(), proof.places().clone(), started, Some(proof.recorded()), notes);
        let judged = JudgedRecording { verdict: proof.verdict(), ..judged };
        (judged, (self.kept > EvidenceKept::Nothing).then_some(proof))
    }

    /// The result for a recording that was judged from this moment on, without evidence; `recorded` is the number of its events, if the
    /// judge does not count them.
    fn judged(
        &self,
        judge: &Judge,
        places: Places,
        started: Instant,
        recorded: Option<u64>,
        notes: TraceNotes,
    ) -> JudgedRecording {
        let elapsed_ms = started.elapsed().as_millis() as u64;
        let stats = Stats { elapsed_ms, ..Stats::of(judge) };
        let stats = match recorded {
            Some(events) => Stats { events, ..stats },
            None if self.shows_state => stats.with_state(judge),
            None => stats,
        };
        let report = TraceReport::new(self.spec, self.name.to_owned(), judge, stats).named(&places);
        let (spec, verdict) = (self.spec.clone(), judge.verdict());
        JudgedRecording { spec, verdict, report, notes }
    }

    /// Reads a history, all of it or its first events.
    fn history(&self, input: &mut dyn BufRead, first: Option<usize>) -> Result<(History, TraceNotes), String> {
        let mut events = self.events(self.spec, input);
        let history = history(self.spec, &mut events, first).map_err(|error| error.render(self.name))?;
        let notes = TraceNotes::of(&events, self.name, history.is_empty())?;
        Ok((history, notes))
    }

    /// Reads the observations by a specification that is compiled for networks.
    fn observations(&self, spec: &Arc<Spec>, input: &mut dyn BufRead) -> Result<(Observations, TraceNotes), String> {
        let RecordingJudge { name, net, .. } = *self;
        let mut events = self.events(spec, input);
        let observed = observations(spec, &mut events).map_err(|error| error.render(name))?;
        let notes = TraceNotes::of(&events, name, observed.events.is_empty())?;
        if let Some(line) = net.connections().and_then(|most| crowded(&observed.events, most)) {
            let place = match observed.places.are_lines() {
                true => format!(":{line}"),
                false => format!(", {}", observed.places.at(line)),
            };
            return Err(format!("error: {name}{place}: one connection more is open than `--net {net}` has\n"));
        }
        Ok((observed, notes))
    }

    fn events<'i>(&self, spec: &Arc<Spec>, input: &'i mut dyn BufRead) -> Events<&'i mut dyn BufRead> {
        Events::open(spec, input, self.format, self.rules.clone())
    }

    fn anew(&self, source: &mut dyn RecordingSource, part: TracePart) -> Result<Box<dyn BufRead>, String> {
        source.anew(part).map_err(|why| format!("error: {why}\n"))
    }
}

/// Refuses a specification that does more than answer, for clients that wait for each answer. The error is ready to be shown.
fn refuse_alone(spec: &Spec, name: &str) -> Result<(), String> {
    if spec.asynchronous().is_empty() {
        return Ok(());
    }
    let render = |refused| spec.sources.render(refused, Colour::Never) + "\n";
    let refused: String = spec.asynchronous().iter().map(render).collect();
    Err(format!("{refused}error: {name}: its first line is a whole exchange: --net tcp judges it\n"))
}

/// The first line on which more than `most` connections are open.
fn crowded(events: &[RecordedEvent], most: usize) -> Option<u64> {
    let mut open = BTreeSet::new();
    events.iter().find_map(|(line, observation)| {
        if let Observation::Restart = observation {
            open.clear();
        }
        let port = observation.port()?;
        if matches!(observation, Observation::Lost(_) | Observation::Closed(_)) {
            open.remove(&port);
        } else {
            open.insert(port);
        }
        (open.len() > most).then_some(*line)
    })
}
