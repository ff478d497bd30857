//! The way of rows to the buckets in which they are judged.
//!
//! | rows | go to the bucket of |
//! |---|---|
//! | whole exchanges | the key of the request |
//! | single events, in any order | the client |
//! | single events of clients, in the order of time | the key of the request that is under way |
//! | restarts | all |

use super::merging::Merging;
use super::packing::{COLUMN, Pack, Time, Unpacking, ordered, time, width};
use super::reading::{Misread, RowReader};
use super::{Keyed, Keys, Refused, request};
use mayhap::trace::EventKind;
use mayhap::value::Value;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most keys whose buckets are remembered.
const REMEMBERED: usize = 1 << 18;

/// Packed rows: for each pack its bucket, its first time and its rows.
type Packs<'py> = Vec<(u32, Bound<'py, PyBytes>, Bound<'py, PyBytes>)>;

/// A router of rows.
#[pyclass(module = "mayhap._mayhap")]
pub struct Router {
    known: Arc<Keyed>,
    reader: RowReader,
    /// The number of bytes of a time.
    width: usize,
    packs: Vec<Pack>,
    /// The bytes of the lines in the packs.
    size: usize,
    /// Set if rows go to the buckets of their clients.
    is_by_client: bool,
    of_keys: FxHashMap<Value, u32>,
    /// The rows of one bucket of clients, in the order of time.
    clients: Clients,
}

/// The clients of a bucket.
#[derive(Default)]
struct Clients {
    bucket: Option<u32>,
    merging: Merging,
    /// The bucket of the request under way of each client.
    under_way: FxHashMap<u64, u32>,
    /// The time of the last event of each client.
    last: FxHashMap<u64, Time>,
    restarted: Option<Time>,
}

#[pymethods]
impl Router {
    /// A router to a number of buckets; a time has some columns.
    #[new]
    fn new(keys: &Keys, buckets: u32, columns: usize, is_by_client: bool) -> Router {
        Router {
            known: keys.known.clone(),
            reader: RowReader::new(&keys.known.spec),
            width: width(columns),
            packs: (0..buckets.max(1)).map(|_| Pack::default()).collect(),
            size: 0,
            is_by_client,
            of_keys: FxHashMap::default(),
            clients: Clients::default(),
        }
    }

    /// Adds rows: lines, one after another, with the offsets at which they begin and end; and their times, column by column. `name` names what is
    /// wrong with a row, by its index. Returns the number of bytes that wait to be taken.
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        lines: &[u8],
        offsets: &[u8],
        times: Vec<PyBackedBytes>,
        name: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let offset = |bytes: &[u8]| numbered(bytes) as usize;
        let mut offsets = offsets.chunks_exact(size_of::<u32>()).map(offset);
        let mut start = offsets.next().unwrap_or_default();
        for (row, end) in offsets.enumerate() {
            let mut time = Time::default();
            for (column, place) in times.iter().zip(time.chunks_exact_mut(COLUMN)) {
                let bytes = column.get(row * COLUMN..(row + 1) * COLUMN).unwrap_or_default();
                place.copy_from_slice(&ordered(numbered(bytes)));
            }
            let routed = self.route(time, lines.get(start..end).unwrap_or_default());
            routed.map_err(|misread| misread.raised(py, name, row))?;
            start = end;
        }
        Ok(self.size)
    }

    /// Adds packed rows of clients. Packs come in the order of buckets, and of first times in each. `name` names a row by its time.
    fn add_packed<'py>(
        &mut self,
        py: Python<'py>,
        bucket: u32,
        first: &[u8],
        packed: &[u8],
        name: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        if self.clients.bucket != Some(bucket) {
            self.go_on(py, None, name)?;
            self.clients = Clients { bucket: Some(bucket), ..Clients::default() };
        } else {
            self.go_on(py, Some(time(first)), name)?;
        }
        self.clients.merging.add(Unpacking::new(packed.to_vec(), self.width));
        Ok(self.size)
    }

    /// Ends what was added in packs.
    fn end<'py>(&mut self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<()> {
        self.go_on(py, None, name)
    }

    /// Takes the rows so far, packed.
    fn take<'py>(&mut self, py: Python<'py>) -> Packs<'py> {
        self.size = 0;
        let (width, packs) = (self.width, (0..).zip(&mut self.packs));
        let taken = packs.filter_map(|(bucket, pack)| Some((bucket, pack.take(width)?)));
        taken.map(|(bucket, (first, rows))| (bucket, PyBytes::new(py, &first), PyBytes::new(py, &rows))).collect()
    }
}

