//! Traces, values and histories, as bytes: whatever comes is read or refused with its place.

pub mod bytes;
mod compressed;
mod histories;
mod places;
mod plain_lines;
mod porcupine;
