//! Random protocols whose handlers yield, and traces of several clients of them.
//!
//! Example of a handler that is drawn: `on q from who { let k = q % 3; yield; w := Some(who); m[k] := 1; reply len(m); }`.

use super::{Rng, grammar};
use crate::oracle::tasks::{Event, Events, Wire, World};
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

/// Statements of handlers that do more than answering, of which `@` is a number of their own.
const TALKING: &[&str] = &[
    "n := (n + 1) % 3;",
    "n := q % 3;",
    "send c, n;",
    "send c, 2;",
    "yield;",
    "yield;",
    "let old@ = n; yield; if old@ != n { reply 4; }",
    "last := Some(c);",
    "last := Some(c);",
    "if last is Some(to) { send to, n + q % 2; }",
    "if last is Some(to) { send to, 3; last := None; }",
    "if last is Some(to) { if q == 3 { close to; } }",
    "if q == 4 { close c; }",
    "if q % 4 == 1 { return; }",
    "if n == 1 { reply q % 3; }",
    "either { n := 0; } or { n := 2; }",
    "n := choose x: int where x >= 0 && x < 3;",
    "assume n < 2;",
    "step_back();",
];

/// Statements of handlers that only answer, in several sections.
const WAITING: &[&str] = &[
    "yield;",
    "n := (n + q) % 3;",
    "let old@ = n; yield; n := (old@ + q) % 3;",
    "let old@ = n; yield; n := old@; reply old@ + q % 2;",
    "let old@ = n; yield; if old@ == q % 3 { reply old@; }",
    "let old@ = n; yield; if n == old@ { reply 1; } n := 0;",
    "if q == 4 { return; }",
    "if n == 1 { yield; reply q % 3; }",
    "either { n := 0; } or { yield; }",
    "let x@ = choose x: int where x >= 0 && x < 3; yield; n := x@; reply x@;",
    "assume n < 2;",
    "step_back();",
];

/// Statements of handlers that answer at once, where the client may break its duty, or the specification is faulty.
const FAILING: &[&str] = &[
    "n := (n + q) % 3;",
    "n := q % 3;",
    "expects n < 2;",
    "expects q != n;",
    "if q == 2 { expects n > 0; }",
    "n := [0, 1, 2, 0][q];",
    "if n == q % 3 { reply n; }",
    "n := choose x: int where x >= 0 && x < 3;",
    "either { n := 0; } or {}",
];

/// Statements of those that call a peer.
const CALLING: &[&str] = &[
    "let got@ = call p(n), q % 2; if got@ is Some(x) { n := x % 3; }",
    "let got@ = call p(0), n; if got@ is Some(x) { send c, x; }",
    "let got@ = call p(q % 2), 0; if got@ == None { reply 4; }",
    "let got@ = call all p(k) for k in 0..2, k + n; if len(got@) == q % 3 { reply 4; }",
    "let got@ = call any 1 of p(k) for k in [n, q % 2], k; n := len(got@);",
    "let got@ = call any n of p(k) for k in 0..3 if k != q % 4, k; if len(got@) > 0 { n := pick got@.values(); n := n % 3; }",
    "call any 0 of p(k) for k in [q % 2], n;",
    "let got@ = call any q % 3 of p(k) for k in [0, n], 1; if got@.get(n) is Some(x) { send c, x; }",
];

/// Steps of the server.
const STEPS: &[&str] = &[
    "assume n > 0; n := n - 1;",
    "if last is Some(to) { send to, n; last := None; }",
    "if last is Some(to) { assume n < 2; n := n + 1; send to, 4; }",
    "if last is Some(to) { close to; last := None; }",
];

/// A program text with few states, whose handlers send, end connections, call peers and give no answer, whose steps send, too, and
/// that may take notice of connections.
pub fn random_talking(rng: &mut Rng) -> String {
    let calls = if rng.percent(40) { 30 } else { 0 };
    talking(rng, calls)
}

/// The same, with many calls of peers.
pub fn random_calling(rng: &mut Rng) -> String {
    talking(rng, 70)
}

