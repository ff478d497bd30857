//! Random protocols whose handlers yield, and traces of several clients of them.
//!
//! Example of a handler that is drawn: `on q from who { let k = q % 3; yield; w := Some(who); m[k] := 1; reply len(m); }`.

use super::{Rng, grammar};
use crate::oracle::tasks::{Event, Events, World};
use crate::oracle::{Domains, Json, Oracle};
use mayhap::syntax::ast::File;
use serde_json::json;

/// The clients of a trace.
pub const CLIENTS: u64 = 3;

/// A program text: one of the grammar `steps`, whose handlers and procedures yield here and there, and know their clients.
pub fn random(rng: &mut Rng) -> String {
    random_from("start", rng)
}

/// The same from another rule of the grammar.
pub fn random_from(start: &str, rng: &mut Rng) -> String {
    let (text, knows) = (grammar::program("steps", start, rng), rng.percent(30));
    let mut lines: Vec<String> = Vec::new();
    let (mut may_yield, mut in_handler) = (false, false);
    for line in text.lines() {
        let word = line.trim();
        let opens = ["on q", "proc ", "step "].iter().find(|head| word.starts_with(**head));
        if let Some(head) = opens {
            (may_yield, in_handler) = (*head != "step ", *head == "on q");
        } else if may_yield && !word.starts_with('}') {
            if rng.percent(25) {
                lines.push("yield;".to_owned());
            }
            if in_handler && text.contains("var n:") && rng.percent(10) {
                let old = format!("old{}", lines.len());
                lines.push(format!("let {old} = n; yield; if {old} != n {{ reply {old}; }}"));
            }
            if knows && in_handler && rng.percent(15) {
                let own =
                    ["w := Some(who);", "assume w != Some(who);", "if w == Some(who) { n2 := n2 + 1; reply n2 % 3; }"];
                lines.push((*rng.pick(&own)).to_owned());
            }
        }
        lines.push(if knows && in_handler { line.replacen("on q", "on q from who", 1) } else { line.to_owned() });
        if knows && word.starts_with("request int") {
            lines.push("var w: option<client> = None; var n2: int = 0;".to_owned());
        }
    }
    lines.join("\n")
}

/// A trace of a run under drawn choices, `length` events or less.
pub fn run(rng: &mut Rng, file: &File, domains: Domains, length: usize) -> Events {
    let oracle = Oracle::new(file, None, domains);
    let begun = (0..10).find_map(|_| oracle.draw_initial(&mut |n| rng.below(n)).ok());
    let Some((state, _)) = begun else { return Events::new() };
    let mut world = World { state, ..World::default() };
    let (mut trace, mut tries) = (Events::new(), 0);
    while trace.len() < length && tries < 20 * length {
        tries += 1;
        match rng.below(3) {
            0 => {
                let client = 1 + rng.below(CLIENTS as usize) as u64;
                if world.pending(client) > usize::from(rng.percent(15)) {
                    continue;
                }
                let request = json!(rng.between(0, 8));
                world = world.with_arrived(client, oracle.decode(&request, oracle.request()));
                trace.push((client, Event::Request(request)));
            }
            1 => world = oracle.draw_move(&world, &mut |n| rng.below(n)).unwrap_or(world),
            _ => {
                let seen = world.draw_answer(&mut |n| rng.below(n));
                trace.extend(seen.map(|(client, answer)| {
                    let answer = oracle.encode(&answer, oracle.response());
                    (client, if rng.percent(8) { Event::Hole } else { Event::Answer(answer) })
                }));
            }
        }
    }
    trace
}

/// The trace with one answer changed, or seen by another client.
pub fn altered(rng: &mut Rng, trace: &Events) -> Events {
    let mut trace = trace.clone();
    let answers: Vec<usize> = (0..trace.len()).filter(|at| matches!(trace[*at].1, Event::Answer(_))).collect();
    if answers.is_empty() {
        return trace;
    }
    let at = *rng.pick(&answers);
    if rng.percent(20) {
        let other = *rng.pick(&answers);
        let (one, another) = (trace[at].1.clone(), trace[other].1.clone());
        (trace[at].1, trace[other].1) = (another, one);
    } else {
        trace[at].1 = Event::Answer(Json::from(rng.between(-1, 4)));
    }
    trace
}
