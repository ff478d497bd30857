//! The conversation of a client and a server on a connection, as events: requests, answers, and everything else.
//!
//! With the `http` block of the specification, `GET /kv/a` and the `404` after it are a request and an answer. Without such a
//! block, each line is a value.

use mayhap::Spec;
use mayhap::http::{Framing, HttpHead, HttpMessage, MessageBuffer, answer_of, is_refusal, request_of, shown_message};
use mayhap::json;
use mayhap::sut::lines::{LineBuffer, is_blank};
use mayhap::trace::EventKind;
use mayhap::value::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// An event in a conversation.
pub enum TalkEvent {
    /// An event of the specification.
    Event(EventKind<Value>),
    /// A request that the specification does not describe; true if it may change the state of the server.
    Foreign(String, bool),
    /// The answer to such a request, which has changed the state by now, if at all.
    ForeignOver,
    /// An answer that no server of the specification gives, in words.
    Wrong(String),
    /// The reason why the rest of the connection cannot be understood.
    Unclear(String),
}

/// The conversation on a connection so far.
pub enum WatchedTalk {
    Lines(LineTalk),
    Http(Box<HttpTalk>),
}

impl WatchedTalk {
    /// A conversation without messages. In HTTP the paths of judged requests begin with `prefix`.
    pub fn new(spec: &Arc<Spec>, prefix: &str) -> WatchedTalk {
        match spec.http {
            Some(_) => WatchedTalk::Http(Box::new(HttpTalk::new(spec, prefix))),
            None => WatchedTalk::Lines(LineTalk::new(spec)),
        }
    }

    /// Handles bytes from the client.
    pub fn take_asked(&mut self, bytes: &[u8], said: &mut Vec<TalkEvent>) {
        match self {
            WatchedTalk::Lines(lines) => lines.take_asked(bytes, said),
            WatchedTalk::Http(http) => http.take_asked(bytes, said),
        }
    }

    /// Handles bytes from the server.
    pub fn take_answered(&mut self, bytes: &[u8], said: &mut Vec<TalkEvent>) {
        match self {
            WatchedTalk::Lines(lines) => lines.take_answered(bytes, said),
            WatchedTalk::Http(http) => http.take_answered(bytes, said),
        }
    }

    /// Handles the end of the client's direction.
    pub fn client_ended(&mut self) {
        match self {
            WatchedTalk::Lines(lines) => lines.is_client_gone = true,
            WatchedTalk::Http(http) => http.is_client_gone = true,
        }
    }

    /// Handles the end of the server's direction.
    pub fn server_ended(&mut self, said: &mut Vec<TalkEvent>) {
        match self {
            WatchedTalk::Lines(lines) => lines.end(said),
            WatchedTalk::Http(http) => http.end(said),
        }
    }
}

/// A conversation in which each line is a value.
pub struct LineTalk {
    spec: Arc<Spec>,
    requests: LineBuffer,
    answers: LineBuffer,
    /// The number of requests minus the number of answers.
    owed: i64,
    is_client_gone: bool,
    is_unclear: bool,
}

impl LineTalk {
    fn new(spec: &Arc<Spec>) -> LineTalk {
        let (requests, answers) = (LineBuffer::default(), LineBuffer::default());
        LineTalk { spec: spec.clone(), requests, answers, owed: 0, is_client_gone: false, is_unclear: false }
    }

    fn take_asked(&mut self, bytes: &[u8], said: &mut Vec<TalkEvent>) {
        let spec = &self.spec;
        let (owed, is_unclear) = (&mut self.owed, &mut self.is_unclear);
        self.requests.take(bytes, |line| {
            if *is_unclear || is_blank(line) {
                return;
            }
            match value_of(spec, spec.program.request, line) {
                Ok(request) => {
                    *owed += 1;
                    said.push(TalkEvent::Event(EventKind::Request(request)));
                }
                Err(why) => {
                    *is_unclear = true;
                    said.push(TalkEvent::Unclear(format!("{} is no request: {why}", shown_message(line))));
                }
            }
        });
    }

