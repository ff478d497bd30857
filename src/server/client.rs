//! A random client of the server, whose requests keep the client's duty.
//!
//! A drawn request may break an `expects`, or may be one that no handler takes. Then it leaves no trace, and another one is tried:
//! first one of the same form with other scalars, and then one of this form that the current state allows. To find that one, the
//! handler runs with symbols in the place of the request's scalars (concolic execution). For example
//! `on q { expects q > last; last := q; … }` has seen 7, and the client drew 3. The one path that keeps the duty has the condition
//! q > 7, and q is drawn under it. If no request of this form keeps the duty, another form is drawn. After some forms the whole
//! request becomes a symbol.

use super::section::{PathSearch, RunPath, UNDECIDED};
use super::{Port, Reply, SectionDone, SectionStart, Server, Stop};
use crate::choice::Choices;
use crate::process::{Choice, Fresh};
use crate::scalar::{Int, Scalar, Sort};
use crate::solve::Model;
use crate::spec::Site;
use crate::term::{Term, Var};
use crate::value::Value;
use std::ops::RangeInclusive;

/// The most requests that are drawn in a row because all of them break the client's duty.
const DRAWS: u32 = 1_000;
/// The number of times that the scalars of a request are drawn again. Most duties are soon kept that way, which is cheaper than a
/// model.
const AGAIN: usize = 4;
/// The number of drawn requests that are changed into ones that the state allows, unless that is too hard.
const CHANGED: u32 = 16;
/// The most paths that are tried to change one request.
const PATHS: usize = 64;
/// The most clients that may send a request that is a symbol as a whole.
const CLIENTS: usize = 16;

/// A client's request, and its outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The client's number, from 1.
    pub client: u64,
    /// The request.
    pub request: Value,
    /// The outcome of the request.
    pub reply: Reply,
}

/// A request with symbols in it, with the scalar that was drawn in the place of each.
struct Wanted {
    request: Value,
    drawn: Vec<(Var, Scalar)>,
    facts: Vec<Term>,
}

/// A request that keeps the client's duty, and the outcome of its first section.
pub(super) struct KeptRequest {
    client: u64,
    pub request: Value,
    pub done: SectionDone,
}

/// The search for a request that keeps the client's duty.
struct RequestSearch<'a> {
    server: &'a mut Server,
    source: &'a mut dyn Choices,
    /// The clients, one of which sends the request.
    clients: RangeInclusive<u64>,
    /// The number of named tokens, without those in requests that were given up.
    names: usize,
    /// The duty that the last tried request breaks.
    broken: Site,
    /// Set if finding the requests that the state allows is too hard.
    is_hard: bool,
}

impl Server {
    /// Draws a request of one of `clients` that keeps the client's duty, and handles it, now and then after an internal step of the
    /// server.
    ///
    /// # Errors
    /// The server cannot go on; [`Stop::Outside`] if no request was found that keeps the duty.
    pub fn asked(&mut self, clients: u64, source: &mut dyn Choices) -> Result<Asked, Stop> {
        let before = self.drawing.tokens;
        let drawn = self.drawn(&(1..=clients), source)?;
        let after = self.drawing.tokens;
        self.idle(source)?;
        // Requests that are given up use no names of tokens, unless the server has made a token meanwhile.
        let names = if self.drawing.tokens == after { before } else { self.drawing.tokens };
        let asking =
            RequestSearch { server: self, source, clients: 1..=clients, names, broken: Site(0), is_hard: false };
        let KeptRequest { client, request, done } = asking.asked(drawn)?;
        Ok(Asked { client, request, reply: done.reply() })
    }

    /// Runs the first section of a client's request, or of another one if this one breaks the client's duty.
    pub(super) fn kept_or_another(
        &mut self,
        client: u64,
        request: Value,
        source: &mut dyn Choices,
    ) -> Result<KeptRequest, Stop> {
        let names = self.drawing.tokens;
        let clients = client..=client;
        let asking = RequestSearch { server: self, source, clients, names, broken: Site(0), is_hard: false };
        asking.asked((client, request))
    }

