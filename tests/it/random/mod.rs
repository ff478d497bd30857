//! Random programs and traces for tests, from a seed: the same seed gives the same text for ever.
//!
//! `grammar`, `protocol` and `worlds` write programs that are well-typed by construction and whose choices are bounded in the
//! program itself, so that brute force over small domains *is* their semantics; `traces` runs them; `shrink` makes what
//! was found small. Example: `protocol::random(&mut Rng::new(7))` is a program text with its request type.

pub mod choices;
pub mod conditions;
pub mod declarations;
pub mod examined;
pub mod expressions;
pub mod grammar;
pub mod judge;
pub mod operations;
pub mod protocol;
pub mod restarts;
pub mod shrink;
pub mod tasks;
pub mod traces;
pub mod worlds;

/// The seeds of this number of programs of a kind, or of `MAYHAP_LONG` of them, so that each program can be drawn again alone. Each
/// `MAYHAP_SEED` gives other seeds.
pub fn seeds(kind: u64, programs: u64) -> std::ops::Range<u64> {
    let first = (number("MAYHAP_SEED").unwrap_or(1) << 40) + (kind << 32);
    first..first + rounds(programs)
}

/// The least tally that is expected of the programs that are run, if the usual number of programs has this one.
pub fn at_least(tally: u64, programs: u64) -> u64 {
    tally * rounds(programs) / programs
}

/// The number of rounds: the usual one, or `MAYHAP_LONG`.
pub fn rounds(usual: u64) -> u64 {
    number("MAYHAP_LONG").unwrap_or(usual)
}

/// Tests whether `MAYHAP_LONG` is set: there is time for more than the suite has.
pub fn is_long() -> bool {
    std::env::var_os("MAYHAP_LONG").is_some()
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|n| n.parse().expect("a number"))
}

/// SplitMix64: small, and good enough to draw programs.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("it is below n")
    }

    /// An integer in the range, both ends included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.below(usize::try_from(high - low + 1).expect("low <= high"))).expect("small")
    }

    pub fn percent(&mut self, likely: usize) -> bool {
        self.below(100) < likely
    }

    /// One of the elements.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// Text put together by indented lines: one statement a line, so that `shrink` can drop statements as lines.
#[derive(Default)]
pub struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.depth -= usize::from(line.starts_with('}'));
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
        self.depth += usize::from(line.ends_with('{'));
    }

    pub fn finish(self) -> String {
        self.text
    }
}
