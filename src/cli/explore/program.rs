//! One run of a program in any language, which asks for its choices on a descriptor. What it prints is its output.
//!
//! The program is a shell command. It finds descriptor 3 open, and the number 3 in `MAYHAP_CHOICES`. It writes `choose which way 3`
//! and reads `2`. It may write `refuse too late` and end, which means that this run does not exist. `docs/CHOICES.md` describes all
//! this for authors of such programs.

use super::child::Started;
use super::ran::{MAX_OUTPUT, Ran, Trouble};
use mayhap::choice::{ChoiceError, Chooser, Step, label};
use std::time::Duration;

/// A program to explore.
pub struct ExternalProgram<'o> {
    /// The command for the shell.
    pub command: &'o str,
    /// The longest time of a run.
    pub timeout: Duration,
}

/// A request of the program for a choice, or its refusal of the run.
enum ProgramRequest {
    Choose(String, usize),
    Refuse(String),
}

impl ExternalProgram<'_> {
    /// Runs the program with the chooser's choices.
    pub fn run(&self, c: &mut Chooser) -> Result<Ran, Trouble> {
        let mut run = Vec::new();
        match self.conversation(c, &mut run) {
            Ok(output) => Ok(Ran { output, run }),
            Err(Trouble::Interrupted) => Err(Trouble::Escaped(c.interrupt())),
            Err(trouble) => Err(trouble),
        }
    }

    /// Starts the program, talks to it until it ends, and returns its output.
    fn conversation(&self, c: &mut Chooser, run: &mut Vec<Step>) -> Result<Vec<u8>, Trouble> {
        let mut started =
            Started::new(self.command, self.timeout).map_err(|error| Trouble::System(error.to_string()))?;
        let refused = talk(&mut started, c, run)?;
        let finished = started.finish()?;
        match refused {
            Some(error) => Err(Trouble::Escaped(error)),
            None if finished.output.len() as u64 > MAX_OUTPUT => Err(Trouble::TooMuch),
            None if finished.status.success() => Ok(finished.output),
            None => Err(Trouble::died(finished.status, &finished.complaints, run.is_empty())),
        }
    }
}

/// Answers the program's requests until it sends no more. Returns the error if the run does not exist.
fn talk(started: &mut Started, c: &mut Chooser, run: &mut Vec<Step>) -> Result<Option<ChoiceError>, Trouble> {
    let mut refused = None;
    while let Some(line) = started.request()? {
        match parse(&line).ok_or(Trouble::Malformed(line))? {
            ProgramRequest::Choose(place, arity) => {
                let label = label(&place).map_err(Trouble::Escaped)?;
                let pick = c.try_choose(label, arity).map_err(Trouble::Escaped)?;
                if arity > 1 {
                    run.push(Step { label, arity, pick });
                }
                started.answer(pick);
            }
            ProgramRequest::Refuse(place) => {
                let label = label(&place).map_err(Trouble::Escaped)?;
                match (c.try_assume(label, false), &refused) {
                    // The program went on after its refusal.
                    (Err(error), Some(_)) => return Err(Trouble::Escaped(error)),
                    (ended, _) => refused = ended.err(),
                }
            }
        }
    }
    Ok(refused)
}

fn parse(line: &str) -> Option<ProgramRequest> {
    let (word, rest) = line.split_once(' ')?;
    match word {
        "choose" => {
            let (label, arity) = rest.rsplit_once(' ')?;
            Some(ProgramRequest::Choose(label.trim().into(), arity.parse().ok()?))
        }
        "refuse" => Some(ProgramRequest::Refuse(rest.trim().into())),
        _ => None,
    }
}
