//! Mutants of a specification: `file:line: replace … with …`.
