//! Traces, values and histories, as bytes: whatever comes is read or refused with its place.

pub mod bytes;
mod compressed;
mod histories;
mod plain_lines;
