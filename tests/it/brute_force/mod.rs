//! Verdicts, compared with those of a slow judge that tries all choices: the oracle.

mod altered_answers;
mod hidden_states;
mod random_programs;
mod random_restarts;
pub mod random_tasks;
mod random_worlds;
mod small_worlds;
