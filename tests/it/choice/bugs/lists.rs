//! Bugs that a list of values shows.

use super::Bug;
use mayhap::choice::Chooser;

/// A list whose length is chosen first.
fn array(c: &mut Chooser, longest: usize, arity: usize) -> Vec<usize> {
    let length = c.choose("length", longest + 1);
    (0..length).map(|_| c.choose("element", arity)).collect()
}

/// A list whose end is chosen after each element, one in thirty.
fn list(c: &mut Chooser, arity: usize) -> Vec<usize> {
    let mut list = Vec::new();
    while c.weighted("more", &[1, 29]) == 1 {
        list.push(c.choose("element", arity));
    }
    list
}

/// The picks of a list's run.
fn listed(elements: &[usize]) -> Vec<usize> {
    elements.iter().flat_map(|element| [1, *element]).chain([0]).collect()
}

/// One of which the other is the reversal, though they differ.
fn reversed(c: &mut Chooser) {
    let (one, mut other) = (array(c, 6, 3), array(c, 6, 3));
    let differ = one != other;
    other.reverse();
    assert!(!differ || one.len() < 3 || one != other, "the one reads as the other backwards");
}

/// A packet: this number of bytes, then a byte that is mistaken for the length.
fn packet(c: &mut Chooser) {
    let bytes = array(c, 40, 256);
    let kind = c.choose("kind", 64);
    assert!(bytes.len() < 3 || kind != bytes.len(), "the kind is taken for the length");
}

/// The same three places later, and nothing twice in between.
fn at_a_distance(c: &mut Chooser) {
    let names = array(c, 40, 20);
    let is_bad = |it: &[usize]| it[0] == it[3] && it[0] != it[1] && it[0] != it[2] && it[1] != it[2];
    assert!(!names.windows(4).any(is_bad), "a name comes back");
}

/// Brackets of two kinds that are counted each by itself: `([)]` passes for well-formed.
fn brackets(c: &mut Chooser) {
    let (mut open, mut counts, mut is_nested) = (Vec::new(), [0_i32; 2], true);
    for it in array(c, 12, 4) {
        let (kind, closes) = (it % 2, it / 2 == 1);
        if closes {
            is_nested &= open.pop() == Some(kind);
            counts[kind] -= 1;
        } else {
            open.push(kind);
            counts[kind] += 1;
        }
        if counts[kind] < 0 {
            return;
        }
    }
    assert!(counts != [0, 0] || is_nested, "brackets cross each other");
}

/// A palindrome that is taken for a run of one letter.
fn palindrome(c: &mut Chooser) {
    let text = list(c, 4);
    let reads_backwards = text.iter().eq(text.iter().rev());
    assert!(text.len() < 5 || !reads_backwards || text.iter().all(|it| *it == text[0]), "a palindrome");
}

pub fn bugs() -> Vec<Bug> {
    vec![
        Bug {
            name: "two lists, the other reversed",
            program: reversed,
            // Three elements each, not a palindrome: the first list is the least such.
            least: vec![3, 0, 0, 1, 3, 1, 0, 0],
        },
        Bug { name: "a length that equals a later byte", program: packet, least: vec![3, 0, 0, 0, 3] },
        Bug { name: "equal at a distance, relabelled", program: at_a_distance, least: vec![4, 0, 1, 2, 0] },
        // `([)]` is the only shape of length four, and `(` is 0.
        Bug { name: "brackets that cross", program: brackets, least: vec![4, 0, 1, 2, 3] },
        // The middle may differ alone.
        Bug { name: "a palindrome", program: palindrome, least: listed(&[0, 0, 1, 0, 0]) },
    ]
}
