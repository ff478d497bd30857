//! A failure as a sequence diagram: a vertical line for each client and for the system, arrows for requests and answers, and
//! remarks on the right.
//!
//! All lengths are whole numbers of pixels. The width of a character is only about [`CHARACTER`].

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::text::{call_ended, called, outcome_shown, together};
use super::super::visible::visible;
use super::super::{FoundFailure, ShownAct, ShownOutcome, ShownStep, SpecPlace};
use super::links::Links;
use super::wrapped::wrapped;

/// The width of a character in thousandths of a pixel, about, as browsers choose the font.
const CHARACTER: i64 = 7_300;
/// The height of a line of text, in pixels.
const LINE: i64 = 16;
/// The horizontal position of the first client's line, in pixels.
const FIRST: i64 = 66;
/// The distance between the lines of the last client and of the system, in pixels.
const ROOM: i64 = 420;
/// The width of the remarks, in pixels.
const REMARKS: i64 = 350;
/// The height of the names above the lines, in pixels.
const HEAD: i64 = 44;
/// The most steps that are drawn, as nobody reads a longer picture.
const MOST_STEPS: usize = 400;

/// The picture of a failure.
pub(super) fn sequence(found: &FoundFailure, links: &Links) -> Markup {
    let steps = &found.steps[..found.steps.len().min(MOST_STEPS)];
    let lanes = SequenceLanes::of(steps);
    let (mut y, mut rows) = (HEAD, Vec::new());
    for (step, number) in steps.iter().zip(found.numbers()) {
        let row = SequenceRow { number, ..SequenceRow::of(step, &lanes, y) };
        y = row.end;
        rows.push(row);
    }
    let (width, height) = (lanes.system + 24 + REMARKS, y + 14);
    html! {
        div.scroll {
            svg.sequence viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img"
                aria-label="The requests and answers that show the failure" {
                (lanes.drawn(height))
                (under_way(&rows, &lanes))
                @for row in &rows { (row.drawn(&lanes, links)) }
            }
        }
        @if found.steps.len() > MOST_STEPS {
            p.faint { (found.steps.len() - MOST_STEPS) " more steps are not drawn; the script has them." }
        }
    }
}

/// The horizontal positions of the lines of the clients and of the system.
struct SequenceLanes {
    clients: Vec<(u64, i64)>,
    system: i64,
}

impl SequenceLanes {
    fn of(steps: &[ShownStep]) -> SequenceLanes {
        let clients: BTreeSet<u64> = steps.iter().filter_map(|step| step.act.client()).collect();
        let gap = (400 / clients.len().max(1) as i64).clamp(40, 120);
        let placed: Vec<(u64, i64)> = clients.into_iter().zip((0..).map(|at| FIRST + at * gap)).collect();
        let last = placed.last().map_or(FIRST, |(_, x)| *x);
        SequenceLanes { clients: placed, system: last + ROOM }
    }

    fn x(&self, client: u64) -> i64 {
        self.clients.iter().find(|(own, _)| *own == client).map_or(FIRST, |(_, x)| *x)
    }

    /// The number of characters that fit between the lines of a client and of the system.
    fn room(&self, client: u64) -> usize {
        ((self.system - self.x(client) - 26) * 1_000 / CHARACTER) as usize
    }

    fn drawn(&self, height: i64) -> Markup {
        let clients = self.clients.iter().map(|(client, x)| (format!("c{client}"), *x, 36, "lane client"));
        let all: Vec<_> = clients.chain([("system".to_owned(), self.system, 66, "lane system")]).collect();
        html! {
            @for (name, x, width, class) in all {
                g class=(class) {
                    line x1=(x) y1="32" x2=(x) y2=(height) {}
                    rect x=(x - width / 2) y="8" width=(width) height="24" rx="6" {}
                    text x=(x) y="24" text-anchor="middle" { (name) }
                }
            }
        }
    }
}

/// A step with its place in the picture.
struct SequenceRow<'s> {
    step: &'s ShownStep,
    /// The number of the request, as explanations name it.
    number: Option<usize>,
    /// The text above the arrow, or in the band across the picture.
    label: Vec<String>,
    remarks: Vec<String>,
    start: i64,
    /// The vertical position of the arrow.
    arrow: i64,
    end: i64,
}

