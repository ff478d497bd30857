//! Sessions over random histories of shipped specifications: saved and resumed anywhere, and too hard here and there.
//!
//! `MAYHAP_LONG=N cargo test --release --test it judge::random_sessions:: -- --nocapture` takes N histories of each specification over each network,
//! and `MAYHAP_SEED=S` begins elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::command::{file, simulated};
use crate::random::{Rng, seeds};
use mayhap::network::NetworkChoice;
use mayhap::{Options, Session, SessionProgress, Spec};

/// A server whose tasks are interleaved.
const PAIRED: &str =
    "enum Q { Add(int), Get } protocol paired { request Q; response int; var n: int = 0; var secret: int = choose;
    on Add(q) { n := n + q; yield; if q == secret { n := 0; } reply n; }
    on Get { yield; reply n; } }";

/// A specification, a network, and how its clients are simulated.
struct Case {
    /// Its file, or its text.
    path: &'static str,
    net: &'static str,
    clients: &'static str,
}

const fn case(path: &'static str, net: &'static str, clients: &'static str) -> Case {
    Case { path, net, clients }
}

const CASES: [Case; 17] = [
    case("specs/cmp_rst.may", "sync", ""),
    case("specs/kv_etag.may", "sync", ""),
    case("specs/idgen.may", "sync", ""),
    case("specs/lease.may", "sync", ""),
    case("specs/queue.may", "sync", ""),
    case("specs/abs_machine.may", "sync", ""),
    case("specs/register.may", "tcp", "--clients 3"),
    case("specs/register.may", "tcp", "--clients 3 --lost 10"),
    case("specs/kv.may", "tcp", "--clients 3"),
    case("specs/kv_etag.may", "tcp", "--clients 2"),
    case("specs/cmp_rst.may", "tcp", "--clients 2"),
    case("specs/mutex.may", "tcp", "--clients 2"),
    case("specs/lease.may", "tcp", "--clients 2"),
    case("specs/register.may", "fifo", "--clients 2"),
    case("specs/register.may", "udp", "--clients 2"),
    case(PAIRED, "tcp", "--clients 2"),
    case("specs/network/quorum_register.may", "tcp", "--clients 2"),
];

impl Case {
    fn spec(&self) -> Arc<Spec> {
        compiled(&std::fs::read_to_string(self.file()).unwrap(), self.net)
    }

    fn file(&self) -> PathBuf {
        match self.path.starts_with("specs/") {
            true => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(self.path),
            false => file("session_random.may", self.path),
        }
    }

    /// The lines of a history, in whose second half so many of a hundred answers are those to other requests.
    fn lines(&self, (steps, wrong): (u64, usize), rng: &mut Rng) -> Vec<String> {
        let (seed, net) = (rng.below(10_000), self.net);
        // These take long: with several calls a request, and with steps of the server between requests of two clients.
        let is_long = self.path.contains("quorum") || self.path.contains("lease") && self.net != "sync";
        let steps = if is_long { steps / 4 } else { steps };
        let range = "--range request=0..3 --range choose=0..3";
        let net = if net == "sync" { String::new() } else { format!(" --net {net} {}", self.clients) };
        let options = format!("--steps {steps} --seed {seed} {range}{net}");
        let all = simulated(&self.file(), options.trim());
        let mut lines: Vec<String> =
            all.lines().map(str::to_owned).filter(|line| !line.contains("\"mayhap\"")).collect();
        if rng.percent(30) {
            // The system is started again where nothing is under way; only some of that has an explanation.
            let asked = |line: &String| i64::from(line.contains("\"q\": ")) - i64::from(line.contains("\"a\": "));
            let under_way = lines.iter().scan(0, |all, line| {
                *all += asked(line);
                Some(*all)
            });
            let idle: Vec<usize> = (1..).zip(under_way).filter(|(_, all)| *all == 0).map(|(at, _)| at).collect();
            if !idle.is_empty() {
                lines.insert(*rng.pick(&idle), "{\"restart\": true}".to_owned());
            }
        }
        let is_answer = |line: &str| line.contains("\"a\": ") && !line.contains("\"peer\"");
        let answers: Vec<usize> = (0..lines.len()).filter(|at| is_answer(&lines[*at])).collect();
        for at in answers.iter().skip(answers.len() / 2) {
            if rng.percent(wrong) {
                let of = |line: &str| line.find("\"a\": ").unwrap();
                let other = rng.pick(&answers);
                let answer = lines[*other][of(&lines[*other])..].to_owned();
                let place = of(&lines[*at]);
                lines[*at].replace_range(place.., &answer);
            }
        }
        lines
    }

