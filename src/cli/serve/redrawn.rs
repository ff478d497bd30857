//! Choices that are drawn again, as their answer has no form on the wire.
//!
//! For example the answer of `reply Page { text: choose, length: choose };` has a form only if the length is that of the text, or
//! absent.

use super::answering::Answering;
use mayhap::http::message_of_answer;
use mayhap::server::{Reply, SectionDone, Stop};
use mayhap::value::Value;

/// The most times that the choices of one section are drawn.
const DRAWN: usize = 200;

impl Answering {
    /// Runs a section of a request, and runs it again as long as its answer cannot be written. The last try is taken in any case.
    ///
    /// # Errors
    /// The section has no run.
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