    fn drawn(&mut self, clients: &RangeInclusive<u64>, source: &mut dyn Choices) -> Result<(u64, Value), Stop> {
        let count = clients.end() - clients.start() + 1;
        let client = clients.start() + source.choose("client", count as usize).map_err(Stop::Choice)? as u64;
        Ok((client, self.draw_request(source).map_err(Stop::Choice)?))
    }
}

impl RequestSearch<'_> {
    fn asked(mut self, mut drawn: (u64, Value)) -> Result<KeptRequest, Stop> {
        for draw in 1..=DRAWS {
            let (client, request) = drawn;
            if let Some(asked) = self.kept_of_form(client, &request)? {
                return Ok(asked);
            }
            let changed = (draw <= CHANGED).then_some((client, Some(&request)));
            let any = self.clients.clone().take(CLIENTS).filter(|_| draw == CHANGED).map(|client| (client, None));
            for (client, like) in changed.into_iter().chain(any) {
                let possible = self.possible(client, like)?;
                let asked = possible.map(|request| self.kept(client, &request)).transpose()?;
                if let Some(asked) = asked.flatten() {
                    return Ok(asked);
                }
            }
            drawn = self.server.drawn(&self.clients, self.source)?;
        }
        Err(Stop::Outside(self.broken))
    }

    /// Handles a request if it keeps the client's duty, or else a request of the same form that keeps it; `None` if none is soon drawn.
    fn kept_of_form(&mut self, client: u64, request: &Value) -> Result<Option<KeptRequest>, Stop> {
        let mut asked = self.kept(client, request)?;
        for _ in 0..AGAIN {
            if asked.is_some() {
                break;
            }
            let Server { drawing, spec, .. } = &mut *self.server;
            let again = drawing
                .asking(&spec.types, self.source)
                .of_form(spec.program.request, request)
                .map_err(Stop::Choice)?;
            asked = self.kept(client, &again)?;
        }
        Ok(asked)
    }

    /// Handles a request if it keeps the client's duty; otherwise returns `None`, and nothing has happened.
    fn kept(&mut self, client: u64, request: &Value) -> Result<Option<KeptRequest>, Stop> {
        match self.server.run(&SectionStart::Request(Port(client), request.clone()), self.source) {
            Err(Stop::Outside(site)) => {
                self.broken = site;
                self.server.drawing.tokens = self.names;
                Ok(None)
            }
            done => Ok(Some(KeptRequest { client, request: request.clone(), done: done? })),
        }
    }

    /// A request that has a run in the current state, if possible one like a drawn request; the state does not change.
    ///
    /// # Errors
    /// The source of choices fails.
    fn possible(&mut self, client: u64, like: Option<&Value>) -> Result<Option<Value>, Stop> {
        if self.is_hard {
            return Ok(None);
        }
        match self.found(client, like) {
            Ok(request) => return Ok(Some(request)),
            Err(Stop::Choice(error)) => return Err(Stop::Choice(error)),
            Err(Stop::Limit(_) | Stop::Undecided(_)) => self.is_hard = true,
            Err(Stop::Outside(_) | Stop::Stuck(_) | Stop::Fault(_) | Stop::Mismatch(_)) => {}
        }
        Ok(None)
    }

    fn found(&mut self, client: u64, like: Option<&Value>) -> Result<Value, Stop> {
        let server = &mut *self.server;
        let last = server.open.as_ref().map_or(0, |open| open.fresh.last);
        let mut fresh = Fresh { last: last.max(server.drawing.fresh().last) };
        let wanted = server.wanted(like, &mut fresh);
        let mut path = server.copy_with(&SectionStart::Request(Port(client), wanted.request.clone()))?;
        let mut search = PathSearch { paths: PATHS, ..server.search(fresh, self.source) };
        wanted.facts.iter().try_for_each(|fact| path.assume(fact, search.solver)).map_err(|_| UNDECIDED)?;
        search.first(path, &mut |search, path, _| search.request(path, &wanted))
    }
}

