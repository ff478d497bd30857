//! Histories written by hand, each with one thing to get wrong.

use mayhap::details::Value;
use mayhap::network::Observation;
use mayhap::process::Port;
use mayhap::scalar::Scalar;
use mayhap::search;
use mayhap::search::OnlineHistory;
use mayhap::{Options, Spec, Verdict};

use super::{QUEUE, SPECS};

/// Ten clients add to a text in any of 3,628,800 orders, and none of them leads to what is seen then.
#[test]
fn texts_that_no_answer_shows_are_not_told_apart() {
    let text = "enum Q { Get, Add(string) } protocol p { request Q; response string; var s: string = \"\";
        on Get { reply s; } on Add(x) { s := s + x; reply \"\"; } }";
    let text_of = |text: &str| Value::Scalar(Scalar::str(text));
    let (add, none) = (|client: u64| Value::data(1, [text_of(&client.to_string())]), Some(text_of("")));
    let mut happened: Vec<Observation> =
        (0..10).map(|client| Observation::Request(Port(client), add(client))).collect();
    happened.push(Observation::Request(Port(10), Value::data(0, [])));
    happened.push(Observation::Answer(Port(10), Some(text_of("other"))));
    happened.extend((0..10).map(|client| Observation::Answer(Port(client), none.clone())));
    assert_eq!(verdict(text, &happened), Verdict::Reject { event: 12, event_from: None });
    happened[11] = Observation::Answer(Port(10), Some(text_of("85")));
    assert!(verdict(text, &happened).is_accept());
}

#[test]
fn a_match_that_fits_every_list_is_no_fault() {
    let [put, take] = [Value::data(0, [Value::from(7)]), Value::data(1, [])];
    let happened = [
        Observation::Request(Port(0), put),
        Observation::Request(Port(1), take),
        Observation::Answer(Port(0), Some(Value::from(0))),
        Observation::Answer(Port(1), Some(Value::from(8))),
    ];
    // Where serving a request may be faulty, a session leaves it to others to reject what was seen.
    let statement = "match l { [] => { reply -1; } [x, ..rest] => { l := rest; reply x; } }";
    let expression = "let (x, rest) = match l { [] => (-1, []), [x, ..rest] => (x, rest) }; l := rest; reply x;";
    let expression = QUEUE.replace(statement, expression);
    let partial = [QUEUE.replace("[] => { reply -1; }", ""), expression.replace("[] => (-1, []), ", "")];
    let rejected = Some(Verdict::Reject { event: 4, event_from: None });
    let texts = [(QUEUE, &rejected), (&expression, &rejected), (&partial[0], &None), (&partial[1], &None)];
    for (text, expected) in texts {
        let mut session = OnlineHistory::new(&Spec::from_text(text).unwrap(), Options::default());
        let verdicts = (1..).zip(happened.clone()).map(|(line, happened)| session.push(line, happened));
        assert_eq!(verdicts.last().flatten(), *expected, "{text}");
    }
}

/// The verdict on a history of a specification.
fn verdict(text: &str, happened: &[Observation]) -> Verdict {
    let spec = Spec::from_text(text).unwrap();
    search::judge(&spec, &search::history(&spec, happened.iter().cloned()), &Options::default()).verdict
}

#[test]
fn a_connection_has_no_say_in_what_another_one_was_served_long_after_its_answer() {
    let [read, ok] = [Value::data(0, []), Value::data(1, [])];
    let write = |x: i64| Value::data(1, [Value::from(x)]);
    let holds = |x: i64| Some(Value::data(0, [Value::from(x)]));
    // Client 2 writes what is there already, and is served last of all: the place that it has was that of the first request.
    let happened = [
        Observation::Request(Port(1), read.clone()),
        Observation::Answer(Port(1), holds(0)),
        Observation::Request(Port(2), write(0)),
        Observation::Request(Port(1), write(5)),
        Observation::Answer(Port(1), Some(ok.clone())),
        Observation::Request(Port(3), read.clone()),
        Observation::Answer(Port(3), holds(5)),
        Observation::Answer(Port(2), Some(ok)),
        Observation::Request(Port(3), read),
        Observation::Answer(Port(3), holds(0)),
    ];
    let verdict = verdict(SPECS[0].1, &happened);
    assert!(verdict.is_accept(), "{verdict:?}");
}

#[test]
fn equal_requests_may_lead_to_different_states_where_the_server_chooses() {
    let text = "enum Q { Take, Push } protocol p { request Q; response option<int>; var l: list<int> = [];
         on Push { let n = choose n: int where !(n in l); l := l + [n]; reply Some(n); }
         on Take { match l { [] => { reply None; } [n, ..rest] => { l := rest; reply Some(n); } } } }";
    let [take, push] = [0, 1].map(|tag| Value::data(tag, []));
    let holds = |n: i64| Some(Value::some(Value::from(n)));
    // The first push, whose answer nobody saw, was served first, and has put 2 there.
    let happened = [
        Observation::Request(Port(1), push.clone()),
        Observation::Lost(Port(1)),
        Observation::Request(Port(2), push),
        Observation::Request(Port(3), take.clone()),
        Observation::Answer(Port(2), holds(4)),
        Observation::Answer(Port(3), holds(2)),
        Observation::Request(Port(3), take),
        Observation::Answer(Port(3), holds(4)),
    ];
    assert!(verdict(text, &happened).is_accept());
}

