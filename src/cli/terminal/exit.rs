//! Exit codes, and the exit code for several results together.
//!
//! 2 (the job could not be done) always wins. Otherwise 4 wins over 1, 1 over 3, 3 over 130, and 130 over 0.

use std::process::ExitCode;

/// The way in which a command ended, which decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Accepted; nothing wrong.
    Fine,
    /// Rejected; a violation found.
    Rejected,
    /// The job could not be done: wrong usage, specification or trace, or nothing was tested.
    Failed,
    /// No verdict: a limit was reached, or the solver gave up.
    Inconclusive,
    /// The system under test or the harness failed.
    SystemFailed,
    /// Interrupted; everything found until then is on disk.
    Interrupted,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Rejected => 1,
            Exit::Failed => 2,
            Exit::Inconclusive => 3,
            Exit::SystemFailed => 4,
            Exit::Interrupted => 130,
        }
    }

    /// The worse of two results.
    #[must_use]
    pub fn worst(self, other: Exit) -> Exit {
        let rank = |exit: Exit| match exit {
            Exit::Fine => 0,
            Exit::Interrupted => 1,
            Exit::Inconclusive => 2,
            Exit::Rejected => 3,
            Exit::SystemFailed => 4,
            Exit::Failed => 5,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_code_wins() {
        use Exit::*;
        let worst = |exits: &[Exit]| exits.iter().fold(Fine, |all, exit| all.worst(*exit)).code();
        assert_eq!(worst(&[]), 0);
        assert_eq!(worst(&[Fine, Inconclusive, Fine]), 3);
        assert_eq!(worst(&[Inconclusive, Rejected, Inconclusive]), 1);
        assert_eq!((worst(&[Fine, Interrupted]), worst(&[Inconclusive, Interrupted])), (130, 3));
        assert_eq!(worst(&[Rejected, Failed, Rejected, Fine]), 2);
    }
}