impl Router {
    fn push(&mut self, bucket: u32, time: Time, line: &[u8]) {
        self.packs[bucket as usize].push(time, line);
        self.size += line.len() + self.width;
    }

    fn push_to_all(&mut self, time: Time, line: &[u8]) {
        (0..self.packs.len() as u32).for_each(|bucket| self.push(bucket, time, line));
    }

    /// Routes a row that comes in any order.
    fn route(&mut self, time: Time, line: &[u8]) -> Result<(), Misread> {
        let quick = if self.is_by_client { None } else { self.reader.request(line) };
        let bucket = if let Some(request) = quick {
            // The rest of the row is read where it is judged.
            self.bucket(&request)?
        } else {
            let event = self.reader.event(line)?;
            self.known.admit(&event)?;
            if event.kind == EventKind::Restart {
                self.push_to_all(time, line);
                return Ok(());
            }
            match request(&event) {
                _ if self.is_by_client => {
                    (hash(&event.client.unwrap_or(1).to_le_bytes()) % self.packs.len() as u64) as u32
                }
                Some(request) => self.bucket(request)?,
                None => 0,
            }
        };
        self.push(bucket, time, line);
        Ok(())
    }

    /// The bucket of the key of a request; the first one if there is no key.
    fn bucket(&mut self, request: &Value) -> Result<u32, Refused> {
        let known = &self.known;
        let Some(key) = known.key(request)? else { return Ok(0) };
        if let Some(bucket) = self.of_keys.get(&key) {
            return Ok(*bucket);
        }
        let bucket = (hash(known.key_text(request, &key).as_bytes()) % self.packs.len() as u64) as u32;
        if self.of_keys.len() >= REMEMBERED {
            self.of_keys.clear();
        }
        self.of_keys.insert(key, bucket);
        Ok(bucket)
    }

    /// Routes the rows of clients before a time, or all.
    fn go_on<'py>(&mut self, py: Python<'py>, limit: Option<Time>, name: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut merging = std::mem::take(&mut self.clients.merging);
        let merged = merging.before(limit, |time, line| {
            self.route_next(time, line)
                .map_err(|misread| misread.raised(py, name, PyBytes::new(py, &time[..self.width])))
        });
        self.clients.merging = merging;
        merged?;
        py.check_signals()
    }

    /// Routes the next row of some client.
    fn route_next(&mut self, time: Time, line: &[u8]) -> Result<(), Misread> {
        let event = self.reader.event(line)?;
        let client = event.client.unwrap_or(1);
        if let EventKind::Restart = event.kind {
            self.clients.under_way.clear();
            self.clients.restarted = Some(time);
            // Each bucket of clients has the restart.
            if self.clients.bucket == Some(0) {
                self.push_to_all(time, line);
            }
            return Ok(());
        }
        if self.clients.last.insert(client, time) == Some(time) || self.clients.restarted == Some(time) {
            return Err(at_the_same_time(&format!("client {client}")).into());
        }
        let (under_way, known) = (self.clients.under_way.remove(&client), self.known.clone());
        let bucket = match request(&event) {
            Some(_) if under_way.is_some() => {
                let why = format!(
                    "client {client} sends a request while another one of it has no answer yet; such recordings are not judged key by key"
                );
                return Err(why.into());
            }
            Some(request) => {
                let bucket = self.bucket(request)?;
                known.sent(&event).and_then(|_| self.clients.under_way.insert(client, bucket));
                bucket
            }
            // Who gives up while nothing is under way says nothing.
            None if under_way.is_none() && event.kind == EventKind::Lost => return Ok(()),
            // Nothing explains an answer without a request, whatever the key.
            None => under_way.unwrap_or(0),
        };
        self.push(bucket, time, line);
        Ok(())
    }
}

/// The reason why two events with one time are refused.
pub fn at_the_same_time(whose: &str) -> Refused {
    format!(
        "another event of {whose} has the same time, so their order is not known: name a further column that orders them, as in time=[\"ts\", \"offset\"]"
    )
}

fn numbered(bytes: &[u8]) -> i64 {
    let mut number = [0; COLUMN];
    number[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(number)
}

/// A hash that is the same on all machines: FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    let mixed = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    mixed ^ (mixed >> 32)
}
