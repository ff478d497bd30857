//! The answers that are said to be possible are those that are: all answers of a small world are judged, one by one.
//!
//! `let l = choose list<int>; assume len(l) == 1; reply L(l);` allows `[#1]`: each list of one element, and no other.

use std::collections::BTreeMap;

use mayhap::Exchange;
use mayhap::evidence::{Possibility, allowed};
use mayhap::judge::{Judge, Options};

use crate::judge::{compiled, exchanges, verdict};
use crate::random::{Rng, seeds};

const HEAD: &str = "enum Q { Add(int), Take } enum A { I(int), L(list<int>), S(set<int>), Added }";

/// The answers of the small world: numbers, lists of at most three numbers, and sets of them.
fn world() -> Vec<String> {
    let mut answers: Vec<String> = (-1..5).map(|n| format!("{{\"I\": {n}}}")).collect();
    let mut lists: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 1..=3 {
        let longest: Vec<Vec<u8>> = lists.iter().filter(|list| list.len() == length - 1).cloned().collect();
        lists.extend(longest.iter().flat_map(|list| (0..3).map(|x| [&list[..], &[x]].concat())));
    }
    let shown = |list: &[u8]| list.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    answers.extend(lists.iter().map(|list| format!("{{\"L\": [{}]}}", shown(list))));
    let is_sorted = |list: &&Vec<u8>| list.windows(2).all(|two| two[0] < two[1]);
    answers.extend(lists.iter().filter(is_sorted).map(|list| format!("{{\"S\": [{}]}}", shown(list))));
    answers
}

/// A way to answer `Take`.
fn way(rng: &mut Rng) -> String {
    let (a, b) = (rng.below(3), rng.below(3));
    let int = [
        format!("x > {a}"),
        format!("x <= {a} && x >= 0"),
        format!("x != {a} && x != {b}"),
        format!("x == {a} || x == {b}"),
        "m.contains(x)".to_owned(),
        "x > last".to_owned(),
    ];
    let list = [
        format!("len(l) == {a}"),
        format!("len(l) <= {a}"),
        format!("all x in l: x == {a}"),
        format!("len(l) >= 1 && l[0] == {a}"),
        format!("len(l) >= 2 && l[0] != {a}"),
        "len(l) <= 2 && (all x in l: m.contains(x))".to_owned(),
        "true".to_owned(),
    ];
    let set = [
        format!("{a} in s"),
        format!("!({a} in s)"),
        format!("s == {{{a}, {b}}}"),
        format!("{a} in s && !({b} in s)"),
        "true".to_owned(),
    ];
    match rng.below(5) {
        0 => format!("let x = choose int; assume {}; reply I(x);", rng.pick(&int)),
        1 => format!("let l = choose list<int>; assume {}; reply L(l);", rng.pick(&list)),
        2 => "let l = choose list<int>; reply L(l) then { for x in l { assume m.contains(x); m := m.remove(x); } }"
            .to_owned(),
        3 => format!("let s = choose set<int>; assume {}; reply S(s);", rng.pick(&set)),
        _ => format!("let x = pick [{a}, {b}, last]; reply L([x, {b}]);"),
    }
}

