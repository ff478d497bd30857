//! First steps with the library: a specification, a validator, what was observed, the verdict, and why.
//!
//! `cargo run --example first_steps`

use mayhap::{Observed, Spec, Validator, Verdict, evidence, report};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What the server may do: a small server that is free to choose what the protocol leaves open.
    let spec = Spec::from_text(
        "protocol guess {
            request int;
            response int;
            var n: int = 0;
            on q {
                if q <= n { reply 0; }
                n := choose int; // any number; the server tells nobody
                reply 1;
            }
        }",
    )?;

    // What a real server was asked, and answered: anything that serialises to the JSON of the specification's types.
    let mut validator = Validator::new(&spec);
    validator.observe(&5, &1)?;
    validator.observe(&3, &0)?;
    assert_eq!(validator.verdict(), Verdict::Accept { warning: None });

    // A request whose answer was lost may have had its effect, or not; a number may be as large as it likes.
    validator.observe_unanswered(&4, Observed::Lost)?;
    validator.observe("123456789012345678901234567890", &0)?;
    assert!(validator.verdict().is_accept());

    // A validator keeps no history. Who wants to know why keeps the exchanges.
    let mut validator = Validator::new(&spec);
    let mut exchanges = Vec::new();
    for (query, answer) in [(5, 1), (3, 0), (4, 1), (4, 0)] {
        exchanges.push(validator.exchange(&query, &answer)?);
        validator.observe(&query, &answer)?;
    }

    // An accepted trace has a witness: the choices with which the specification answers just so. It was run to see.
    let witness = evidence::witness(&spec, &Default::default(), &exchanges)?;
    for step in &witness.steps {
        println!("line {}: the server may have chosen {:?}", step.line, step.json);
    }

    // A rejected one has a reason: the earlier answers that leave no explanation.
    let (query, answer) = (2, 1);
    exchanges.truncate(2);
    let mut validator = Validator::new(&spec);
    for exchange in &exchanges {
        validator.observe_exchange(exchange);
    }
    exchanges.push(validator.exchange(&query, &answer)?);
    validator.observe(&query, &answer)?;
    assert_eq!(validator.verdict(), Verdict::Reject { event: 3, event_from: None });
    let why = report::reason::explain(&spec, &exchanges).ok_or("no reason within the limits")?;
    println!("{}", why.lines.join("\n"));
    assert!(why.lines[0].starts_with("line 3 answered 1 to 2; only 0 was possible"));
    Ok(())
}
