//! Choices that are drawn again, because the answer that they led to has no form on the wire.
//!
//! `reply Page { text: choose, length: choose };` is answered with a length that is that of the text, or with none.

use super::answering::Answering;
use mayhap::http::message_of_answer;
use mayhap::server::{Reply, SectionDone, Stop};
use mayhap::value::Value;

/// The number of times that choices are drawn for one section.
const DRAWN: usize = 200;

impl Answering {
    /// Runs a section of a request, and again as long as its answer cannot be written; the last time, whatever it answers.
    ///
    /// # Errors
    /// If it has no run.
    pub fn written<T>(
        &mut self,
        request: Option<&Value>,
        mut run: impl FnMut(&mut Answering) -> Result<T, Stop>,
        done: impl Fn(&T) -> Option<&SectionDone>,
    ) -> Result<T, Stop> {
        let Some(request) = request.filter(|_| self.is_http) else { return run(self) };
        let mark = self.server.mark();
        for _ in 1..DRAWN {
            let ran = run(self)?;
            match done(&ran) {
                Some(SectionDone::Ended(Reply::Answer(answer)))
                    if message_of_answer(&self.spec, request, answer).is_none() => {}
                _ => return Ok(ran),
            }
            self.server.return_to(mark.clone());
        }
        run(self)
    }
}
