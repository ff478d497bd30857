//! The different outputs of a program, each with the number of its runs and the shortest of them.
//!
//! For example `2 runs print, for example with coin = 1 of 2 (--replay c1:coin:0.2.1:…)`, and then the lines of the output.

use super::ran::Ran;
use mayhap::choice::{Step, counted, shortlex, shown, token};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Outputs, in the order of their bytes.
#[derive(Default)]
pub struct Outputs(BTreeMap<Vec<u8>, OutputRuns>);

/// The runs with one output.
struct OutputRuns {
    runs: u64,
    shortest: Vec<Step>,
}

impl Outputs {
    pub fn add(&mut self, Ran { output, run }: Ran) {
        let seen = self.0.entry(output).or_insert_with(|| OutputRuns { runs: 0, shortest: run.clone() });
        seen.runs += 1;
        if shortlex(&run, &seen.shortest).is_lt() {
            seen.shortest = run;
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The outputs that only one of two programs has, and the number of outputs that both have.
    pub fn apart(mut self, mut other: Outputs) -> (Outputs, Outputs, usize) {
        let both: Vec<Vec<u8>> = self.0.keys().filter(|output| other.0.contains_key(*output)).cloned().collect();
        for output in &both {
            self.0.remove(output);
            other.0.remove(output);
        }
        (self, other, both.len())
    }

    /// At most `limit` of the outputs, in words; `output` is the word for one.
    pub fn listed(&self, limit: usize, output: &str) -> String {
        let mut text = String::new();
        for (output, seen) in self.0.iter().take(limit) {
            let runs = if seen.runs == 1 { "1 run prints".into() } else { format!("{} runs print", seen.runs) };
            let (choices, again) = (shown(&seen.shortest), token::write(&seen.shortest));
            _ = writeln!(text, "{runs}, with {choices} (--replay {again})");
            let output = String::from_utf8_lossy(output);
            output.lines().for_each(|line| _ = writeln!(text, "  | {line}"));
            if output.is_empty() {
                text.push_str("  nothing\n");
            }
        }
        if self.len() > limit {
            _ = writeln!(text, "and {} (--show N)", counted((self.len() - limit) as u64, &format!("more {output}")));
        }
        text
    }
}
