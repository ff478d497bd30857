//! The answers of peers in a run: those in its script, or drawn ones.
//!
//! ```text
//! {"peer": "store", "c": 1, "q": "Get"}      the script: the answer to this call was 5
//! {"peer": "store", "c": 1, "a": 5}
//! ```
//!
//! A call gets the unused answer of the first equal call in the script; if there is none, the first unused answer of its peer; if
//! there is none either, a drawn one.

use std::sync::Arc;

use crate::choice::{ChoiceError, Choices, Random};
use crate::generate::PeerGenerator;
use crate::http::is_status_asked_for;
use crate::script::PlannedAnswer;
use crate::spec::Spec;
use crate::spec::code::SpecPeer;
use crate::sut::{SutCall, System};
use crate::trace::{PeerEvent, PeerMessage};
use crate::value::Value;

/// The most answers that are drawn for a call, as some have no form on the wire.
const DRAWS: usize = 64;
/// The weights of a peer that answers, and of one that fails.
const FAILURES: [u64; 2] = [11, 1];

/// The peers of a run.
pub struct PeerAnswers {
    spec: Arc<Spec>,
    generator: PeerGenerator,
    choices: Random,
    planned: Vec<PlannedAnswer>,
}

impl PeerAnswers {
    /// Peers whose answers are drawn by a seed, unless a script has them.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, seed: u64) -> PeerAnswers {
        let (generator, choices) = (PeerGenerator::new(spec), Random::new(seed));
        PeerAnswers { spec: spec.clone(), generator, choices, planned: Vec::new() }
    }

    /// Adds the answers of a script.
    pub fn plan(&mut self, answers: &[PlannedAnswer]) {
        self.planned.extend_from_slice(answers);
    }

    /// The event that the system calls a peer.
    #[must_use]
    pub fn called(&self, call: &SutCall) -> PeerEvent<Value> {
        let peer = self.spec.program.peers[call.peer as usize].name.clone();
        let message = PeerMessage::Call(call.request.clone());
        PeerEvent { peer, key: call.key.clone(), exchange: call.number, message }
    }

    /// Answers a call, and returns the events of the call and its end. An answer, or a failure (`None`), that breaks the client's duty
    /// is not given if there is another one.
    pub fn answer(
        &mut self,
        call: SutCall,
        system: &mut dyn System,
        keeps_duty: &dyn Fn(Option<&Value>) -> bool,
    ) -> [PeerEvent<Value>; 2] {
        let called = self.called(&call);
        let given = self.given(&called.peer, &call, system, keeps_duty);
        let answer = given.unwrap_or_else(|| self.drawn(&call, system, keeps_duty));
        if answer.is_none() {
            system.answer_call(call.number, None);
        }
        // Only the system knows when it gets the answer.
        let message = answer.map_or(PeerMessage::Lost, PeerMessage::Sent);
        let ended = PeerEvent { peer: called.peer.clone(), key: None, exchange: call.number, message };
        [called, ended]
    }

    /// Gives the answer that the script has for a call; `None` if it has none that can be given.
    fn given(
        &mut self,
        peer: &str,
        call: &SutCall,
        system: &mut dyn System,
        keeps_duty: &dyn Fn(Option<&Value>) -> bool,
    ) -> Option<Option<Value>> {
        let is_of_peer = |answer: &PlannedAnswer| answer.peer == peer && answer.key == call.key;
        let is_equal = |answer: &PlannedAnswer| is_of_peer(answer) && answer.request == call.request;
        let at = self.planned.iter().position(is_equal).or_else(|| self.planned.iter().position(is_of_peer))?;
        let answer = self.planned.remove(at).answer;
        let is_due = |answer: &Value| self.is_asked_for(call, answer);
        let mut gives = |answer: &Value| system.answer_call(call.number, Some(answer));
        let is_given = keeps_duty(answer.as_ref()) && answer.as_ref().is_none_or(|it| is_due(it) && gives(it));
        is_given.then_some(answer)
    }

    /// Tests whether a peer of HTTP may answer this call so, as far as the status says.
    fn is_asked_for(&self, call: &SutCall, answer: &Value) -> bool {
        let program = &self.spec.program;
        let SpecPeer { request, response, .. } = &program.peers[call.peer as usize];
        let is_of_http = self.spec.http.is_some() && (*request, *response) == (program.request, program.response);
        !is_of_http || is_status_asked_for(&self.spec, &call.request, answer)
    }

    /// Draws an answer and gives it; `None` if the peer fails.
    fn drawn(
        &mut self,
        call: &SutCall,
        system: &mut dyn System,
        keeps_duty: &dyn Fn(Option<&Value>) -> bool,
    ) -> Option<Value> {
        // If no answer can be drawn, the peer fails.
        self.try_drawn(call, system, keeps_duty).unwrap_or_default()
    }

    fn try_drawn(
        &mut self,
        call: &SutCall,
        system: &mut dyn System,
        keeps_duty: &dyn Fn(Option<&Value>) -> bool,
    ) -> Result<Option<Value>, ChoiceError> {
        if self.choices.weighted("a peer fails", &FAILURES)? == 1 && keeps_duty(None) {
            return Ok(None);
        }
        for _ in 0..DRAWS {
            let answer = self.generator.answer(call.peer, &mut self.choices)?;
            let may_give = keeps_duty(Some(&answer)) && self.is_asked_for(call, &answer);
            if may_give && system.answer_call(call.number, Some(&answer)) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}
