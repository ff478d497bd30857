//! Terms, and the solver of what is not known, against evaluation and enumeration.

mod asks_z3;
mod conditions;
mod eliminated_variables;
mod optional_elements;
mod sets;
mod stores;
mod stories;
mod terms;
mod texts;
