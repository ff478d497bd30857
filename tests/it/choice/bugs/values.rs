//! Bugs of single values and of what values have to do with each other.

use super::Bug;
use mayhap::choice::Chooser;

fn list(c: &mut Chooser, arity: usize) -> Vec<usize> {
    let mut list = Vec::new();
    while c.weighted("more", &[1, 29]) == 1 {
        list.push(c.choose("element", arity));
    }
    list
}

fn low_bits(c: &mut Chooser) {
    assert!(!list(c, 100_000).iter().any(|v| v % 16 == 15 && *v > 1_000), "low bits of a large value");
}

/// Amounts that are added in sixteen bits.
fn overflow(c: &mut Chooser) {
    let mut total = 0_i16;
    for amount in list(c, 20_000) {
        let added = total.checked_add(amount as i16);
        assert!(added.is_some(), "the total is too large");
        total = added.unwrap_or(0);
    }
}

/// The length of February, where every fourth year counts as a leap year of 31 days.
fn date(c: &mut Chooser) {
    for _ in 0..c.choose("dates", 30) {
        let (year, month, day) = (c.choose("year", 3_000), c.choose("month", 12) + 1, c.choose("day", 31) + 1);
        let is_read = month != 2 || day <= 28 || (year % 4 == 0 && year > 1_582);
        assert!(!is_read || month != 2 || day <= 29, "{year}-{month}-{day}");
    }
}

/// Keys of a table whose hash is a remainder.
fn collision(c: &mut Chooser) {
    let mut slots = std::collections::BTreeMap::new();
    for _ in 0..c.choose("puts", 20) {
        let key = c.choose("key", 5_000);
        let there = *slots.entry((key * 31 + 7) % 101).or_insert(key);
        assert_eq!(there, key, "one key overwrites the other");
    }
}

/// Edges of a graph without edges that go back: a longer cycle is not found.
fn cycle(c: &mut Chooser) {
    const NODES: usize = 5;
    let mut edges = [[false; NODES]; NODES];
    for _ in 0..c.choose("edges", 9) {
        edges[c.choose("from", NODES)][c.choose("to", NODES)] = true;
    }
    let goes_back = (0..NODES).any(|a| (0..NODES).any(|b| edges[a][b] && edges[b][a]));
    let mut reaches = edges;
    for via in 0..NODES {
        for from in 0..NODES {
            for to in 0..NODES {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    assert!(goes_back || !(0..NODES).any(|node| reaches[node][node]), "a cycle");
}

pub fn bugs() -> Vec<Bug> {
    vec![
        // 1007 = 62 · 16 + 15 is the first above 1,000.
        Bug { name: "low bits of a large value", program: low_bits, least: vec![1, 1_007, 0] },
        // Two amounts reach 32,768; the first is the least where the second is the greatest.
        Bug { name: "a sum that overflows", program: overflow, least: vec![1, 12_769, 1, 19_999, 0] },
        Bug { name: "a date", program: date, least: vec![1, 1_584, 1, 29] },
        // 31 has an inverse modulo 101: keys collide where they differ by a multiple of 101.
        Bug { name: "keys that collide", program: collision, least: vec![2, 0, 101] },
        // A loop of one node goes back; three edges, the least from and to first.
        Bug { name: "a cycle in a graph", program: cycle, least: vec![3, 0, 1, 1, 2, 2, 0] },
    ]
}
