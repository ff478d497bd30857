//! Usefulness.
