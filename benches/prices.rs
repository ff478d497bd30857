//! The price of each pass of the compiler: a trace is judged with all passes, without one, and without any.
//!
//! `prices SPEC TRACE PASS` judges once, for counting instructions; `benches/prices.py` counts them, and writes the table in
//! docs/PERFORMANCE.md. `prices` alone lists the passes.

use std::process::ExitCode;
use std::sync::Arc;

use mayhap::reading::Exchanges;
use mayhap::spec::load::Text;
use mayhap::spec::{Code, Selection, passes};
use mayhap::{Exchange, Spec, Validator};

/// The word for all passes of the compiler.
const PASSES: &str = "passes";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.as_slice() {
        [spec, trace, pass] => judged(spec, trace, pass),
        _ => {
            println!("{PASSES}");
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

fn judged(spec: &str, trace: &str, without: &str) -> Result<(), Box<dyn std::error::Error>> {
    let code = match passes().into_iter().find(|pass| *pass == without) {
        Some(pass) => Code::Without(pass),
        None if without == PASSES => Code::Plain,
        None => Code::Optimized,
    };
    let text = Text { name: spec.to_owned(), text: std::fs::read_to_string(spec)? };
    let selection = Selection { code, ..Selection::default() };
    let spec = Spec::compile(text, &mut |name| Err(format!("`{name}` is not read")), &selection)?;
    let trace = std::fs::read(trace)?;
    let exchanges: Vec<Exchange> = Exchanges::new(&spec, trace.as_slice()).collect::<Result<_, _>>()?;
    println!("{}", judge_all(&spec, &exchanges));
    Ok(())
}

/// Judges all exchanges, and returns the number of explained exchanges and the verdict as text.
#[inline(never)] // Its instructions are counted, by its name.
fn judge_all(spec: &Arc<Spec>, exchanges: &[Exchange]) -> String {
    let mut validator = Validator::new(spec);
    let observed = exchanges.iter().take_while(|exchange| validator.observe_exchange(exchange)).count();
    format!("{observed} {:?}", validator.verdict())
}