/// Tests whether an answer that is said to be possible, perhaps with parts that are not known, stands for this one; `None` if that is not
/// easy to tell.
fn covers(said: &str, answer: &str) -> Option<bool> {
    let inside = |text: &str| Some((text.get(2..3)?.to_owned(), text.get(6..text.len() - 1)?.to_owned()));
    let ((kind, said), (own, answer)) = (inside(said)?, inside(answer)?);
    if kind != own {
        return Some(false);
    }
    let parts = |text: &str| -> Vec<String> {
        let inside = text.trim_start_matches('[').trim_end_matches(']');
        inside.split(", ").filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (said, answer) = (parts(&said), parts(&answer));
    let is_easy = |part: &String| {
        part == ".." || part.parse::<i64>().is_ok() || part.strip_prefix('#').is_some_and(|n| n.parse::<u8>().is_ok())
    };
    if !said.iter().all(is_easy) {
        return None;
    }
    Some(match kind.as_str() {
        "S" => {
            let listed: Vec<&String> = said.iter().filter(|part| *part != "..").collect();
            if listed.iter().any(|part| part.starts_with('#')) {
                return None;
            }
            let is_open = said.len() > listed.len();
            listed.iter().all(|part| answer.contains(part)) && (is_open || listed.len() == answer.len())
        }
        _ => matches(&said, &answer, &mut BTreeMap::new()),
    })
}

fn matches(said: &[String], answer: &[String], bound: &mut BTreeMap<String, String>) -> bool {
    match (said, answer) {
        ([], []) => true,
        ([first, said @ ..], _) if first == ".." => {
            (0..=answer.len()).any(|at| matches(said, &answer[at..], &mut bound.clone()))
        }
        ([first, said @ ..], [own, answer @ ..]) => {
            let wanted = match first.starts_with('#') {
                true => bound.entry(first.clone()).or_insert_with(|| own.clone()).clone(),
                false => first.clone(),
            };
            wanted == *own && matches(said, answer, bound)
        }
        _ => false,
    }
}

#[test]
fn what_is_said_to_be_possible_is_and_nothing_else() {
    let (world, mut tally) = (world(), BTreeMap::<&str, u64>::new());
    for mut rng in seeds(311, 120).map(Rng::new) {
        let ways: Vec<String> = (0..1 + rng.below(2)).map(|_| way(&mut rng)).collect();
        let text = format!(
            "{HEAD} protocol p {{ request Q; response A; var m: map<int, int> = {{}}; var last: int = 0;
                on Add(x) {{ m[x] := 1; last := x; reply Added; }}
                on Take {{ either {{ {} }} }} }}",
            ways.join(" } or { ")
        );
        let text = if ways.len() == 1 { text.replace(&format!("either {{ {} }}", ways[0]), &ways[0]) } else { text };
        let spec = compiled(&text);
        let adds: String = (0..rng.below(3))
            .map(|_| format!("{{\"q\": {{\"Add\": {}}}, \"a\": \"Added\"}}\n", rng.below(3)))
            .collect();
        let of = |answer: &str| format!("{adds}{{\"q\": \"Take\", \"a\": {answer}}}\n");
        let mut judge = Judge::new(spec.clone(), Options::default());
        let all: Vec<Exchange> = exchanges(&spec, &of("\"Added\""));
        let (asked, before) = all.split_last().expect("an exchange");
        before.iter().for_each(|exchange| assert!(judge.observe(exchange)));
        let said = allowed(&spec, &judge, asked);
        let is_all = !said.contains(&Possibility::More);
        *tally.entry(if is_all { "all" } else { "some" }).or_default() += 1;
        let is_possible = |answer: &str| verdict(&spec, &of(answer)).is_accept();
        for possible in &said {
            let Possibility::Answer { json, where_ } = possible else { continue };
            if let Some(json) = possible.in_full(&spec) {
                assert!(is_possible(&json), "{json} is not possible\n{text}\n{adds}");
            }
            for answer in world.iter().filter(|answer| where_.is_empty() && covers(json, answer) == Some(true)) {
                assert!(
                    is_possible(answer),
                    "{answer} is not possible, and {json} is said to be\n{text}\n{adds}{said:?}"
                );
                *tally.entry("said").or_default() += 1;
            }
        }
        for answer in world.iter().filter(|answer| is_all && is_possible(answer)) {
            let is_said = said.iter().any(|possible| match possible {
                Possibility::Answer { json, .. } => covers(json, answer) != Some(false),
                Possibility::Nothing | Possibility::More => false,
            });
            assert!(is_said, "{answer} is possible, and not said to be\n{text}\n{adds}{said:?}");
            *tally.entry("possible").or_default() += 1;
        }
    }
    eprintln!("{tally:?}");
    assert!(tally["all"] > 2 * tally["some"] && tally["said"] > 150 && tally["possible"] > 500, "{tally:?}");
}
