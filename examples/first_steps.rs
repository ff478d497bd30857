//! First steps with the library: a specification, a validator, observations, a verdict and a reason.
//!
//! `cargo run --example first_steps`

use mayhap::details::Observed;
use mayhap::{Spec, Trace, Validator, Verdict};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The specification is a small server that may choose freely whatever the protocol leaves open.
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

    // Observe what a real server was asked, and what it answered: anything that serialises to the JSON of the specification's
    // types.
    let mut validator = Validator::new(&spec);
    validator.observe(&5, &1)?;
    validator.observe(&3, &0)?;
    assert_eq!(validator.verdict(), Verdict::Accept { warning: None });

    // A request whose answer was lost may or may not have had its effect. A number may be as large as it likes.
    validator.observe_unanswered(&4, Observed::Lost)?;
    validator.observe("123456789012345678901234567890", &0)?;
    assert!(validator.verdict().is_accept());

    // A validator keeps no history. A trace does, so it can explain its verdict.
    let mut trace = Trace::new(&spec);
    for (query, answer) in [(5, 1), (3, 0), (4, 1), (4, 0)] {
        trace.push(&query, &answer)?;
    }

    // An accepted trace has a witness: choices with which the specification gives exactly these answers. The specification was
    // run to check.
    assert!(trace.judge().is_accept());
    for step in &trace.witness()?.steps {
        println!("line {}: the server may have chosen {:?}", step.line, step.json);
    }

    // A rejected trace has a reason: the earlier answers that rule out the rejected one. This trace is read from text, as
    // recorders write it.
    let recording = "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n";
    let trace = Trace::read(&spec, recording.as_bytes())?;
    assert_eq!(trace.judge(), Verdict::Reject { event: 3, event_from: None });
    let why = trace.reason().ok_or("no reason within the limits")?;
    println!("{}", why.lines.join("\n"));
    assert!(why.lines[0].starts_with("line 3 answered 1 to 2; only 0 was possible"));
    Ok(())
}
