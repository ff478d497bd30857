//! A second, naive interpreter of the `Ast`: known values, listed choices, builtins of its own.
//!
//! It keeps *every* state that a server could be in after each event (a trace is valid iff some sequence
//! of choices makes the server produce it), by running each handler once for every sequence of choices. It
//! shares nothing with the product but the parser, so that two implementations of the semantics can be compared.
//!
//! Example: of `on q { if q <= n { reply 0; } n := choose int; reply 1; }` with integers -9..=9 the trace
//! `{"q": 5, "a": 1}` leaves 19 states and `{"q": 2, "a": 0}` after it leaves the 8 with `n >= 2`.

use mayhap::diagnostic::FileId;
use mayhap::syntax::ast::*;
use num_bigint::BigInt;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub mod calls;
pub mod domain;
mod expression;
mod itself;
pub mod json;
mod pattern;
mod rules;
mod run;
pub mod tasks;
pub mod value;
mod variations;

pub use domain::Domains;
pub use json::Json;
use run::Frame;
pub use value::Value;

/// The tree of a text without errors.
pub fn load(text: &str) -> File {
    let parsed = mayhap::syntax::parse(text, FileId(0), NodeId(0));
    assert!(parsed.diagnostics.is_empty(), "{:?} in\n{text}", parsed.diagnostics);
    parsed.file
}

/// The protocol's variables, or a machine's cells.
pub type State = BTreeMap<String, Value>;

/// What was observed after a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Is(Json),
    Nothing,
    Hole,
    Lost,
    /// Nothing: there was no request, and the system was killed and started again.
    Restarted,
}

/// What brute force says about a trace; events count from 1.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Accept {
        states: BTreeSet<State>,
    },
    Reject {
        event: usize,
    },
    Outside {
        event: usize,
    },
    Fault {
        event: usize,
    },
    /// More runs than `Domains::runs`.
    TooLarge,
}

/// Why a run goes no further.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stop {
    /// An `assume` or `where` is false, a `pick` has nothing to pick from: there is no such run.
    Pruned,
    /// The specification is wrong here.
    Fault,
    /// The client broke its duty: everything may follow.
    Outside,
    /// Other tasks may run before it goes on.
    Yielded,
}

pub type Run<T> = Result<T, Stop>;

/// The parameters of a proc, the type of its value if it returns one, and its body.
type Procedure<'a> = (&'a [Field], Option<&'a TypeExpr>, &'a Block);

/// How one section ended: the state after it and the reply, if any.
pub type End = Run<(State, Option<Value>)>;

/// A message under way, with its client.
type SentTo = (u64, Value);

/// The runs that left what a clean run may do, by what they had sent: the first event at which one did.
#[derive(Clone, Default)]
struct Unclean(BTreeMap<(Stop, Vec<SentTo>), usize>);

impl Unclean {
    /// The clean ends; of the others only the event is kept.
    fn sift(&mut self, ends: Vec<End>, event: usize) -> impl Iterator<Item = (State, Option<Value>)> + use<> {
        ends.iter().filter_map(|end| end.as_ref().err()).for_each(|stop| self.note(*stop, event, &[]));
        ends.into_iter().filter_map(Result::ok)
    }

    /// Notes a run that had sent this.
    fn note(&mut self, stop: Stop, event: usize, sent: &[SentTo]) {
        if matches!(stop, Stop::Fault | Stop::Outside) {
            self.0.entry((stop, sent.to_vec())).or_insert(event);
        }
    }

    /// Goes on with what may be under way of each run after something was observed.
    fn follow(&mut self, following: impl Fn(Vec<SentTo>) -> Vec<Vec<SentTo>>) {
        for ((stop, sent), event) in std::mem::take(&mut self.0) {
            following(sent).into_iter().for_each(|sent| self.note(stop, event, &sent));
        }
    }

    /// What is said when no clean state is left after `event`.
    fn verdict(&self, event: usize) -> Outcome {
        let first =
            |wanted: Stop| self.0.iter().filter(|((stop, _), _)| *stop == wanted).map(|(_, event)| *event).min();
        match (first(Stop::Fault), first(Stop::Outside)) {
            (Some(event), _) => Outcome::Fault { event },
            (None, Some(event)) => Outcome::Outside { event },
            (None, None) => Outcome::Reject { event },
        }
    }
}

/// The choices of one run: a script of (taken, alternatives), extended by zeros where it ends.
#[derive(Default)]
struct Choices {
    script: Vec<(usize, usize)>,
    at: usize,
}

impl Choices {
    fn choose(&mut self, alternatives: usize) -> usize {
        if self.at == self.script.len() {
            self.script.push((0, alternatives));
        }
        self.at += 1;
        self.script[self.at - 1].0
    }

