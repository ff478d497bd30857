//! Traces that can be read again, from any exchange on, as the search for evidence does.
//!
//! A trace is a list of exchanges in memory, or a file ([`StoredTrace`]), of which at most one line is in memory. For example the
//! search for the reason of a rejection on line 1,000,000 passes over the first half of the trace only once:
//!
//! ```
//! use mayhap::{Exchange, Spec, reading::{Exchanges, StoredTrace, Recording, exchange_at}};
//! let spec = Spec::from_text("protocol echo { request int; response int; on q { reply q; } }")?;
//! let trace = "{\"q\":5,\"a\":5}\n{\"q\":6,\"a\":6}\n{\"q\":7,\"a\":7}\n";
//! let recorded = StoredTrace::new(&spec, 3, |bytes| Ok(Box::new(&trace.as_bytes()[bytes as usize..])));
//! let listed: Vec<Exchange> = Exchanges::new(&spec, trace.as_bytes()).collect::<Result<_, _>>()?;
//! assert_eq!(exchange_at(&recorded, 2), exchange_at(&listed, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cell::{Cell, RefCell};
use std::io::BufRead;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::Exchanges;
use crate::judge::Exchange;
use crate::spec::Spec;
use crate::trace::{TraceError, TracePosition};

/// A trace that can be read again.
pub trait Recording {
    /// The number of exchanges.
    fn length(&self) -> usize;

    /// Reads from the exchange at this position (the first is at 0), until the trace ends or `see` answers with a break.
    fn read(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>);

    /// The reason why the trace could not be read to its end, if it could not: then it seemed shorter than it is.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// The exchange at a position; `None` if the trace is shorter.
#[must_use]
pub fn exchange_at<R: Recording + ?Sized>(recording: &R, at: usize) -> Option<Exchange> {
    let mut found = None;
    recording.read(at, &mut |exchange| {
        found = Some(exchange.clone());
        ControlFlow::Break(())
    });
    found
}

impl Recording for [Exchange] {
    fn length(&self) -> usize {
        self.len()
    }

    fn read(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>) {
        _ = self.get(from..).unwrap_or_default().iter().try_for_each(see);
    }
}

impl Recording for Vec<Exchange> {
    fn length(&self) -> usize {
        self.len()
    }

    fn read(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>) {
        self.as_slice().read(from, see);
    }
}

/// The most positions of exchanges that are remembered. An exchange is searched from the nearest remembered position before it.
const PLACES: usize = 4_096;

/// A trace outside of memory, which `open` opens at any byte.
///
/// ```text
///   exchanges  0 1 2 3 4 5 6 7 8 …     read up to 7, with a stride of 2
///   places     ^   ^   ^   ^           exchange 5 is read by opening it at the place of 4 and passing over one
/// ```
///
/// Invariant: the place at index i is the beginning of exchange i · stride; the first place is the beginning of the trace.
pub struct StoredTrace<O> {
    spec: Arc<Spec>,
    length: usize,
    open: O,
    places: RefCell<Vec<TracePosition>>,
    stride: Cell<usize>,
    failure: RefCell<Option<String>>,
}

impl<O: Fn(u64) -> Result<Box<dyn BufRead>, String>> StoredTrace<O> {
    /// The first `length` exchanges of a trace.
    pub fn new(spec: &Arc<Spec>, length: usize, open: O) -> StoredTrace<O> {
        let (places, failure) = (RefCell::new(vec![TracePosition::default()]), RefCell::default());
        StoredTrace { spec: spec.clone(), length, open, places, stride: Cell::new(1), failure }
    }

    /// The exchanges from this position on.
    fn open_at(&self, from: usize) -> Result<Exchanges<Box<dyn BufRead>>, String> {
        let place = {
            let places = self.places.borrow();
            places[(from / self.stride.get()).min(places.len() - 1)]
        };
        let mut exchanges = Exchanges::resume(&self.spec, (self.open)(place.bytes)?, place);
        while exchanges.position().events < from as u64 {
            if !exchanges.pass().map_err(changed)? {
                break;
            }
            self.note(exchanges.position());
        }
        Ok(exchanges)
    }

    /// Remembers a place if it is the next one by the stride. If there are too many places, every second one is forgotten.
    fn note(&self, place: TracePosition) {
        let (mut places, stride) = (self.places.borrow_mut(), self.stride.get());
        if place.events != (places.len() * stride) as u64 {
            return;
        }
        places.push(place);
        if places.len() == PLACES {
            *places = places.iter().copied().step_by(2).collect();
            self.stride.set(stride * 2);
        }
    }

    fn see(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>) -> Result<(), String> {
        let mut exchanges = self.open_at(from)?;
        for _ in from..self.length {
            let next = exchanges.next_exchange().map_err(changed)?;
            let exchange = next.ok_or("the recording changed: it is shorter than before")?;
            self.note(exchanges.position());
            if see(&exchange).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn changed(error: TraceError) -> String {
    format!("the recording changed: {error}")
}

impl<O: Fn(u64) -> Result<Box<dyn BufRead>, String>> Recording for StoredTrace<O> {
    fn length(&self) -> usize {
        self.length
    }

    fn read(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>) {
        if from < self.length
            && let Err(why) = self.see(from, see)
        {
            self.failure.borrow_mut().get_or_insert(why);
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }
}