impl Server {
    /// The request to be found: all of it is a symbol, or only the scalars of a drawn one are.
    fn wanted(&mut self, like: Option<&Value>, fresh: &mut Fresh) -> Wanted {
        let (types, ty) = (&self.spec.types, self.spec.program.request);
        let (request, mut facts) = match like {
            Some(like) => fresh.fill_holes(types, ty, &holed(like)),
            None => fresh.havoc(types, &Choice::Type(ty)),
        };
        let mut drawn = Vec::new();
        like.into_iter().for_each(|like| pair(&request, like, &mut drawn));
        if let Some((low, high)) = self.drawing.ranges.request {
            integers(&request, &mut |term| {
                facts.extend([Term::le(&Term::int(low), term), Term::lt(term, &Term::int(high))]);
            });
        }
        Wanted { request, drawn, facts }
    }
}

impl PathSearch<'_> {
    /// The request of a path, with all parts known. It has the drawn scalars as far as the conditions allow them.
    fn request(&mut self, mut path: RunPath, wanted: &Wanted) -> Result<Value, Stop> {
        for (var, drawn) in &wanted.drawn {
            self.prefer(&mut path, *var, [drawn.clone()])?;
        }
        let request = self.answer(&mut path, wanted.request.clone(), &mut Model::default())?;
        self.decide_open(&mut path)?;
        let mut is_within = true;
        if let Some((low, high)) = self.drawing.ranges.request {
            let within = |number: &Int| Int::from(low) <= *number && *number < Int::from(high);
            integers(&request, &mut |term| is_within &= term.as_int().is_none_or(within));
        }
        if is_within { Ok(request) } else { Err(UNDECIDED) }
    }
}

/// The value with holes in the place of its scalars, except for those in maps and sets.
fn holed(value: &Value) -> Value {
    match value {
        Value::Scalar(_) => Value::Any,
        Value::Data { tag, .. } => Value::data(*tag, value.fields().iter().map(holed).collect::<Vec<_>>()),
        Value::List(list) => Value::list(list.iter().map(holed)),
        Value::Map(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => value.clone(),
        Value::Unknown(_) | Value::Any | Value::Absent => value.clone(),
    }
}

/// Collects the variables of a value, each with the scalar in its place in another value.
fn pair(value: &Value, drawn: &Value, pairs: &mut Vec<(Var, Scalar)>) {
    match (value, drawn) {
        (Value::Term(term), Value::Scalar(scalar)) => pairs.extend(term.as_var().map(|var| (var, scalar.clone()))),
        (Value::List(list), Value::List(others)) => {
            list.iter().zip(others.iter()).for_each(|(value, drawn)| pair(value, drawn, pairs));
        }
        _ => value.fields().iter().zip(drawn.fields()).for_each(|(value, drawn)| pair(value, drawn, pairs)),
    }
}

/// Visits the integers of a value, except for those in maps and sets.
fn integers(value: &Value, visit: &mut dyn FnMut(&Term)) {
    match value {
        Value::Scalar(_) | Value::Term(_) => {
            value.as_term().iter().filter(|term| term.sort() == Sort::Int).for_each(visit);
        }
        Value::Data { .. } => value.fields().iter().for_each(|field| integers(field, visit)),
        Value::List(list) => list.iter().for_each(|element| integers(element, visit)),
        Value::Open(list) => {
            list.iter().filter_map(|item| item.look().value()).for_each(|value| integers(value, visit))
        }
        Value::Union(ways) => ways.iter().for_each(|(_, value)| integers(value, visit)),
        Value::Map(_) | Value::Unknown(_) | Value::Any | Value::Absent => {}
    }
}
