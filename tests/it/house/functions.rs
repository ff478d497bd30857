//! The functions of a file, by its formatting: how long they are.
//!
//! A function that is one flat `match` may be longer than others.

use super::source::Source;

/// Lines an arm of a flat `match` may have, and lines around the `match`.
const LONGEST_ARM: usize = 12;

/// A function: its place, its number of lines, and whether nearly all of it is one flat `match`.
pub struct Function {
    pub place: String,
    pub lines: usize,
    pub is_flat_match: bool,
}

pub fn functions(source: &Source) -> Vec<Function> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| opens_function(line)) {
        let Some(end) = closing(&lines, start) else { continue };
        let lines = &lines[start..=end];
        let place = format!("{}:{}", source.path, start + 1);
        found.push(Function { place, lines: lines.len(), is_flat_match: is_flat_match(lines, indentation(line)) });
    }
    found
}

fn opens_function(line: &str) -> bool {
    let words = line.split_whitespace().take_while(|word| !word.contains('(') && *word != "{");
    let before_fn: Vec<_> = words.take_while(|word| *word != "fn").collect();
    let qualifiers = ["pub", "const", "async", "unsafe", "extern", "\"C\""];
    line.contains("fn ") && before_fn.iter().all(|word| qualifiers.contains(word) || word.starts_with("pub"))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The line that closes the block that opens at or after `start`, by the formatter's indentation.
fn closing(lines: &[&str], start: usize) -> Option<usize> {
    let own = indentation(lines[start]);
    let first = lines[start].trim_end();
    if first.ends_with(';') || first.ends_with('}') {
        return Some(start);
    }
    let ends =
        |line: &str| indentation(line) == own && (line.trim_start().starts_with('}') || line.trim_end().ends_with(';'));
    (start + 1..lines.len()).find(|&at| ends(lines[at]))
}

fn is_flat_match(lines: &[&str], own: usize) -> bool {
    let is_match = |line: &&str| indentation(line) == own + 4 && line.contains("match ") && line.ends_with('{');
    let Some(start) = lines.iter().position(is_match) else { return false };
    let Some(end) = closing(lines, start) else { return false };
    let arms: Vec<usize> =
        (start + 1..end).filter(|&at| indentation(lines[at]) == own + 8 && lines[at].contains("=>")).collect();
    let longest = arms.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(usize::MAX);
    longest <= LONGEST_ARM && lines.len() - (end - start + 1) <= LONGEST_ARM
}

#[test]
fn functions_are_seen() {
    let long = format!("fn f() {{\n{}}}\n", "    x();\n".repeat(80));
    let flat = format!("pub fn f() {{\n    match x {{\n{}    }}\n}}\n", "        A => 1,\n".repeat(80));
    let of = |text: String| functions(&Source { path: "x".into(), text }).pop().unwrap();
    assert_eq!((of(long.clone()).lines, of(long).is_flat_match), (82, false));
    assert_eq!((of(flat.clone()).lines, of(flat).is_flat_match), (84, true));
    assert!(opens_function("    pub(super) const fn f() {") && !opens_function("let f = |x: fn () | x;"));
}
