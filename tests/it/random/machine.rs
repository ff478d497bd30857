//! Random integer machines: cells !0 to !4, all operators and comparisons, nested conditionals.
//!
//! An *exact* machine begins with `!0 := !0 % 5;`, so that choices 0..=4 are all that can be told apart. Example:
//! `machine m { !0 := !0 % 5; if !1 <= !2 { !1 := 0; } else { !1 := 1; !2 := !0; } }`

use super::{Lines, Rng};

/// Whether brute force over `CHOICES` is the whole semantics of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choices {
    /// The program reduces its choice to 0..=4 itself.
    Bounded,
    /// Any integer.
    Unbounded,
}

/// The choices of a machine with bounded ones.
pub const CHOICES: std::ops::RangeInclusive<i64> = 0..=4;

/// Some choices of a machine with unbounded ones.
pub const SOME: std::ops::RangeInclusive<i64> = -4..=4;

/// The text of a machine called `m`.
pub fn random(rng: &mut Rng, choices: Choices) -> String {
    let mut lines = Lines::default();
    lines.line("machine m {");
    if choices == Choices::Bounded {
        lines.line("!0 := !0 % 5;");
    }
    block(rng, &mut lines, 3);
    lines.line("}");
    lines.finish()
}

fn block(rng: &mut Rng, lines: &mut Lines, depth: usize) {
    for _ in 0..=rng.below(3) {
        match rng.below(if depth == 0 { 5 } else { 9 }) {
            0..=3 => lines.line(format!("!{} := {};", 1 + rng.below(4), expr(rng, 2))),
            4 if depth < 3 && rng.percent(30) => return lines.line("return;"),
            4 => lines.line(format!("!1 := {};", expr(rng, 1))),
            _ => conditional(rng, lines, depth - 1),
        }
    }
}

fn conditional(rng: &mut Rng, lines: &mut Lines, depth: usize) {
    lines.line(format!("if {} {{", condition(rng, 2)));
    block(rng, lines, depth);
    if rng.percent(60) {
        lines.line("}");
        lines.line("else {");
        block(rng, lines, depth);
    }
    lines.line("}");
}

fn condition(rng: &mut Rng, depth: usize) -> String {
    match rng.below(if depth == 0 { 1 } else { 8 }) {
        0..=4 => {
            let operator = *rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
            format!("{} {operator} {}", expr(rng, 1), expr(rng, 1))
        }
        5 => format!("({} && {})", condition(rng, depth - 1), condition(rng, depth - 1)),
        6 => format!("({} || {})", condition(rng, depth - 1), condition(rng, depth - 1)),
        _ => format!("!({})", condition(rng, depth - 1)),
    }
}

fn expr(rng: &mut Rng, depth: usize) -> String {
    match rng.below(if depth == 0 { 7 } else { 14 }) {
        0..=4 => format!("!{}", rng.below(5)),
        5 => format!("{}", rng.below(6)),
        6 => format!("(-{})", 1 + rng.below(5)),
        _ => {
            let operator = *rng.pick(&["+", "+", "-", "-", "*", "/", "%"]);
            format!("({} {operator} {})", expr(rng, depth - 1), expr(rng, depth - 1))
        }
    }
}