    /// The next script in lexicographic order; false after the last.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while self.script.last().is_some_and(|(taken, alternatives)| taken + 1 == *alternatives) {
            self.script.pop();
        }
        self.script.last_mut().map(|last| last.0 += 1).is_some()
    }
}

/// The values of types that were enumerated already.
type Listed = BTreeMap<(usize, Vec<Value>), Rc<Vec<Value>>>;

/// A specification to be judged by.
pub struct Oracle<'a> {
    file: &'a File,
    members: &'a [Member],
    machine: Option<&'a Block>,
    pub domains: Domains,
    /// The tokens that a trace mentions.
    tokens: Vec<Value>,
    /// What a claimed run chose at the event at hand, where one is examined: `choose` ranges over these.
    claimed: Option<Vec<Json>>,
    /// Domains that were listed, by the place of the type and the tokens that there were.
    listed: RefCell<Listed>,
    runs: Cell<usize>,
    /// The answer that was seen of the request at hand, if that is known.
    seen: RefCell<Option<Value>>,
}

/// A run that someone claims to explain a trace: for the beginning and for each event all that was chosen, in any order.
pub type Claim = Vec<Vec<Json>>;

impl<'a> Oracle<'a> {
    /// The machine or protocol called `name`, or the first one.
    pub fn new(file: &'a File, name: Option<&str>, domains: Domains) -> Oracle<'a> {
        let wanted = |n: &Name| name.is_none_or(|name| name == n.text);
        let found = file.items.iter().find_map(|item| match &item.kind {
            ItemKind::Machine { name, body } if wanted(name) => Some((&[][..], Some(body))),
            ItemKind::Protocol { name, members, .. } if wanted(name) => Some((&members[..], None)),
            _ => None,
        });
        let (members, machine) = found.expect("the file has no such machine or protocol");
        Oracle {
            file,
            members,
            machine,
            domains,
            tokens: Vec::new(),
            claimed: None,
            listed: RefCell::default(),
            runs: Cell::new(0),
            seen: RefCell::default(),
        }
    }

    /// Judges a trace by keeping every reachable state.
    pub fn brute_force(&mut self, trace: &[(Json, Answer)]) -> Outcome {
        self.explain(trace, None)
    }

    /// Judges a trace by the runs that choose only what is claimed: acceptance is proven by it, nothing else is.
    pub fn examine(&mut self, trace: &[(Json, Answer)], claim: &Claim) -> Outcome {
        self.explain(trace, Some(claim))
    }

    fn explain(&mut self, trace: &[(Json, Answer)], claim: Option<&Claim>) -> Outcome {
        self.tokens = self.mentioned(trace);
        let mut unclean = Unclean::default();
        let claimed = |event: usize| claim.map(|claim| claim.get(event).cloned().unwrap_or_default());
        self.claimed = claimed(0);
        let mut states: BTreeSet<State> = unclean.sift(self.initial(), 1).map(|(state, _)| state).collect();
        for (event, (request, answer)) in (1..).zip(trace) {
            self.claimed = claimed(event);
            let before = self.stepped(states, &mut unclean, event);
            let lost = before.iter().filter(|_| *answer == Answer::Lost).cloned();
            let mut after: BTreeSet<State> = lost.collect();
            *self.seen.borrow_mut() = match answer {
                Answer::Is(json) => Some(self.decode(json, self.response())),
                Answer::Nothing | Answer::Restarted | Answer::Hole | Answer::Lost => None,
            };
            for state in &before {
                let ends = match answer {
                    Answer::Restarted => self.restarts(state),
                    _ => self.exchange(state, request),
                };
                let ends = unclean.sift(ends, event);
                after.extend(ends.filter(|(_, reply)| self.fits(reply.as_ref(), answer)).map(|(state, _)| state));
            }
            if self.runs.get() > self.domains.runs {
                return Outcome::TooLarge;
            }
            if after.is_empty() {
                return unclean.verdict(event);
            }
            states = after;
        }
        Outcome::Accept { states }
    }

    fn mentioned(&self, trace: &[(Json, Answer)]) -> Vec<Value> {
        let mut tokens = Vec::new();
        for (request, answer) in trace.iter().filter(|(_, answer)| *answer != Answer::Restarted) {
            self.decode(request, self.request()).tokens(&mut tokens);
            if let Answer::Is(answer) = answer {
                self.decode(answer, self.response()).tokens(&mut tokens);
            }
        }
        tokens
    }

    /// What the server may make of the states by itself.
    fn stepped(&self, mut states: BTreeSet<State>, unclean: &mut Unclean, event: usize) -> BTreeSet<State> {
        let mut queue: Vec<State> = states.iter().cloned().collect();
        while let Some(state) = queue.pop() {
            let new = unclean.sift(self.steps(&state), event).map(|(state, _)| state).filter(|s| !states.contains(s));
            let new: Vec<State> = new.collect();
            states.extend(new.iter().cloned());
            queue.extend(new);
            if self.runs.get() > self.domains.runs {
                break;
            }
        }
        states
    }

    /// Whether another answer than this one was seen.
    pub fn contradicts(&self, answer: &Value) -> bool {
        self.seen.borrow().as_ref().is_some_and(|seen| !answer.shows(seen))
    }

    fn fits(&self, reply: Option<&Value>, answer: &Answer) -> bool {
        match answer {
            Answer::Is(json) => reply.is_some_and(|reply| reply.shows(&self.decode(json, self.response()))),
            Answer::Nothing | Answer::Restarted => reply.is_none(),
            Answer::Hole => reply.is_some(),
            Answer::Lost => true,
        }
    }

    /// All ways to begin.
    pub fn initial(&self) -> Vec<End> {
        self.all_runs(&State::new(), |run| run.initialise())
    }

    /// All ways to take the request in the state.
    pub fn exchange(&self, state: &State, request: &Json) -> Vec<End> {
        let request = self.decode(request, self.request());
        self.all_runs(state, |run| run.exchange(&request))
    }

    /// One way to take the request, its choices drawn by `draw(alternatives)`.
    pub fn draw_exchange(&self, state: &State, request: &Json, draw: &mut dyn FnMut(usize) -> usize) -> End {
        let request = self.decode(request, self.request());
        self.one_run(state, draw, |run| run.exchange(&request))
    }

    /// All ways to start again in the state.
    fn restarts(&self, state: &State) -> Vec<End> {
        self.all_runs(state, |run| run.notice(&|trigger| matches!(trigger, Trigger::Restart(_))).map(|()| None))
    }

    /// One way to start again, drawn likewise.
    pub fn draw_restart(&self, state: &State, draw: &mut dyn FnMut(usize) -> usize) -> End {
        self.one_run(state, draw, |run| run.notice(&|trigger| matches!(trigger, Trigger::Restart(_))).map(|()| None))
    }

    /// One way to begin, drawn likewise.
    pub fn draw_initial(&self, draw: &mut dyn FnMut(usize) -> usize) -> End {
        self.one_run(&State::new(), draw, |run| run.initialise())
    }

    /// One thing that the server may do by itself, drawn likewise.
    pub fn draw_step(&self, state: &State, draw: &mut dyn FnMut(usize) -> usize) -> End {
        let blocks: Vec<&Block> = self.step_blocks().collect();
        let block = blocks[draw(blocks.len())];
        self.one_run(state, draw, |run| run.block(block).map(|_| None))
    }

    /// Whether the server does anything by itself.
    pub fn has_steps(&self) -> bool {
        self.step_blocks().next().is_some()
    }

    fn step_blocks(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        self.members.iter().filter_map(|m| if let MemberKind::Step(b) = &m.kind { Some(b) } else { None })
    }

    fn steps(&self, state: &State) -> Vec<End> {
        let runs = |block| self.all_runs(state, |run| run.block(block).map(|_| None));
        self.step_blocks().flat_map(runs).collect()
    }

    fn all_runs(&self, state: &State, section: impl Fn(&mut Frame<'a, '_>) -> Run<Option<Value>>) -> Vec<End> {
        let (mut choices, mut ends) = (Choices::default(), BTreeSet::new());
        loop {
            ends.insert(self.one_run(state, &mut |n| choices.choose(n), &section));
            self.runs.set(self.runs.get() + 1);
            if !choices.advance() || self.runs.get() > self.domains.runs {
                return ends.into_iter().collect();
            }
        }
    }

    fn one_run(
        &self,
        state: &State,
        draw: &mut dyn FnMut(usize) -> usize,
        section: impl Fn(&mut Frame<'a, '_>) -> Run<Option<Value>>,
    ) -> End {
        let tokens = self.tokens.clone();
        let (state, locals) = (state.clone(), Vec::new());
        let (effects, called) = (Vec::new(), None);
        let fuel = 1_000_000;
        let mut frame = Frame {
            oracle: self,
            state,
            locals,
            draw,
            tokens,
            fuel,
            client: 1,
            later: None,
            result: None,
            effects,
            called,
        };
        frame.state.values().for_each(|value| value.tokens(&mut frame.tokens));
        let reply = section(&mut frame)?;
        Ok((frame.state, reply))
    }

    /// Whether a string literal that is wanted here is bytes.
    fn is_bytes(&self, want: Option<&'a TypeExpr>) -> bool {
        want.is_some_and(|ty| matches!(self.kind(ty), TypeKind::Name(name) if name.text == "bytes"))
    }

    fn is_token(&self, ty: &'a TypeExpr) -> bool {
        let declared = |name: &str| matches!(self.item(name), Some(ItemKind::Token(_)));
        self.is_json(ty) || matches!(self.kind(ty), TypeKind::Name(name) if declared(&name.text))
    }

    /// The item that declares a type, a constant or a function.
    fn item(&self, wanted: &str) -> Option<&'a ItemKind> {
        let declares = |kind: &ItemKind| match kind {
            ItemKind::Const { name, .. } | ItemKind::Alias { name, .. } | ItemKind::Token(name) => name.text == wanted,
            ItemKind::Struct { name, .. } | ItemKind::Enum { name, .. } => name.text == wanted,
            ItemKind::Function { name, .. } => name.text == wanted,
            ItemKind::Use(_) | ItemKind::Machine { .. } | ItemKind::Protocol { .. } => false,
        };
        self.file.items.iter().map(|item| &item.kind).find(|kind| declares(kind))
    }

