//! Rows that are packed together: one after another, each its time, its length and its line.

/// The most columns of a time.
pub const COLUMNS: usize = 4;
/// The bytes of a column.
pub const COLUMN: usize = 8;

/// A time: whole numbers as big endian bytes, of which the sign is flipped, so that bytes are ordered as times are.
pub type Time = [u8; COLUMNS * COLUMN];

/// The time in these first bytes.
pub fn time(bytes: &[u8]) -> Time {
    let mut time = Time::default();
    time[..bytes.len()].copy_from_slice(bytes);
    time
}

/// The number of bytes of a time with some columns.
pub fn width(columns: usize) -> usize {
    columns.clamp(1, COLUMNS) * COLUMN
}

/// The bytes of a column that are ordered as its numbers are.
pub fn ordered(number: i64) -> [u8; COLUMN] {
    (number.cast_unsigned() ^ (1 << 63)).to_be_bytes()
}

/// Rows that are being packed.
#[derive(Default)]
pub struct Pack {
    /// The lines, one after another.
    lines: Vec<u8>,
    /// The time of each row, and where its line begins and ends.
    rows: Vec<(Time, u32, u32)>,
}

impl Pack {
    pub fn push(&mut self, time: Time, line: &[u8]) {
        let start = self.lines.len() as u32;
        self.lines.extend_from_slice(line);
        self.rows.push((time, start, self.lines.len() as u32));
    }

    /// The rows so far in the order of time, with the first time; nothing if there are none. `width` is the number of bytes of a time.
    pub fn take(&mut self, width: usize) -> Option<(Vec<u8>, Vec<u8>)> {
        if !self.rows.is_sorted() {
            self.rows.sort_unstable();
        }
        let first = self.rows.first()?.0[..width].to_vec();
        let mut packed = Vec::with_capacity(self.lines.len() + self.rows.len() * (width + size_of::<u32>()));
        for (time, start, end) in self.rows.drain(..) {
            packed.extend_from_slice(&time[..width]);
            packed.extend_from_slice(&(end - start).to_le_bytes());
            packed.extend_from_slice(&self.lines[start as usize..end as usize]);
        }
        self.lines.clear();
        Some((first, packed))
    }
}

/// Packed rows that are read.
pub struct Unpacking {
    packed: Vec<u8>,
    at: usize,
    width: usize,
}

impl Unpacking {
    pub fn new(packed: Vec<u8>, width: usize) -> Unpacking {
        Unpacking { packed, at: 0, width }
    }

    /// The time of the next row.
    pub fn next_time(&self) -> Option<Time> {
        self.packed.get(self.at..self.at + self.width).map(time)
    }

    /// Reads the line of the next row.
    pub fn next_line(&mut self) -> &[u8] {
        let start = self.at + self.width + size_of::<u32>();
        let mut length = [0; size_of::<u32>()];
        length.copy_from_slice(&self.packed[self.at + self.width..start]);
        self.at = start + u32::from_le_bytes(length) as usize;
        &self.packed[start..self.at]
    }
}