    fn take_answered(&mut self, bytes: &[u8], said: &mut Vec<TalkEvent>) {
        let spec = &self.spec;
        let (owed, is_unclear) = (&mut self.owed, &mut self.is_unclear);
        self.answers.take(bytes, |line| {
            if *is_unclear || is_blank(line) {
                return;
            }
            match value_of(spec, spec.program.response, line) {
                Ok(answer) => {
                    *owed -= 1;
                    said.push(TalkEvent::Event(EventKind::Answer(answer)));
                }
                Err(why) => {
                    *is_unclear = true;
                    said.push(TalkEvent::Wrong(format!("{} is no answer: {why}", shown_message(line))));
                    said.push(TalkEvent::Unclear("which answer is to which request is not known any more".to_owned()));
                }
            }
        });
    }

    fn end(&mut self, said: &mut Vec<TalkEvent>) {
        // A server that never ends a connection by its specification may still be stopped, or may close an idle connection.
        let may_close = self.spec.program.is_asynchronous();
        match (self.is_unclear, self.is_client_gone) {
            (true, _) => {}
            (false, false) if may_close => said.push(TalkEvent::Event(EventKind::Closed)),
            (false, _) if self.owed > 0 => said.push(TalkEvent::Event(EventKind::Lost)),
            (false, _) => {}
        }
    }
}

fn value_of(spec: &Spec, ty: mayhap::spec::TypeId, line: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    json::decode(&spec.types, ty, text).map_err(|error| error.to_string())
}

/// A conversation in HTTP.
pub struct HttpTalk {
    spec: Arc<Spec>,
    prefix: String,
    requests: MessageBuffer,
    answers: MessageBuffer,
    /// The requests without an answer so far.
    asked: VecDeque<UnansweredRequest>,
    /// Set after the client has ended its direction; it may then be the reason for an incomplete answer.
    is_client_gone: bool,
    /// Set after the server's last answer.
    is_over: bool,
    is_unclear: bool,
}

/// A request without an answer.
struct UnansweredRequest {
    /// The request; `None` if the specification does not describe it, or it was given up.
    request: Option<Value>,
    /// Set if the specification does not describe the request, which may change the state of the server.
    is_foreign_change: bool,
    /// Set if the request asks for another protocol.
    asks_to_switch: bool,
    framing: Framing,
}

impl HttpTalk {
    fn new(spec: &Arc<Spec>, prefix: &str) -> HttpTalk {
        HttpTalk {
            spec: spec.clone(),
            prefix: prefix.to_owned(),
            requests: MessageBuffer::default(),
            answers: MessageBuffer::default(),
            asked: VecDeque::new(),
            is_client_gone: false,
            is_over: false,
            is_unclear: false,
        }
    }

    fn take_asked(&mut self, bytes: &[u8], said: &mut Vec<TalkEvent>) {
        if self.is_unclear {
            return;
        }
        self.requests.push(bytes);
        while !self.is_unclear {
            match self.requests.request() {
                Ok(Some(message)) => self.note_request(&message, said),
                Ok(None) => break,
                Err(malformed) => self.give_up(malformed.to_string(), said),
            }
        }
        self.take_answers(said);
    }

    fn note_request(&mut self, message: &HttpMessage, said: &mut Vec<TalkEvent>) {
        let HttpHead::Request { method, target } = &message.head else { return };
        let request = match self.request_of(message, target) {
            Ok(request) => Some(request),
            Err(why) => {
                said.push(TalkEvent::Foreign(format!("{method} {target}: {why}"), !message.is_safe()));
                None
            }
        };
        said.extend(request.iter().map(|request| TalkEvent::Event(EventKind::Request(request.clone()))));
        let framing = if message.is_head() { Framing::HeadersOnly } else { Framing::Whole };
        let is_foreign_change = request.is_none() && !message.is_safe();
        let asks_to_switch = message.header("Upgrade").is_some();
        self.asked.push_back(UnansweredRequest { request, is_foreign_change, asks_to_switch, framing });
        if method == "CONNECT" {
            self.give_up(format!("{method} {target} asks for another protocol"), said);
        } else if self.is_over {
            self.lose(said);
        }
    }