    /// A type without its aliases.
    fn kind(&self, ty: &'a TypeExpr) -> &'a TypeKind {
        match &ty.kind {
            TypeKind::Name(name) => match self.item(&name.text) {
                Some(ItemKind::Alias { ty, .. }) => self.kind(ty),
                _ => &ty.kind,
            },
            kind => kind,
        }
    }

    /// The i-th part of a compound type: element, key and value, component.
    fn part(&self, ty: Option<&'a TypeExpr>, i: usize) -> Option<&'a TypeExpr> {
        match self.kind(ty?) {
            TypeKind::Option(inner) | TypeKind::List(inner) | TypeKind::Set(inner) => Some(inner),
            TypeKind::Map(key, value) => Some(if i == 0 { key } else { value }),
            TypeKind::Tuple(types) => types.get(i),
            TypeKind::Name(_) | TypeKind::Error => None,
        }
    }

    /// The declared fields of a record or variant: of the expected or named enum, else of the struct, else of any enum.
    fn fields(&self, want: Option<&'a TypeExpr>, enumeration: Option<&str>, name: &str) -> Vec<(String, &'a TypeExpr)> {
        let expected =
            want.and_then(|ty| if let TypeKind::Name(n) = self.kind(ty) { self.item(&n.text) } else { None });
        let all = self.file.items.iter().map(|item| &item.kind);
        let candidates = enumeration.and_then(|e| self.item(e)).into_iter().chain(expected).chain(self.item(name));
        let fields = |kind: &'a ItemKind| match kind {
            ItemKind::Struct { name: n, fields, .. } if n.text == name => Some(record(fields)),
            ItemKind::Enum { variants, .. } => variants.iter().find(|v| v.name.text == name).map(payload),
            _ => None,
        };
        if let (Some(inner), "Some") = (self.part(want, 0), name) {
            return vec![("0".to_owned(), inner)];
        }
        candidates.chain(all).find_map(fields).unwrap_or_default()
    }

    fn field_type(&self, ty: Option<&'a TypeExpr>, field: &str) -> Option<&'a TypeExpr> {
        let TypeKind::Name(name) = self.kind(ty?) else { return None };
        self.fields(ty, None, &name.text).into_iter().find(|(name, _)| name == field).map(|(_, ty)| ty)
    }

    fn find_member<T>(&self, select: impl Fn(&'a MemberKind) -> Option<T>) -> Option<T> {
        self.members.iter().find_map(|member| select(&member.kind))
    }

    fn procedure(&self, name: &str) -> Option<Procedure<'a>> {
        self.find_member(|member| match member {
            MemberKind::Proc { name: own, params, result, body } if own.text == name => {
                Some((&params[..], result.as_ref(), body))
            }
            _ => None,
        })
    }

    fn variable_type(&self, variable: &str) -> Option<&'a TypeExpr> {
        self.find_member(|m| match m {
            MemberKind::Var { name, ty, .. } if name.text == variable => Some(ty),
            _ => None,
        })
    }

    /// The type of requests; none in a machine, where it is int.
    pub fn request(&self) -> Option<&'a TypeExpr> {
        self.find_member(|m| if let MemberKind::Request(ty) = m { Some(ty) } else { None })
    }

    /// The type of replies, likewise.
    pub fn response(&self) -> Option<&'a TypeExpr> {
        self.find_member(|m| if let MemberKind::Response(ty) = m { Some(ty) } else { None })
    }
}

fn record(fields: &[Field]) -> Vec<(String, &TypeExpr)> {
    fields.iter().map(|field| (field.name.text.clone(), &field.ty)).collect()
}

fn payload(variant: &Variant) -> Vec<(String, &TypeExpr)> {
    match &variant.payload {
        Payload::Unit => Vec::new(),
        Payload::Tuple(types) => types.iter().enumerate().map(|(i, ty)| (i.to_string(), ty)).collect(),
        Payload::Record(fields) => record(fields),
    }
}

fn integer(n: &mayhap::scalar::Int) -> BigInt {
    n.to_string().parse().expect("decimal")
}
