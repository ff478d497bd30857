//! Packed rows of one bucket, merged in the order of time while they arrive.
//!
//! Packs arrive in the order of their first times. So a row can be passed on as soon as a later pack begins, and as few packs are held
//! as overlap in time.

use super::packing::{Time, Unpacking};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Packs that are being merged.
#[derive(Default)]
pub struct Merging {
    packs: Vec<Option<Unpacking>>,
    /// The next time of each pack, and its number.
    next: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Merging {
    pub fn add(&mut self, pack: Unpacking) {
        if let Some(time) = pack.next_time() {
            self.next.push(Reverse((time, self.packs.len())));
            self.packs.push(Some(pack));
        }
    }

    /// Passes on all rows before a time, or all that are left.
    ///
    /// # Errors
    /// `see` has failed.
    pub fn before<E>(
        &mut self,
        limit: Option<Time>,
        mut see: impl FnMut(Time, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(Reverse((mut time, number))) = self.next.pop() {
            if limit.is_some_and(|limit| time >= limit) {
                self.next.push(Reverse((time, number)));
                return Ok(());
            }
            let Some(pack) = &mut self.packs[number] else { continue };
            // The rows of one pack before those of all others need no further comparison.
            let other = self.next.peek().map(|Reverse((time, _))| *time);
            let bound = [limit, other].into_iter().flatten().min();
            let is_left = loop {
                see(time, pack.next_line())?;
                let Some(next) = pack.next_time() else { break false };
                time = next;
                if bound.is_some_and(|bound| time >= bound) {
                    break true;
                }
            };
            if is_left { self.next.push(Reverse((time, number))) } else { self.packs[number] = None }
        }
        self.packs.clear();
        Ok(())
    }
}