/// A program text with few states, whose handlers answer, each in several sections.
pub fn random_waiting(rng: &mut Rng) -> String {
    let mut statements: Vec<String> =
        (0..1 + rng.below(4)).map(|number| rng.pick(WAITING).replace('@', &number.to_string())).collect();
    statements.extend(rng.percent(85).then(|| "reply n + q % 2;".to_owned()));
    let step = if rng.percent(20) { "step { assume n > 0; n := n - 1; }" } else { "" };
    let body = statements.join("\n");
    let vars = "var n: int = 0; proc step_back() { if n > 0 { n := n - 1; } }";
    format!("protocol p {{ request int; response int;\n{vars}\n{step}\non q {{\n{body}\n}}\n}}")
}

/// A program text with few states, whose handlers answer at once, if they do not fail.
pub fn random_failing(rng: &mut Rng) -> String {
    let mut statements: Vec<&str> = (0..1 + rng.below(4)).map(|_| *rng.pick(FAILING)).collect();
    statements.push("reply n + q % 2;");
    let body = statements.join("\n");
    format!("protocol p {{ request int; response int;\nvar n: int = 0;\non q {{\n{body}\n}}\n}}")
}

/// Statements of handlers that compare stored values with each other and with their client, and give answers by writing or not.
const COMPARING: &[&str] = &[
    "if n == m { reply 1; }",
    "if n == q % 3 { n := m; reply 1; }",
    "if m < n { m := n; reply n; }",
    "n := m;",
    "m := q % 3;",
    "n := (n + 1) % 3;",
    "if last == Some(c) { reply 2; }",
    "if last is Some(to) { send to, n; }",
    "last := Some(c);",
    "last := None;",
    "yield;",
    "yield;",
    "let old@ = n; yield; if old@ == m { reply old@; }",
    "let old@ = m; yield; n := old@; reply 1;",
    "let x@ = choose x: int where x >= 0 && x < 3; yield; m := x@; reply x@;",
    "either { n := m; } or { m := n; }",
    "assume n <= m;",
    "if m == 2 { return; }",
    "send c, m;",
];

/// Steps that send again, and that make possible again what was not.
const ENABLING: &[&str] = &[
    "assume n != m; m := n;",
    "assume m > 0; m := 0;",
    "if last is Some(to) { send to, n; }",
    "if last is Some(to) { assume n == m; send to, 1; send to, m; }",
    "assume last != None; last := None;",
    "if last is Some(to) { send to, 1; assume m < 2; m := m + 1; }",
];

/// A program text with few states, whose handlers compare what is stored, and whose steps send again and enable what was dead.
pub fn random_comparing(rng: &mut Rng) -> String {
    let mut statements: Vec<String> =
        (0..2 + rng.below(4)).map(|number| rng.pick(COMPARING).replace('@', &number.to_string())).collect();
    if rng.percent(20) {
        statements.push(rng.pick(CALLING).replace('@', "9"));
    }
    statements.extend(rng.percent(75).then(|| "reply n + q % 2;".to_owned()));
    let steps: String = (0..rng.below(3)).map(|_| format!("step {{ {} }}\n", rng.pick(ENABLING))).collect();
    let vars = "var n: int = 0; var m: int = 0; var last: option<client> = None; peer p(key: int): int -> int;";
    let body = statements.join("\n");
    format!("protocol p {{ request int; response int;\n{vars}\n{steps}\non q from c {{\n{body}\n}}\n}}")
}

/// A program text with few states, whose handlers answer at once or not at all, and do nothing else to anybody.
pub fn random_answering(rng: &mut Rng) -> String {
    let is_plain = |text: &&&str| ["send", "yield", "last"].iter().all(|other| !text.contains(other));
    let [statements, steps] = [COMPARING, ENABLING].map(|all| all.iter().filter(is_plain).collect::<Vec<_>>());
    let mut body: Vec<&str> = (0..2 + rng.below(4)).map(|_| **rng.pick(&statements)).collect();
    body.extend(rng.percent(75).then_some("reply n + q % 2;"));
    let steps = if rng.percent(30) { format!("step {{ {} }}", rng.pick(&steps)) } else { String::new() };
    let vars = "var n: int = 0; var m: int = 0;";
    format!("protocol p {{ request int; response int;\n{vars}\n{steps}\non q {{\n{}\n}}\n}}", body.join("\n"))
}

