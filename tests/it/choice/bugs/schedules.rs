//! Bugs of threads and queues: who goes next is chosen until it goes wrong.

use super::Bug;
use mayhap::choice::Chooser;
use std::collections::VecDeque;

/// Two threads that read a counter, wait, and write it, each again and again.
fn lost_update(c: &mut Chooser) {
    let (mut counter, mut written, mut read, mut at) = (0, 0, [0; 2], [0; 2]);
    loop {
        let thread = c.choose("thread", 2);
        match at[thread] {
            0 => read[thread] = counter,
            3 => {
                (counter, written) = (read[thread] + 1, written + 1);
                assert_eq!(counter, written, "an update is lost");
            }
            _ => {}
        }
        at[thread] = (at[thread] + 1) % 4;
    }
}

/// A stack without locks, its nodes used again: a thread is overtaken between its read and its exchange.
fn aba(c: &mut Chooser) {
    let (mut stack, mut free) = (vec![2, 1, 0], Vec::new());
    let mut seen: Option<(usize, Option<usize>)> = None;
    for _ in 0..200 {
        match c.choose("step", 5) {
            0 => seen = stack.last().map(|top| (*top, stack.iter().rev().nth(1).copied())),
            1 => {
                if let Some((top, next)) = seen.take()
                    && stack.last() == Some(&top)
                {
                    stack.pop();
                    assert_eq!(stack.last().copied(), next, "the wrong node becomes the top");
                    free.push(top);
                }
            }
            2 => free.extend(stack.pop()),
            3 => _ = (!free.is_empty()).then(|| stack.push(free.remove(0))),
            _ => {}
        }
    }
}

/// A consumer looks into the queue and sleeps if it is empty; the producer wakes who sleeps by then.
fn lost_wakeup(c: &mut Chooser) {
    let (mut queued, mut found_empty, mut sleeps, mut idle) = (0, false, false, 0);
    loop {
        match c.choose("thread", 4) {
            0 if found_empty => (found_empty, sleeps) = (false, true),
            0 if !sleeps => {
                found_empty = queued == 0;
                queued -= usize::from(!found_empty);
            }
            1 => (queued, sleeps, idle) = (queued + 1, false, 0),
            2 => idle = 0,
            _ => idle += 1,
        }
        assert!(!(sleeps && queued > 0 && idle >= 2), "it sleeps for ever");
    }
}

/// Messages of three channels, each a queue; where more than two wait, the last one goes first.
fn order(c: &mut Chooser) {
    let (mut channels, mut sent, mut received) = (vec![VecDeque::new(); 3], [0; 3], [0; 3]);
    loop {
        let channel = c.choose("channel", 3);
        if c.flip("delivers") {
            let queue = &mut channels[channel];
            if let Some(message) = if queue.len() > 2 { queue.pop_back() } else { queue.pop_front() } {
                assert_eq!(message, received[channel], "out of order");
                received[channel] += 1;
            }
        } else {
            channels[channel].push_back(sent[channel]);
            sent[channel] += 1;
        }
    }
}

/// Three tasks and a lock: the high one waits for the low one, which does not run while the middle one does.
fn inversion(c: &mut Chooser) {
    let (mut low_holds, mut high_waits, mut middle, mut waited) = (false, false, 0, 0);
    loop {
        match c.choose("event", 6) {
            0 => _ = (middle == 0).then(|| low_holds = true),
            1 => _ = (middle == 0).then(|| (low_holds, high_waits) = (false, false)),
            2 => high_waits = low_holds,
            3 => middle = 3,
            _ => {}
        }
        middle = middle.max(1) - 1;
        waited = if high_waits && middle > 0 { waited + 1 } else { 0 };
        assert!(waited < 3, "the middle task keeps the high one waiting");
    }
}

pub fn bugs() -> Vec<Bug> {
    vec![
        // Thread 0 reads and is about to write when thread 1 goes through its four steps; it is 1 that writes a lost update.
        Bug { name: "two threads that lose an update", program: lost_update, least: vec![0, 0, 0, 1, 0, 1, 1, 1] },
        // Seen, two are popped and the first is pushed again, exchanged.
        Bug { name: "a node that is used again", program: aba, least: vec![0, 2, 2, 3, 1] },
        Bug { name: "a wake-up that is lost", program: lost_wakeup, least: vec![0, 1, 0, 0, 0] },
        // Three wait in channel 0.
        Bug { name: "messages out of order", program: order, least: vec![0, 0, 0, 0, 0, 0, 0, 1] },
        Bug { name: "a priority that is turned round", program: inversion, least: vec![0, 2, 3, 0, 3] },
    ]
}