#[test]
fn what_breaks_the_duty_under_one_key_explains_what_is_seen_under_another() {
    let text = "enum Q { Get(int), Put(int) } protocol p { request Q; response bool; var m: map<int, bool> = {};
         on Get(k) { reply m.get_or(k, false); } on Put(k) { expects !m.contains(k); m[k] := true; reply true; } }";
    let [get, put] = [0, 1].map(|tag| move |key: i64| Value::data(tag, [Value::from(key)]));
    // Each key alone has an order that keeps the duty, but for the last answer, which has none: but the two puts under 1 may
    // both have been served, and then everything may happen.
    let happened = [
        Observation::Request(Port(1), put(1)),
        Observation::Lost(Port(1)),
        Observation::Request(Port(2), put(1)),
        Observation::Answer(Port(2), Some(Value::from(true))),
        Observation::Request(Port(3), get(2)),
        Observation::Answer(Port(3), Some(Value::from(true))),
    ];
    assert!(matches!(verdict(text, &happened), Verdict::Outside { .. }));
    assert!(verdict(text, &happened[..4]).is_accept());
}

#[test]
fn a_procedure_that_writes_and_answers_has_changed_something() {
    let text = "enum Request { Put(int), Get } enum Answer { Done, No, Is(int) }
protocol p {
    request Request;
    response Answer;
    var n: int = 0;
    on Put(x) { let y = checked(x); n := y; reply Done; }
    on Get { reply Is(n); }
    proc checked(x: int): int { if x < 0 { n := 100; reply No; } return x; }
}";
    let [ask, answer] = [
        |client, request| Observation::Request(Port(client), request),
        |client, answer| Observation::Answer(Port(client), Some(answer)),
    ];
    let put = |client, x: i64| ask(client, Value::data(0, [Value::from(x)]));
    // The second refusal is served between the two last `Get`s.
    let happened = [
        put(1, -1),
        answer(1, Value::data(1, [])),
        put(1, -1),
        put(2, 5),
        answer(2, Value::data(0, [])),
        ask(2, Value::data(1, [])),
        answer(2, Value::data(2, [Value::from(5)])),
        ask(2, Value::data(1, [])),
        answer(2, Value::data(2, [Value::from(100)])),
        answer(1, Value::data(1, [])),
    ];
    assert_eq!(verdict(text, &happened), Verdict::Accept { warning: None });
}
