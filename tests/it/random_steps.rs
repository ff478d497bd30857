//! What a server does by itself, against the oracle: random protocols with steps, verdict and event equal to brute force.
//!
//! The oracle keeps every state that steps lead to; the judge follows only the steps that have to do with a request. A fixed
//! number of programs runs in the suite; `MAYHAP_LONG=N cargo test --test it random_steps::` runs N, and `MAYHAP_SEED=S` begins
//! elsewhere. Example of a program that is drawn: see `random/steps.rs`.

use crate::oracle::{self, Answer, Json};
use crate::random::judge::{Exactness, Kind, Tally, errors};
use crate::random::traces::{self, Trace};
use crate::random::{self, Rng, steps};
use serde_json::json;

fn trace(rng: &mut Rng, file: &mayhap::syntax::ast::File, length: usize) -> Trace {
    let mut trace = traces::run_with_steps(rng, file, length, |rng| json!(rng.between(0, 8)));
    for (_, answer) in &mut trace {
        if *answer != Answer::Nothing && rng.percent(12) {
            *answer = if rng.percent(50) { Answer::Hole } else { Answer::Lost };
        }
    }
    trace
}

#[test]
fn steps_agree_with_brute_force() {
    let kind = Kind { name: "steps", exactness: Exactness::Exact, domains: traces::domains };
    let mut tally = Tally::new();
    for mut rng in random::seeds(17, 60).map(Rng::new) {
        let text = steps::random(&mut rng);
        let found = errors(&text);
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        let file = oracle::load(&text);
        for _ in 0..3 {
            let length = 1 + rng.below(6);
            let trace = trace(&mut rng, &file, length);
            kind.compare(&text, [&trace], &mut tally);
            let changed = traces::altered(&mut rng, &trace, |rng| Json::from(rng.between(-1, 4)));
            kind.compare(&text, [&changed], &mut tally);
        }
    }
    eprintln!("{}: {tally:?}", kind.name);
    assert!(tally.get("unknown by the validator").is_none_or(|unknown| unknown * 100 < tally.values().sum()));
}