    fn session(&self, spec: &Arc<Spec>, options: Options) -> Session {
        Session::new(spec, self.net.parse::<NetworkChoice>().unwrap(), options)
    }
}

/// A specification as the command compiles it: what it does beside answering is refused where clients wait for each answer.
fn compiled(text: &str, net: &str) -> Arc<Spec> {
    if net == "sync" { Spec::from_text(text).unwrap() } else { crate::brute_force::random_tasks::compiled(text) }
}

fn count() -> (u64, u64) {
    match std::env::var("MAYHAP_LONG").ok() {
        Some(number) => (number.parse().expect("a number"), 60),
        None => (2, 24),
    }
}

#[test]
fn a_session_that_is_saved_and_resumed_goes_on_as_if_it_was_not() {
    let (histories, steps) = count();
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for case in &CASES {
        let spec = case.spec();
        for mut rng in seeds(301, histories).map(Rng::new) {
            let lines = case.lines((steps, 10), &mut rng);
            let mut uncut = case.session(&spec, Options::default());
            // One is saved with all of its events, one with its states wherever nothing is under way.
            let mut cut = [case.session(&spec, Options::default()), case.session(&spec, Options::default()).keeping(0)];
            for (at, line) in lines.iter().enumerate() {
                let expected = uncut.push_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
                for (number, session) in cut.iter_mut().enumerate() {
                    let progress = session.push_line(line).unwrap();
                    let history = lines[..=at].join("\n");
                    assert_eq!(progress, expected, "{} {} {number}\n{history}", case.path, case.net);
                    assert_eq!(session.verdict(), uncut.verdict());
                    if !rng.percent(35) {
                        continue;
                    }
                    match session.save() {
                        Ok(saved) => {
                            let is_state = saved.lines().nth(1).is_some_and(|line| line.starts_with("{\"start\":{"));
                            *tally.entry(if is_state { "states" } else { "events" }).or_default() += 1;
                            let resumed = Session::resume(&spec, Options::default(), &saved);
                            *session = resumed.unwrap_or_else(|why| panic!("{why}\n{history}\n{saved}"));
                            assert_eq!(session.verdict(), uncut.verdict());
                        }
                        Err(_) => {
                            assert_eq!(number, 1);
                            *tally.entry("not now").or_default() += 1;
                        }
                    }
                }
                let outcome = if let SessionProgress::Rejected(_) = expected { "rejected" } else { "explained" };
                *tally.entry(outcome).or_default() += 1;
            }
        }
    }
    eprintln!("{tally:?}");
    assert!(["states", "events", "rejected", "explained"].iter().all(|what| tally.get(what) > Some(&30)), "{tally:?}");
}

/// Whatever the limits, what is rejected has no explanation, and is not rejected sooner than it is.
#[test]
fn what_a_session_rejects_behind_what_is_too_hard_has_no_explanation() {
    let (histories, steps) = count();
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for case in &CASES {
        let spec = case.spec();
        for mut rng in seeds(302, 6 * histories).map(Rng::new) {
            let lines = case.lines((steps, 40), &mut rng);
            let mut plain = case.session(&spec, Options::default());
            let progress: Vec<SessionProgress> = lines.iter().map(|line| plain.push_line(line).unwrap()).collect();
            let rejected = match plain.settle() {
                SessionProgress::Rejected(line) => Some(line),
                SessionProgress::Explained => None,
                SessionProgress::Unknown(_) => continue,
                SessionProgress::Outside(_) | SessionProgress::Faulty(_) => continue,
            };
            let (effort, candidates) = (*rng.pick(&[3, 10, 30, 100, 300, 1_000]), *rng.pick(&[1, 2, 100]));
            let options = Options { effort, candidates, ..Options::default() };
            let mut session = case.session(&spec, options.clone());
            if rng.percent(30) {
                session = session.keeping(0);
            }
            let mut was_unknown = false;
            for (line, plain) in lines.iter().zip(&progress) {
                let progress = session.push_line(line).unwrap();
                let what = || format!("{} {} {options:?}\n{}", case.path, case.net, lines.join("\n"));
                match &progress {
                    SessionProgress::Rejected(line) => {
                        assert!(rejected.is_some_and(|first| first <= *line), "{rejected:?}, {line} {}", what());
                        let engine = if case.net == "tcp" { "rejected behind, tcp" } else { "rejected behind" };
                        *tally.entry(if was_unknown { engine } else { "rejected" }).or_default() += 1;
                        break;
                    }
                    SessionProgress::Unknown(_) => was_unknown = true,
                    SessionProgress::Explained if was_unknown => {
                        *tally.entry(if case.net == "tcp" { "goes on, tcp" } else { "goes on" }).or_default() += 1;
                    }
                    _ => assert_eq!(progress, *plain, "{}", what()),
                }
                if rng.percent(10)
                    && let Ok(saved) = session.save()
                {
                    // What is too hard may be more or less from there on.
                    session = Session::resume(&spec, options.clone(), &saved).unwrap();
                }
            }
        }
    }
    eprintln!("{tally:?}");
    assert!(
        ["rejected behind", "rejected behind, tcp", "goes on", "goes on, tcp"]
            .iter()
            .all(|what| tally.get(what) > Some(&0)),
        "{tally:?}"
    );
}

