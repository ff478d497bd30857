//! Code that must survive a lack of memory: every allocation may fail, and each one fails in some run.
//!
//! A table keeps names and values in two growing buffers. If growing fails, the table must be as it was, and after it is dropped
//! nothing may be allocated. `cargo run --example failing_allocator` shows that a table is correct if it grows both buffers
//! before it changes anything, and wrong if it grows one after the other.

use mayhap::choice::{Chooser, Odometer, Report, explore};

/// The lack of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory;

/// An allocator whose every allocation may fail. It counts what is allocated.
struct Allocator<'c, 's> {
    choices: &'c mut Chooser<'s>,
    allocated: usize,
}

impl Allocator<'_, '_> {
    fn allocate(&mut self, size: usize) -> Result<Vec<u64>, NoMemory> {
        if self.choices.flip("out of memory") {
            return Err(NoMemory);
        }
        self.allocated += size;
        Ok(Vec::with_capacity(size))
    }

    fn free(&mut self, size: usize) {
        self.allocated -= size;
    }
}

/// The way in which a table grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growing {
    /// Names, then values: if the buffer for values cannot grow, the buffer for names has grown.
    OneByOne,
    /// Both buffers grow before either is used.
    Both,
}

#[derive(Default)]
struct Table {
    names: Vec<u64>,
    values: Vec<u64>,
    /// The requested size of each buffer.
    sizes: [usize; 2],
}

impl Table {
    fn insert(&mut self, name: u64, value: u64, growing: Growing, allocator: &mut Allocator) -> Result<(), NoMemory> {
        if self.names.len() == self.sizes[0] {
            self.grow(growing, allocator)?;
        }
        self.names.push(name);
        self.values.push(value);
        Ok(())
    }

    fn grow(&mut self, growing: Growing, allocator: &mut Allocator) -> Result<(), NoMemory> {
        let size = (2 * self.sizes[0]).max(1);
        let names = allocator.allocate(size)?;
        if growing == Growing::OneByOne {
            Self::replace(&mut self.names, &mut self.sizes[0], names, size, allocator);
            let values = allocator.allocate(size)?;
            Self::replace(&mut self.values, &mut self.sizes[1], values, size, allocator);
            return Ok(());
        }
        let values = allocator.allocate(size).inspect_err(|_| allocator.free(size))?;
        Self::replace(&mut self.names, &mut self.sizes[0], names, size, allocator);
        Self::replace(&mut self.values, &mut self.sizes[1], values, size, allocator);
        Ok(())
    }

    fn replace(old: &mut Vec<u64>, old_size: &mut usize, mut new: Vec<u64>, size: usize, allocator: &mut Allocator) {
        new.append(old);
        allocator.free(*old_size);
        (*old, *old_size) = (new, size);
    }

    fn free(self, allocator: &mut Allocator) {
        self.sizes.into_iter().for_each(|size| allocator.free(size));
    }
}

/// Fills a table with every pattern of failing allocations. A failed insertion is tried once more.
pub fn every_failure(growing: Growing) -> Report {
    explore(Odometer::new(), |choices| {
        let mut allocator = Allocator { choices, allocated: 0 };
        let mut table = Table::default();
        for name in 0..4 {
            let before = (table.names.clone(), table.sizes);
            if table.insert(name, name * name, growing, &mut allocator).is_err() {
                assert!((table.names.clone(), table.sizes) == before, "a failed insertion has changed the table");
                _ = table.insert(name, name * name, growing, &mut allocator);
            }
            assert_eq!(table.names.len(), table.values.len());
        }
        table.free(&mut allocator);
        assert_eq!(allocator.allocated, 0, "memory is left allocated");
    })
}

#[allow(dead_code, reason = "a program of its own; tests call the functions above")]
pub fn main() {
    for growing in [Growing::OneByOne, Growing::Both] {
        println!("{growing:?}: {}\n", every_failure(growing));
    }
}
