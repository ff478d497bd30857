//! The peers of a conversation: they see calls, and answer or fail.
//!
//! `let r = call store(k), Get; expects r is Some(n) && n > 0;` needs a positive answer. If another answer was drawn, it is drawn
//! again when the task goes on, before anybody has seen it.

use super::conversation::{Conversation, draw};
use super::occurrence::{CallEvent, Occurrence, PeerOccurrence};
use super::packets::{CallPacket, CallStage};
use super::{SectionDone, SectionStart, Stop};
use crate::choice::Choices;
use crate::process::Port;
use crate::spec::Site;
use crate::value::Value;

/// The weights of a peer that answers, and of one that fails.
const FAILURES: [u64; 2] = [7, 1];
/// The most answers that are drawn for a call whose answer must keep an `expects`.
const DRAWS: usize = 64;

impl CallPacket {
    fn has_ended(&self) -> bool {
        matches!(self.stage, CallStage::Answered(..))
    }
}

impl Conversation {
    /// Tests whether a peer may see a call, or end one.
    pub(super) fn may_call(&self) -> bool {
        self.calls.iter().any(|call| !call.has_ended())
    }

    /// Lets a peer see a call, or end one that it has seen.
    pub(super) fn call_peer(&mut self, source: &mut dyn Choices) -> Result<(), Stop> {
        let open: Vec<usize> = (0..self.calls.len()).filter(|at| !self.calls[*at].has_ended()).collect();
        let at = open[draw(source, "which call", open.len())?];
        let CallPacket { exchange, peer, .. } = self.calls[at];
        let noted = |event| Occurrence::Peer(PeerOccurrence { peer, exchange, event });
        match std::mem::replace(&mut self.calls[at].stage, CallStage::Seen) {
            CallStage::Unseen(key, request) => self.journal.note(noted(CallEvent::Called(key, request))),
            CallStage::Seen | CallStage::Answered(..) => {
                let answer = self.draw_answer(peer, source)?;
                let number = self.journal.note_open(noted(CallEvent::ended(answer.clone())));
                if self.server.is_awaited(exchange) {
                    self.calls[at].stage = CallStage::Answered(answer, number);
                } else {
                    self.server.answer_call(exchange, answer);
                    self.journal.fix(number);
                    self.calls.remove(at);
                }
                self.waiting.progress();
            }
        }
        Ok(())
    }

    /// Draws the answer of a peer; `None` if it fails.
    fn draw_answer(&mut self, peer: u32, source: &mut dyn Choices) -> Result<Option<Value>, Stop> {
        let fails = source.weighted("a peer fails", &FAILURES).map_err(Stop::Choice)? == 1;
        if fails { Ok(None) } else { self.server.draw_peer_answer(peer, source).map(Some) }
    }

    /// The positions of the ended calls that a task waits for, in the order of their ends.
    pub(super) fn answered(&self, port: Port) -> Vec<usize> {
        let awaited = self.server.awaited(port.0);
        let is_it = |at: &usize| self.calls[*at].has_ended() && awaited.contains(&self.calls[*at].exchange);
        let mut answered: Vec<usize> = (0..self.calls.len()).filter(is_it).collect();
        answered.sort_by_key(|at| if let CallStage::Answered(_, number) = self.calls[*at].stage { number } else { 0 });
        answered
    }

    /// Continues the task of a connection with the answers of its peers, or with others that the specification expects, which are
    /// final then; `None` if it waits for more answers.
    pub(super) fn go_on(&mut self, port: Port, source: &mut dyn Choices) -> Result<Option<SectionDone>, Stop> {
        let answered = self.answered(port);
        if answered.is_empty() {
            return self.server.run(&SectionStart::Task(port), source).map(Some);
        }
        let mut broken = Stop::Outside(Site(0));
        for _ in 0..DRAWS {
            let mark = self.server.mark();
            for at in &answered {
                let CallPacket { exchange, stage: CallStage::Answered(answer, _), .. } = &self.calls[*at] else {
                    continue;
                };
                self.server.answer_call(*exchange, answer.clone());
            }
            if !self.server.awaited(port.0).is_empty() {
                self.server.return_to(mark);
                return Ok(None);
            }
            match self.server.run(&SectionStart::Task(port), source) {
                Ok(done) => {
                    self.fix_answers(answered);
                    return Ok(Some(done));
                }
                Err(stop @ Stop::Outside(_)) => broken = stop,
                Err(stop) => {
                    self.server.return_to(mark);
                    return Err(stop);
                }
            }
            self.server.return_to(mark);
            for at in &answered {
                let other = self.draw_answer(self.calls[*at].peer, source)?;
                if let CallStage::Answered(answer, _) = &mut self.calls[*at].stage {
                    *answer = other;
                }
            }
        }
        Err(broken)
    }

    /// Makes the answers to these calls final, as a task has gone on with them.
    fn fix_answers(&mut self, mut answered: Vec<usize>) {
        answered.sort_unstable();
        for at in answered.into_iter().rev() {
            if let CallStage::Answered(answer, number) = self.calls.remove(at).stage {
                self.journal.fix_answer(number, answer);
            }
        }
    }
}
