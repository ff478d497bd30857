//! Makes a disagreement small: drops events, then statements (a line, or the lines from `{` to its `}`), then what is in
//! brackets, while the disagreement stays.
//!
//! Example: of a program of 60 lines and a trace of six events there remain, say, one handler of two lines and two events.

use super::traces::Trace;

/// The smallest program and trace found for which `fails` still holds.
pub fn shrink(text: &str, trace: &Trace, fails: impl Fn(&str, &Trace) -> bool) -> (String, Trace) {
    let (mut text, mut trace) = (text.to_owned(), trace.clone());
    loop {
        let shorter = (0..trace.len()).rev().map(|at| without(&trace, at)).find(|trace| fails(&text, trace));
        if let Some(shorter) = shorter {
            trace = shorter;
            continue;
        }
        let smaller = smaller_texts(&text).chain(simpler_texts(&text)).find(|text| fails(text, &trace));
        match smaller {
            Some(smaller) => text = smaller,
            None => return (text, trace),
        }
    }
}

fn without(trace: &Trace, at: usize) -> Trace {
    let mut trace = trace.clone();
    trace.remove(at);
    trace
}

/// The text without one statement or block; and with a block's content in its place.
fn smaller_texts(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let ranges: Vec<(usize, usize)> = (0..lines.len()).filter_map(|at| Some((at, end_of(&lines, at)?))).collect();
    let dropped = |lines: &[String], from: usize, to: usize| [&lines[..from], &lines[to..]].concat().join("\n") + "\n";
    let all = ranges.into_iter().flat_map(move |(from, to)| {
        let whole = dropped(&lines, from, to);
        let unwrapped = (to > from + 1).then(|| {
            let inner = [&lines[..from], &lines[from + 1..to - 1], &lines[to..]].concat();
            inner.join("\n") + "\n"
        });
        [Some(whole), unwrapped].into_iter().flatten()
    });
    all.collect::<Vec<_>>().into_iter()
}

/// The text with something in brackets replaced by a constant, or by something in brackets inside it.
fn simpler_texts(text: &str) -> impl Iterator<Item = String> + '_ {
    let groups = text.match_indices(['(', '[']).filter_map(|(from, _)| Some((from, from + closing(&text[from..])?)));
    groups.flat_map(move |(from, to)| {
        let inner = text[from + 1..to].match_indices('(').map(move |(at, _)| from + 1 + at);
        let inner = inner.filter_map(move |start| Some(text[start..].get(..=closing(&text[start..])?)?.to_owned()));
        let constants = ["0", "1", "true", "None", "{}", "[]"].map(str::to_owned).into_iter();
        let shorter = constants.chain(inner).filter(move |new| new.len() < to + 1 - from);
        shorter.map(move |new| format!("{}{new}{}", &text[..from], &text[to + 1..]))
    })
}

/// Where the bracket that opens the text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0;
    text.char_indices().find_map(|(at, c)| {
        open += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        (open == 0).then_some(at)
    })
}

/// Where the statement that begins in this line ends.
fn end_of(lines: &[String], at: usize) -> Option<usize> {
    let line = lines[at].trim();
    if !line.ends_with('{') {
        return line.ends_with(';').then_some(at + 1);
    }
    let mut open = 0;
    for (end, line) in lines.iter().enumerate().skip(at) {
        open -= i32::from(line.trim().starts_with('}'));
        open += i32::from(line.trim().ends_with('{'));
        let goes_on = |next: &String| next.trim().starts_with("else") || next.trim().starts_with("or ");
        if open == 0 && !lines.get(end + 1).is_some_and(goes_on) {
            return Some(end + 1);
        }
    }
    None
}