/// A random program that sends messages, in which this number of statements in a hundred call peers.
fn talking(rng: &mut Rng, calls: usize) -> String {
    let mut statements: Vec<String> = Vec::new();
    for number in 0..2 + rng.below(4) {
        let from = if calls > 0 && rng.percent(calls) { CALLING } else { TALKING };
        statements.push(rng.pick(from).replace('@', &number.to_string()));
    }
    statements.extend(rng.percent(75).then(|| "reply n + q % 2;".to_owned()));
    let mut members = vec!["proc step_back() { if n > 0 { n := n - 1; } }".to_owned()];
    members.extend((calls > 0).then(|| "peer p(key: int): int -> int;".to_owned()));
    members.extend(rng.percent(30).then(|| format!("step {{ {} }}", rng.pick(STEPS))));
    if rng.percent(25) {
        members.push("on open from c { n := (n + 1) % 3; send c, n; }".to_owned());
        members.push("on close from c { n := 0; last := None; }".to_owned());
    }
    let head = if rng.percent(20) { "serial protocol" } else { "protocol" };
    let vars = "var n: int = 0; var last: option<client> = None;";
    let (members, body) = (members.join("\n"), statements.join("\n"));
    format!("{head} p {{ request int; response int;\n{vars}\n{members}\non q from c {{\n{body}\n}}\n}}")
}

/// A run that a trace is drawn from.
struct Running<'o> {
    oracle: Oracle<'o>,
    wire: Wire,
    world: World,
    trace: Events,
    /// The connections of the clients; each that ends is followed by another one.
    connections: Vec<u64>,
    /// The calls that peers have seen.
    calls: Vec<u64>,
    numbers: u64,
    /// The number of restarts among a hundred events.
    restarts: usize,
}

/// A trace of a run under drawn choices, `length` events or less, of which `requests` are requests.
pub fn run(rng: &mut Rng, file: &File, domains: Domains, of: (Wire, usize, usize)) -> Events {
    run_with_restarts(rng, file, domains, of, 0)
}

/// A run in which this number of events in a hundred are restarts.
pub fn run_with_restarts(
    rng: &mut Rng,
    file: &File,
    domains: Domains,
    (wire, length, requests): (Wire, usize, usize),
    restarts: usize,
) -> Events {
    let oracle = Oracle::new(file, None, domains);
    let begun = (0..10).find_map(|_| oracle.draw_initial(&mut |n| rng.below(n)).ok());
    let Some((state, _)) = begun else { return Events::new() };
    let world = World { state, ..World::default() };
    let connections = (1..=CLIENTS).collect();
    let mut running =
        Running { oracle, wire, world, trace: Events::new(), connections, calls: Vec::new(), numbers: 10, restarts };
    let (mut tries, mut sent) = (0, 0);
    while running.trace.len() < length && tries < 20 * length {
        tries += 1;
        if running.restarts > 0 && rng.percent(running.restarts) {
            running.restart(rng);
            continue;
        }
        match rng.below(8) {
            0 | 1 if sent < requests => sent += usize::from(running.ask(rng)),
            0..=2 => {
                let next = running.oracle.draw_move(&running.world, wire, &mut |n| rng.below(n));
                running.world = next.unwrap_or(running.world);
            }
            3..=5 => running.see(rng),
            6 => running.call(rng),
            _ => running.end(rng),
        }
    }
    running.trace
}