impl<'s> SequenceRow<'s> {
    fn of(step: &'s ShownStep, lanes: &SequenceLanes, start: i64) -> SequenceRow<'s> {
        let (text, room) = match &step.act {
            ShownAct::Ask { client, request, .. } => (request.short.clone(), lanes.room(*client)),
            ShownAct::Answer { client, outcome, .. } => (outcome_shown(outcome), lanes.room(*client)),
            ShownAct::Wait(seconds) => (format!("{seconds} s pass"), lanes.room(0)),
            ShownAct::Together { labels, offsets } => (together(labels, offsets), lanes.room(0)),
            ShownAct::Close { client, .. } => (format!("c{client} ends its connection"), lanes.room(0)),
            ShownAct::Restart => ("the system is killed and started again".into(), lanes.room(0)),
            ShownAct::Call { peer, request } => (called(peer, request), lanes.room(0)),
            ShownAct::CallEnd { peer, answer } => (call_ended(peer, answer.as_ref()), lanes.room(0)),
        };
        let label = wrapped(&visible(&text), room);
        let width = ((REMARKS - 22) * 1_000 / CHARACTER) as usize;
        let references: &[String] = match &step.act {
            ShownAct::Ask { references, .. } => references,
            _ => &[],
        };
        let remarks: Vec<String> =
            step.notes.iter().chain(references).flat_map(|note| wrapped(&visible(note), width)).collect();
        let place = i64::from(step.place.is_some());
        let arrow = start + label.len() as i64 * LINE + 8;
        let beside = match remarks.len() as i64 + place {
            0 => 0,
            lines => start + lines * LINE + 18,
        };
        SequenceRow { step, number: None, label, remarks, start, arrow, end: (arrow + 14).max(beside) }
    }

    fn drawn(&self, lanes: &SequenceLanes, links: &Links) -> Markup {
        let (kind, json) = match &self.step.act {
            ShownAct::Ask { request, .. } => ("ask", request.json.0.as_str()),
            ShownAct::Answer { outcome: ShownOutcome::Answer(answer), .. } => ("answer", answer.json.0.as_str()),
            ShownAct::Answer { .. } => ("answer none", ""),
            ShownAct::Close { .. } | ShownAct::Wait(_) | ShownAct::Together { .. } => ("pause", ""),
            ShownAct::Restart => ("pause restart", ""),
            ShownAct::Call { request, .. } => ("pause", request.json.0.as_str()),
            ShownAct::CallEnd { answer, .. } => ("pause", answer.as_ref().map_or("", |answer| answer.json.0.as_str())),
        };
        let class = if self.step.failing { format!("step {kind} failing") } else { format!("step {kind}") };
        html! {
            g class=(class) {
                @if !json.is_empty() { title { (json) } }
                @if let (Some(number), ShownAct::Ask { .. }) = (self.number, &self.step.act) {
                    text.number x="26" y=(self.arrow + 4) text-anchor="end" { (number) }
                }
                @match &self.step.act {
                    ShownAct::Ask { client, .. } => (self.arrow(lanes.x(*client), lanes.system)),
                    ShownAct::Answer { client, .. } => (self.arrow(lanes.system, lanes.x(*client))),
                    _ => (self.across(lanes)),
                }
                (self.beside(lanes, links))
            }
        }
    }

    /// The arrow, with its text above it, beginning at the client's line.
    fn arrow(&self, from: i64, to: i64) -> Markup {
        let (y, way) = (self.arrow, if from < to { 1 } else { -1 });
        let tip = to - 5 * way;
        let head = format!("M{},{} L{tip},{y} L{},{}", tip - 9 * way, y - 5, tip - 9 * way, y + 5);
        html! {
            @for (line, at) in self.label.iter().zip(1..) {
                text.over x=(from.min(to) + 13) y=(self.start + at * LINE) { (line) }
            }
            line x1=(from + 5 * way) y1=(y) x2=(tip) y2=(y) {}
            path.head d=(head) {}
            @if self.step.failing { text.cross x=(from.min(to) - 22) y=(y + 6) { "✗" } }
        }
    }

    /// A band from the first client to the system.
    fn across(&self, lanes: &SequenceLanes) -> Markup {
        let height = self.label.len() as i64 * LINE + 6;
        html! {
            rect x=(FIRST - 18) y=(self.start + 2) width=(lanes.system - FIRST + 36) height=(height) rx="4" {}
            @for (line, at) in self.label.iter().zip(1..) {
                text x=((FIRST + lanes.system) / 2) y=(self.start + at * LINE) text-anchor="middle" { (line) }
            }
        }
    }

    /// The remarks, with a link to the place in the specification that they are about.
    fn beside(&self, lanes: &SequenceLanes, links: &Links) -> Markup {
        let lines = self.remarks.len() as i64;
        let all = lines + i64::from(self.step.place.is_some());
        let x = lanes.system + 22;
        html! {
            @if all > 0 {
                g.remark {
                    rect x=(x) y=(self.start + 2) width=(REMARKS - 4) height=(all * LINE + 10) rx="4" {}
                    @for (line, at) in self.remarks.iter().zip(1..) {
                        text x=(x + 10) y=(self.start + at * LINE + 3) { (line) }
                    }
                    @if let Some(place) = &self.step.place { (place_at(place, x + 10, self.start + all * LINE + 3, links)) }
                }
            }
        }
    }
}

fn place_at(place: &SpecPlace, x: i64, y: i64, links: &Links) -> Markup {
    html! {
        @match links.to(place) {
            Some(target) => a href=(target) { text.place x=(x) y=(y) { (place) } },
            None => text.place x=(x) y=(y) { (place) },
        }
    }
}

/// Bars on the lines of clients, from each request to its answer.
fn under_way(rows: &[SequenceRow<'_>], lanes: &SequenceLanes) -> Markup {
    let last = rows.last().map_or(HEAD, |row| row.end);
    let bars = rows.iter().filter_map(|row| {
        let ShownAct::Ask { label, client, .. } = &row.step.act else { return None };
        let is_end =
            |other: &&SequenceRow<'_>| matches!(&other.step.act, ShownAct::Answer { label: own, .. } if own == label);
        Some((lanes.x(*client), row.arrow, rows.iter().find(is_end).map_or(last, |end| end.arrow)))
    });
    html! {
        @for (x, from, to) in bars {
            rect.busy x=(x - 5) y=(from - 3) width="10" height=((to - from + 6).max(6)) rx="2" {}
        }
    }
}