    /// The request that a message stands for, whose path begins with the prefix.
    fn request_of(&self, message: &HttpMessage, target: &str) -> Result<Value, String> {
        if self.prefix.is_empty() {
            return request_of(&self.spec, message).map_err(|(_, why)| why);
        }
        let rest = target.strip_prefix(&self.prefix).filter(|rest| rest.starts_with('/'));
        let rest = rest.ok_or_else(|| format!("the path does not begin with {}", self.prefix))?;
        let HttpHead::Request { method, .. } = &message.head else { return Err("this is no request".to_owned()) };
        let head = HttpHead::Request { method: method.clone(), target: rest.to_owned() };
        request_of(&self.spec, &HttpMessage { head, ..message.clone() }).map_err(|(_, why)| why)
    }

    fn take_answered(&mut self, bytes: &[u8], said: &mut Vec<TalkEvent>) {
        if !self.is_unclear && !self.is_over {
            self.answers.push(bytes);
            self.take_answers(said);
        }
    }

    fn take_answers(&mut self, said: &mut Vec<TalkEvent>) {
        while let Some(first) = self.asked.front().filter(|_| !self.is_unclear && !self.is_over) {
            match self.answers.answer(first.framing) {
                Ok(Some(message)) => self.note_answer(&message, said),
                Ok(None) => return,
                Err(malformed) => {
                    let is_judged = first.request.is_some();
                    self.lose(said);
                    said.extend(is_judged.then(|| TalkEvent::Wrong(malformed.to_string())));
                    self.give_up("the end of that answer is not known".to_owned(), said);
                }
            }
        }
        // A server may send a message and end an idle connection.
        self.is_over |= self.requests.rest().is_empty() && !self.answers.rest().is_empty();
    }

    fn note_answer(&mut self, message: &HttpMessage, said: &mut Vec<TalkEvent>) {
        let shown = self.answers.shown();
        if message.status() == Some(101) && self.asked.front().is_some_and(|asked| asked.asks_to_switch) {
            return self.give_up("another protocol is spoken from here".to_owned(), said);
        }
        let request = self.asked.front_mut().and_then(|asked| asked.request.take());
        if let Some(request) = request {
            match answer_of(&self.spec, &request, message) {
                Ok(answer) if !is_encoded(message) => said.push(TalkEvent::Event(EventKind::Answer(answer))),
                Err(_) if is_refusal(&self.spec, message) => {
                    said.push(TalkEvent::Event(EventKind::Lost));
                    self.forget();
                }
                read => {
                    // The request was served, and its answer is unknown.
                    said.push(TalkEvent::Event(EventKind::Answer(Value::Any)));
                    // A 304 stands for the content in the client's cache, which is unknown.
                    let is_known = !is_encoded(message) && message.status() != Some(304);
                    if let (Err(why), true) = (read, is_known) {
                        said.push(TalkEvent::Wrong(format!("{shown} is no answer of the specification: {why}")));
                    }
                }
            }
        }
        if self.asked.pop_front().is_some_and(|asked| asked.is_foreign_change) {
            said.push(TalkEvent::ForeignOver);
        }
        if !message.keeps_alive {
            self.is_over = true;
            self.lose(said);
        }
    }

    fn end(&mut self, said: &mut Vec<TalkEvent>) {
        if !self.is_unclear {
            if !self.is_client_gone {
                self.answers.end();
                self.take_answers(said);
            }
            self.is_over = true;
            self.lose(said);
            if !self.requests.rest().is_empty() {
                // The server may have acted on the first line of the request.
                said.push(TalkEvent::Foreign("a request of which not all came".to_owned(), true));
                said.push(TalkEvent::ForeignOver);
            }
        }
    }

    /// Treats the rest of the connection as not understood.
    fn give_up(&mut self, why: String, said: &mut Vec<TalkEvent>) {
        self.lose(said);
        self.is_unclear = true;
        said.push(TalkEvent::Unclear(why));
    }

    /// Treats all requests without an answer as lost: they may have taken effect.
    fn lose(&mut self, said: &mut Vec<TalkEvent>) {
        if self.asked.iter().any(|asked| asked.request.is_some()) {
            said.push(TalkEvent::Event(EventKind::Lost));
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.asked.iter_mut().for_each(|asked| asked.request = None);
    }
}

/// Tests whether the content of a message is compressed or otherwise encoded, so that it is not understood.
fn is_encoded(message: &HttpMessage) -> bool {
    message.header("Content-Encoding").is_some_and(|coding| !coding.trim().eq_ignore_ascii_case("identity"))
}