#[test]
fn no_text_but_a_saved_session_of_the_specification_is_resumed() {
    let text = "protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }";
    let spec = Spec::from_text(text).unwrap();
    let mut session = Session::tcp(&spec, Options::default());
    for line in [r#"{"c": 1, "q": 2}"#, r#"{"c": 1, "a": 2}"#] {
        session.push_line(line).unwrap();
    }
    let saved = [session.save().unwrap(), session.keeping(0).save().unwrap()];
    for saved in &saved {
        let resume = |text: &str, saved: &str| {
            let resumed = Session::resume(&Spec::from_text(text).unwrap(), Options::default(), saved);
            resumed.err().unwrap_or_else(|| panic!("resumed: {saved}"))
        };
        let other = resume(&text.replace("n + q", "n - q"), saved);
        assert_eq!(other, "the session was saved for another text of the specification `p`");
        let other = resume(&text.replace("protocol p", "protocol o"), saved);
        assert_eq!(other, "the session was saved for another specification, `p`; this one is `o`");
        let later = saved.replace("\"mayhap_session\":2", "\"mayhap_session\":3");
        assert!(resume(text, &later).contains("version 3 of the form"), "{}", resume(text, &later));
        // How it is written, and what is said of it, makes no difference.
        let written = format!("// A counter.\n{}", text.replace("; ", ";\n"));
        assert!(Session::resume(&Spec::from_text(&written).unwrap(), Options::default(), saved).is_ok());
        let mut rng = Rng::new(1);
        for _ in 0..300 {
            let mut octets = saved.clone().into_bytes();
            let at = rng.below(octets.len());
            match rng.below(4) {
                0 => octets.truncate(at),
                1 => octets[at] = b' ' + rng.below(90) as u8,
                2 => octets.insert(at, b"0\n}{"[rng.below(4)]),
                _ => _ = octets.remove(at),
            }
            let changed = String::from_utf8(octets).unwrap();
            // The name is for people, and what is in the header besides is looked at.
            if let Ok(resumed) = Session::resume(&spec, Options::default(), &changed) {
                let state = resumed.state();
                assert!(state == Session::resume(&spec, Options::default(), saved).unwrap().state(), "{changed}");
            }
        }
        for text in ["", "\n", "{}", "{}\n", "{\"mayhap_session\":1}\n", "mayhap\n{}\n"] {
            assert_eq!(
                resume("protocol p { request int; response int; on q { reply q; } }", text),
                "this is no saved session, or it is broken"
            );
        }
    }
}

/// Two requests are under way at once, of keys that have histories of their own, and now and then nothing is; when it is saved something is.
#[test]
fn what_is_saved_of_a_long_session_does_not_grow_with_it() {
    let spec = compiled(&crate::shipped::named("kv").text, "tcp");
    let mut session = Session::tcp(&spec, Options::default()).keeping(1_000);
    let mut lengths = Vec::new();
    let push = |session: &mut Session, line: String| {
        assert_eq!(session.push_line(&line).unwrap(), SessionProgress::Explained, "{line}");
    };
    for round in 1..=2_000_u64 {
        let put = format!(r#"{{"Put": ["k{}", "v{}"]}}"#, round % 5, round % 7);
        let append = format!(r#"{{"Append": ["n{}", ""]}}"#, round % 3);
        for (client, request) in [(1, &put), (2, &append)] {
            push(&mut session, format!(r#"{{"c": {client}, "q": {request}}}"#));
        }
        if round % 500 == 0 {
            let saved = session.save().unwrap();
            lengths.push(saved.len());
            session = Session::resume(&spec, Options::default(), &saved).unwrap();
        }
        for (client, answer) in [(1, &put), (2, &append)] {
            push(&mut session, format!(r#"{{"c": {client}, "a": {answer}}}"#));
        }
    }
    assert!(lengths[1..].iter().all(|length| *length < 40_000), "{lengths:?}");
    session.push_line(r#"{"c": 1, "q": {"Get": "k4"}}"#).unwrap();
    let wrong = session.push_line(r#"{"c": 1, "a": {"Get": ["k4", "v9"]}}"#).unwrap();
    assert_eq!(wrong, SessionProgress::Rejected(8_002));
}
