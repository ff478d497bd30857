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
        let mut tried = 0;
        loop {
            tried += 1;
            // If nothing has looked at a part of the answer, it is the simplest, which need not have a form: then it is drawn.
            self.server.draw_unseen_parts(tried > 1);
            let ran = run(self);
            self.server.draw_unseen_parts(false);
            let is_wrong = match &ran {
                Ok(ran) => matches!(done(ran), Some(SectionDone::Ended(Reply::Answer(answer)))
                    if message_of_answer(&self.spec, request, answer).is_none()),
                // A drawn part may contradict what the specification goes on to assume.
                Err(stop) => tried > 1 && matches!(stop, Stop::Stuck(_)),
            };
            if !is_wrong || tried == DRAWN {
                return ran;
            }
            self.server.return_to(mark.clone());
        }
    }
}
