//! What is known of a process that has met an event: what it may still answer, and the event itself, where it is kept.
//!
//! Of two sides of an `if`, each may run to its next event before it is known whether it is followed; then the event is there
//! again when the process goes on.

use super::{Event, Frame, Process};
use crate::spec::code::Program;
use crate::spec::optional::Optional;
use crate::value::Value;

impl Process {
    /// Meets this event again when it goes on.
    pub fn hold(&mut self, event: Event) {
        self.task.held = Some(Box::new(event));
    }

    /// Whether the process may still answer so (`None`: not at all), as it has got to here.
    #[must_use]
    pub fn may_still_reply(&self, program: &Program, answer: Option<&Value>) -> bool {
        self.may_reply(program, self.task.frame.pc, answer)
    }

    /// At [`Event::Choose`]: the optional value that this choice begins.
    #[must_use]
    pub fn optional(&self, program: &Program) -> Option<Optional> {
        let Frame { function, pc, .. } = self.task.frame;
        program.functions[function as usize].optional.get(&pc.checked_sub(1)?).copied()
    }

    /// Answers [`Event::Choose`] of an optional value with the whole of it.
    pub fn resume_optional(&mut self, value: Value, optional: &Optional) {
        self.proceed();
        self.set(optional.dst, value);
        self.jump(optional.to);
    }

    /// At [`Event::Choose`]: what must have been chosen if this is what is answered, where the code alone tells that.
    #[must_use]
    pub fn shown<'v>(&self, program: &Program, answer: &'v Value) -> Option<&'v Value> {
        let Frame { function, pc, .. } = self.task.frame;
        program.functions[function as usize].shown.get(&pc.checked_sub(1)?)?.within(answer)
    }
}
