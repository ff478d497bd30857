//! First steps with the library: a specification, a validator, what was observed, the verdict, and why.
//!
//! `cargo run --example first_steps`

use mayhap::details::Observed;
use mayhap::{Spec, Trace, Validator, Verdict};

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

    // A validator keeps no history; a trace does, so that it can say why.
    let mut trace = Trace::new(&spec);
    for (query, answer) in [(5, 1), (3, 0), (4, 1), (4, 0)] {
        trace.push(&query, &answer)?;
    }

    // An accepted trace has a witness: the choices with which the specification answers just so. It was run to see.
    assert!(trace.judge().is_accept());
    for step in &trace.witness()?.steps {
        println!("line {}: the server may have chosen {:?}", step.line, step.json);
    }

    // A rejected one has a reason: the earlier answers that leave no explanation. This one is read, as recorders write it.
    let recording = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";
    let trace = Trace::read(&spec, recording.as_bytes())?;
    assert_eq!(trace.judge(), Verdict::Reject { event: 3, event_from: None });
    let why = trace.reason().ok_or("no reason within the limits")?;
    println!("{}", why.lines.join("\n"));
    assert!(why.lines[0].starts_with("line 3 answered 1 to 2; only 0 was possible"));
    Ok(())
}