impl Running<'_> {
    fn push(&mut self, number: u64, event: Event) {
        let world = std::mem::take(&mut self.world);
        self.world = self.oracle.with_connection(world, (number, &event));
        self.trace.push((number, event));
    }

    /// A client sends a request.
    fn ask(&mut self, rng: &mut Rng) -> bool {
        let client = *rng.pick(&self.connections);
        if self.world.pending(client) > usize::from(rng.percent(15)) {
            return false;
        }
        let request = json!(rng.between(0, 6));
        let value = self.oracle.decode(&request, self.oracle.request());
        self.push(client, Event::Request(request));
        self.world = std::mem::take(&mut self.world).with_arrived(client, value, self.wire);
        true
    }

    /// A client sees an answer.
    fn see(&mut self, rng: &mut Rng) {
        let client = *rng.pick(&self.connections);
        let visible = self.world.visible(self.wire, client);
        if visible.is_empty() {
            return;
        }
        let at = *rng.pick(&visible);
        let answer = self.oracle.encode(&self.world.sent[at].1, self.oracle.response());
        self.world = std::mem::take(&mut self.world).without_answer(at, self.wire);
        self.push(client, if rng.percent(8) { Event::Hole } else { Event::Answer(answer) });
    }

    /// A peer sees a call, or answers one.
    fn call(&mut self, rng: &mut Rng) {
        let unseen = self.world.unseen_calls();
        if !unseen.is_empty() && rng.percent(60) {
            let call = rng.pick(&unseen);
            self.numbers += 1;
            let exchange = self.numbers;
            let Some(world) = self.world.see_call(call, exchange) else { return };
            let [key, request] = [&call.key, &call.request].map(|value| self.oracle.encode(value, None));
            self.world = world;
            self.calls.push(exchange);
            self.push(exchange, Event::Called(key, request));
        } else if !self.calls.is_empty() {
            let exchange = self.calls.swap_remove(rng.below(self.calls.len()));
            let answer = rng.percent(80).then(|| json!(rng.between(0, 2)));
            let value = answer.as_ref().map(|answer| self.oracle.decode(answer, Some(self.oracle.peer_response())));
            // Of the answers, some are recorded as they are sent, and the others as they arrive.
            let (world, event) = match (answer, value) {
                (Some(answer), Some(value)) if !exchange.is_multiple_of(3) => {
                    (self.world.sent_answer(exchange, &value), Event::AnswerSent(answer))
                }
                (answer, value) => (self.world.answered(exchange, value.as_ref()), Event::CallAnswered(answer)),
            };
            if let Some(world) = world {
                self.world = world;
                self.push(exchange, event);
            }
        }
    }

    /// The server is killed and starts again, where it does; the connections that come are others.
    fn restart(&mut self, rng: &mut Rng) {
        let Ok((state, _)) = self.oracle.draw_restart(&self.world.state, &mut |n| rng.below(n)) else { return };
        self.trace.push((0, Event::Restart));
        self.world = World { state, ..World::default() };
        self.calls.clear();
        for connection in &mut self.connections {
            self.numbers += 1;
            *connection = self.numbers;
        }
    }

    /// A client gives up, or sees the end of its connection; another one takes its place.
    fn end(&mut self, rng: &mut Rng) {
        let place = rng.below(self.connections.len());
        let client = self.connections[place];
        let is_closed = self.world.closed.contains(&client) && self.world.visible(self.wire, client).is_empty();
        let event = if is_closed { Event::Closed } else { Event::Lost };
        if !self.world.there.contains(&client) || !(is_closed || rng.percent(12)) {
            return;
        }
        self.push(client, event);
        self.world = self.oracle.ended(std::mem::take(&mut self.world), client);
        self.numbers += 1;
        self.connections[place] = self.numbers;
    }
}

/// The trace with one answer changed, seen again, or seen by another client, or with two events in another order; or with a call of a
/// peer changed.
pub fn altered(rng: &mut Rng, trace: &Events) -> Events {
    let mut trace = trace.clone();
    let calls: Vec<usize> = (0..trace.len()).filter(|at| matches!(trace[*at].1, Event::Called(..))).collect();
    if !calls.is_empty() && rng.percent(30) {
        if let Event::Called(key, request) = &mut trace[*rng.pick(&calls)].1 {
            *(if rng.percent(50) { key } else { request }) = json!(rng.between(0, 3));
        }
        return trace;
    }
    let answers: Vec<usize> = (0..trace.len()).filter(|at| matches!(trace[*at].1, Event::Answer(_))).collect();
    if answers.is_empty() {
        return trace;
    }
    let at = *rng.pick(&answers);
    let may_swap = at > 0 && !matches!(trace[at - 1].1, Event::Lost | Event::Closed | Event::Restart);
    match rng.below(10) {
        0 | 1 => {
            let other = *rng.pick(&answers);
            let (one, another) = (trace[at].1.clone(), trace[other].1.clone());
            (trace[at].1, trace[other].1) = (another, one);
        }
        2 if may_swap => trace.swap(at - 1, at),
        3 | 4 => trace.insert(at, trace[at].clone()),
        _ => trace[at].1 = Event::Answer(Json::from(rng.between(-1, 6))),
    }
    trace
}
