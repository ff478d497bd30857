//! Bugs of what keeps a state between requests.

use super::Bug;
use mayhap::choice::Chooser;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Transfers between accounts, each balance read before one is written.
fn transfer(c: &mut Chooser) {
    let mut balances = [1_000_usize; 12];
    for _ in 0..c.choose("transfers", 30) {
        let (from, to, amount) = (c.choose("from", 12), c.choose("to", 12), c.choose("amount", 5_000));
        let (debited, credited) = (balances[from], balances[to]);
        if amount <= debited {
            (balances[from], balances[to]) = (debited - amount, credited + amount);
        }
        assert_eq!(balances.iter().sum::<usize>(), 12_000, "money appears");
    }
}

/// A buffer of four places that takes a fifth value.
fn ring(c: &mut Chooser) {
    let (mut ring, mut model, mut from) = ([0; 4], VecDeque::new(), 0);
    loop {
        if c.choose("request", 2) == 0 {
            let value = c.choose("value", 50);
            // The bug: there is a place left as long as there are at most four.
            if model.len() <= 4 {
                ring[(from + model.len()) % 4] = value;
                model.push_back(value);
            }
        } else if let Some(first) = model.pop_front() {
            assert_eq!(ring[from % 4], first, "another value comes out");
            from += 1;
        }
    }
}

/// A cache in front of a table: what is deleted stays in the cache.
fn cache(c: &mut Chooser) {
    let (mut table, mut cache) = (BTreeMap::new(), BTreeMap::new());
    for _ in 0..c.choose("requests", 60) {
        let key = c.choose("key", 8);
        match c.choose("request", 3) {
            0 => {
                let value = c.choose("value", 100);
                table.insert(key, value);
                cache.remove(&key);
            }
            1 => {
                let cached = cache.get(&key).copied().or_else(|| table.get(&key).copied());
                assert_eq!(cached, table.get(&key).copied(), "a stale value");
                cached.map(|value| cache.insert(key, value));
            }
            _ => _ = table.remove(&key),
        }
    }
}

/// Requests whose answers may be lost are sent again; the server remembers the last one only.
fn retry(c: &mut Chooser) {
    let (mut last, mut done, mut waiting) = (None, BTreeSet::new(), BTreeSet::new());
    let mut next = 0;
    while c.weighted("goes on", &[1, 29]) == 1 {
        let id = match c.choose("client", 2) {
            0 => {
                next += 1;
                next
            }
            _ => {
                let waiting: Vec<usize> = waiting.iter().copied().collect();
                match waiting.is_empty() {
                    true => continue,
                    false => *c.pick("which", &waiting),
                }
            }
        };
        if last != Some(id) {
            assert!(done.insert(id), "request {id} is applied twice");
            last = Some(id);
        }
        let is_lost = c.flip("the answer is lost");
        _ = if is_lost { waiting.insert(id) } else { waiting.remove(&id) };
    }
}

/// A transfer of two writes with a log between; what is in the log is done again after a crash.
fn crash(c: &mut Chooser) {
    let (mut disk, mut logged) = ([100_i64, 0], None);
    for _ in 0..c.choose("transfers", 20) + 1 {
        let amount = c.choose("amount", 60) as i64;
        let mut crashed = false;
        for write in 0..4 {
            crashed = crashed || c.choose("crash", 8) == 7;
            match write {
                _ if crashed => {}
                0 => logged = Some(amount),
                1 => disk[0] -= amount,
                2 => disk[1] += amount,
                _ => logged = None,
            }
        }
        if crashed && let Some(amount) = logged.take() {
            // The bug: the first write may have been made already.
            disk = [disk[0] - amount, disk[1] + amount];
        }
        assert_eq!(disk[0] + disk[1], 100, "money is lost");
    }
}

pub fn bugs() -> Vec<Bug> {
    vec![
        Bug { name: "a transfer to oneself", program: transfer, least: vec![1, 0, 0, 1] },
        // Five values of which the last differs from the first, whose place it takes.
        Bug { name: "a ring buffer, one too many", program: ring, least: vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1] },
        // Put, get, delete, get, each of key 0; put has a value.
        Bug { name: "a cache that keeps what is deleted", program: cache, least: vec![4, 0, 0, 0, 0, 1, 0, 2, 0, 1] },
        // Request 1, whose answer is lost, then 2, then 1 again: there is one to wait for, no choice which.
        Bug { name: "a request that is applied twice", program: retry, least: vec![1, 0, 1, 1, 0, 0, 1, 1] },
        // Crashing before the third write of a transfer of 1.
        Bug { name: "a crash between two writes", program: crash, least: vec![0, 1, 0, 0, 7] },
    ]
}
