//! The price of each optimisation: a trace is judged with all of them, or with one switched off.
//!
//! `prices SPEC TRACE SWITCH` judges once, for counting instructions (`benches/prices.py` does that, and writes the table of
//! docs/PERFORMANCE.md); `prices` alone lists the switches, and after an empty line the passes.

use std::process::ExitCode;
use std::sync::Arc;

use mayhap::dualize::Options;
use mayhap::spec::load::Text;
use mayhap::spec::{Code, Selection, passes};
use mayhap::validate::Exchanges;
use mayhap::{Exchange, Spec, Validator};

/// A switch of the judge.
type Switch = (&'static str, fn(&mut Options));

const SWITCHES: &[Switch] = &[
    ("directed", |options| options.directed = false),
    ("merge", |options| options.merge = false),
    ("forget", |options| options.forget = false),
    ("sums", |options| options.sums = false),
    ("unite", |options| options.unite = false),
    ("ahead", |options| options.ahead = false),
    ("provenance", |options| options.provenance = false),
    ("sink_choices", |options| options.sink_choices = false),
    ("glides", |options| options.glides = false),
];

/// The passes of the compiler together; each is a switch of its name, too.
const PASSES: &str = "passes";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.as_slice() {
        [spec, trace, switch] => judged(spec, trace, switch),
        _ => {
            println!("{PASSES}");
            SWITCHES.iter().for_each(|(name, _)| println!("{name}"));
            println!();
            passes().into_iter().for_each(|pass| println!("{pass}"));
            Ok(())
        }
    }
    .map_or_else(
        |error| {
            eprintln!("prices: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn judged(spec: &str, trace: &str, switch: &str) -> Result<(), Box<dyn std::error::Error>> {
    let code = match passes().into_iter().find(|pass| *pass == switch) {
        Some(pass) => Code::Without(pass),
        None if switch == PASSES => Code::Plain,
        None => Code::Optimized,
    };
    let text = Text { name: spec.to_owned(), text: std::fs::read_to_string(spec)? };
    let selection = Selection { code, ..Selection::default() };
    let spec = Spec::compile(text, &mut |name| Err(format!("`{name}` is not read")), &selection)?;
    let mut options = Options::default();
    if let Some((_, off)) = SWITCHES.iter().find(|(name, _)| *name == switch) {
        off(&mut options);
    }
    let trace = std::fs::read(trace)?;
    let exchanges: Vec<Exchange> = Exchanges::new(&spec, trace.as_slice()).collect::<Result<_, _>>()?;
    println!("{}", judge_all(&spec, options, &exchanges));
    Ok(())
}

/// Judges all exchanges; returns the number of exchanges that were explained, and the verdict.
#[inline(never)] // Its instructions are counted, by its name.
fn judge_all(spec: &Arc<Spec>, options: Options, exchanges: &[Exchange]) -> String {
    let mut validator = Validator::with_options(spec, options);
    let observed = exchanges.iter().take_while(|exchange| validator.observe_exchange(exchange)).count();
    format!("{observed} {:?}", validator.verdict())
}
