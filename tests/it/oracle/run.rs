//! One run of the oracle: a section executed from beginning to end, its choices taken from `draw`.
//!
//! Example: `either { n := 1; } or {}` draws below 2; with 0 drawn, `n` is 1 in the state in which the section ends.

use super::calls::Calls;
use super::tasks::{Begun, Effect};
use super::*;

/// How a block ended.
pub enum Flow {
    Next,
    Return(Option<Value>),
    Reply(Value),
}

/// A name in scope, with its type where one was written.
type Local<'a> = (&'a str, Value, Option<&'a TypeExpr>);

/// One run of a section.
pub struct Frame<'a, 'r> {
    pub oracle: &'r Oracle<'a>,
    pub state: State,
    pub locals: Vec<Local<'a>>,
    pub draw: &'r mut dyn FnMut(usize) -> usize,
    /// Those that the trace mentions or the run holds, see `Domains`.
    pub tokens: Vec<Value>,
    pub fuel: u32,
    /// Whose request it is.
    pub client: u64,
    /// The states in which sections behind a `yield` begin, as far as that is known; nothing where no other task runs.
    pub later: Option<Vec<Begun>>,
    /// The type of what the proc that runs returns.
    pub result: Option<&'a TypeExpr>,
    /// The effects of the section on clients,
    pub effects: Vec<Effect>,
    /// and the calls that it ends with.
    pub called: Option<Calls>,
}

impl<'a> Frame<'a, '_> {
    pub fn choose<T>(&mut self, mut alternatives: Vec<T>) -> Run<T> {
        match alternatives.len() {
            0 => Err(Stop::Pruned),
            n => Ok(alternatives.swap_remove((self.draw)(n))),
        }
    }

    pub fn choose_any(&mut self, ty: &'a TypeExpr) -> Run<Value> {
        let all = self.listed_once(ty);
        let chosen = match all.len() {
            0 => return Err(Stop::Pruned),
            n => all[(self.draw)(n)].clone(),
        };
        chosen.tokens(&mut self.tokens);
        Ok(chosen)
    }

    pub fn initialise(&mut self) -> Run<Option<Value>> {
        for member in self.oracle.members {
            if let MemberKind::Var { name, ty, value } = &member.kind {
                let value = self.eval(value, Some(ty))?;
                self.state.insert(name.text.clone(), value);
            }
        }
        Ok(None)
    }

    /// The request with values in the place of its holes.
    fn fill(&mut self, value: &Value, ty: Option<&'a TypeExpr>) -> Run<Value> {
        let oracle = self.oracle;
        Ok(match value {
            Value::Hole => self.choose_any(ty.expect("the oracle needs a type for a hole"))?,
            Value::Seq(values) => {
                let is_list = ty.is_some_and(|ty| matches!(oracle.kind(ty), TypeKind::List(_)));
                let part = |i: usize| oracle.part(ty, if is_list { 0 } else { i });
                let filled: Run<_> = values.iter().enumerate().map(|(i, v)| self.fill(v, part(i))).collect();
                Value::Seq(filled?)
            }
            Value::Map(map) => {
                let mut filled = BTreeMap::new();
                for (k, v) in map {
                    filled.insert(self.fill(k, oracle.part(ty, 0))?, self.fill(v, oracle.part(ty, 1))?);
                }
                Value::Map(filled)
            }
            Value::Data(name, values) => {
                let types = oracle.fields(ty, None, name);
                let of = |field: &str| types.iter().find(|(name, _)| name == field).map(|(_, ty)| *ty);
                let filled: Run<_> = values.iter().map(|(f, v)| Ok((f.clone(), self.fill(v, of(f))?))).collect();
                Value::Data(name.clone(), filled?)
            }
            Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Bytes(_) | Value::Token(_) => value.clone(),
            Value::Unit => Value::Unit,
        })
    }

    pub fn exchange(&mut self, request: &Value) -> Run<Option<Value>> {
        let request = &self.fill(request, self.oracle.request())?;
        if let Some(body) = self.oracle.machine {
            let choice = self.choose(self.oracle.domains.ints.clone())?;
            self.state.extend([("!0".to_owned(), Value::Int(choice)), ("!1".to_owned(), request.clone())]);
            self.block(body)?;
            self.state.remove("!0"); // both are overwritten before they are read again
            return Ok(self.state.remove("!1"));
        }
        for member in self.oracle.members {
            let MemberKind::On { trigger: Trigger::Request(pattern), from, guard, body } = &member.kind else {
                continue;
            };
            self.locals.clear();
            if !self.bind(pattern, request, self.oracle.request()) {
                continue;
            }
            self.locals.extend(from.iter().map(|name| (name.text.as_str(), Value::int(self.client as usize), None)));
            if guard.as_ref().map_or(Ok(true), |guard| self.holds(guard))? {
                return self.block(body).map(|end| if let Flow::Reply(reply) = end { Some(reply) } else { None });
            }
        }
        Err(Stop::Outside)
    }

    /// Runs the first handler that takes notice of what happens to a connection.
    pub fn notice(&mut self, is_it: &dyn Fn(&Trigger) -> bool) -> Run<()> {
        for member in self.oracle.members {
            let MemberKind::On { trigger, from, guard, body } = &member.kind else { continue };
            if !is_it(trigger) {
                continue;
            }
            self.locals.clear();
            self.locals.extend(from.iter().map(|name| (name.text.as_str(), Value::int(self.client as usize), None)));
            if guard.as_ref().map_or(Ok(true), |guard| self.holds(guard))? {
                return self.block(body).map(|_| ());
            }
        }
        Ok(())
    }

    /// Calls a peer: the section ends, or, where it is known what came behind it, goes on with the answer.
    pub fn call_peer(&mut self, args: &'a [Expr], message: &'a Expr) -> Run<Value> {
        let key = self.eval(&args[0], None)?;
        let request = self.eval(message, None)?;
        self.end_calling(Calls::of_one(key, request))
    }

    /// Calls several peers at once: see [`Frame::call_peer`].
    pub fn call_peers(
        &mut self,
        least: Option<&'a Expr>,
        [key, message]: [&'a Expr; 2],
        clauses: &'a [Clause],
    ) -> Run<Value> {
        let least = least.map(|least| self.eval(least, None)).transpose()?;
        let mut requests = BTreeMap::new();
        self.comprehend(clauses, &mut |run| {
            requests.insert(run.eval(key, None)?, run.eval(message, None)?);
            Ok(())
        })?;
        self.end_calling(Calls::of_several(requests, least.as_ref()))
    }

    fn end_calling(&mut self, calls: Calls) -> Run<Value> {
        let later = self.later.as_mut().expect("tasks that are interleaved");
        if later.is_empty() {
            self.called = Some(calls);
            return Err(Stop::Yielded);
        }
        let (state, answer) = later.remove(0);
        self.state = state;
        self.effects.clear();
        let answer = answer.expect("the peers have answered");
        self.state.values().chain([&answer]).for_each(|value| value.tokens(&mut self.tokens));
        Ok(answer)
    }

    pub fn block(&mut self, block: &'a Block) -> Run<Flow> {
        let mark = self.locals.len();
        for statement in &block.statements {
            let flow = self.statement(statement)?;
            if !matches!(flow, Flow::Next) {
                return Ok(flow);
            }
        }
        self.locals.truncate(mark);
        Ok(Flow::Next)
    }

    pub fn burn(&mut self) {
        self.fuel = self.fuel.checked_sub(1).expect("this run is too long for the oracle");
    }

    pub fn statement(&mut self, statement: &'a Statement) -> Run<Flow> {
        self.burn();
        let mark = self.locals.len();
        match &statement.kind {
            StatementKind::Let { pattern, ty, value } => match self.right_side(value, ty.as_ref())? {
                Ok(value) => self.must_bind(pattern, &value, ty.as_ref())?,
                Err(reply) => return Ok(Flow::Reply(reply)),
            },
            StatementKind::Var { name, ty, value } => match self.right_side(value, ty.as_ref())? {
                Ok(value) => self.locals.push((&name.text, value, ty.as_ref())),
                Err(reply) => return Ok(Flow::Reply(reply)),
            },
            StatementKind::Assign { place, value } => {
                if let Some(reply) = self.assign(place, value)? {
                    return Ok(Flow::Reply(reply));
                }
            }
            StatementKind::ProcCall { name, args } => {
                let ended = self.proc_call(&name.text, args)?;
                return Ok(if let Flow::Reply(reply) = ended { Flow::Reply(reply) } else { Flow::Next });
            }
            StatementKind::If { condition, then, otherwise } => {
                let holds = self.holds(condition)?;
                let branch = if holds { Some(then) } else { otherwise.as_ref() };
                self.locals.truncate(if holds { usize::MAX } else { mark });
                let flow = branch.map_or(Ok(Flow::Next), |branch| self.block(branch))?;
                self.locals.truncate(mark);
                return Ok(flow);
            }
            StatementKind::Match { subject, arms } => {
                let ty = self.type_of(subject);
                let subject = self.eval(subject, None)?;
                let body = self.arm(&subject, ty, arms)?;
                let flow = self.block(body)?;
                self.locals.truncate(mark);
                return Ok(flow);
            }
            StatementKind::For { binder, over, body } => {
                let ty = self.element_type(over);
                for value in self.eval(over, None)?.items() {
                    self.must_bind(binder, &value, ty)?;
                    let flow = self.block(body)?;
                    if !matches!(flow, Flow::Next) {
                        return Ok(flow);
                    }
                    self.locals.truncate(mark);
                }
            }
            StatementKind::While { condition, body } => {
                while self.holds(condition)? {
                    self.burn();
                    let flow = self.block(body)?;
                    if !matches!(flow, Flow::Next) {
                        return Ok(flow);
                    }
                    self.locals.truncate(mark);
                }
                self.locals.truncate(mark);
            }
            StatementKind::Either(blocks) => {
                let block = self.choose(blocks.iter().collect())?;
                return self.block(block);
            }
            StatementKind::Assume(e) => return if self.truth(e)? { Ok(Flow::Next) } else { Err(Stop::Pruned) },
            StatementKind::Expects(e) => return if self.truth(e)? { Ok(Flow::Next) } else { Err(Stop::Outside) },
            StatementKind::Reply(e) => return self.eval(e, self.oracle.response()).map(Flow::Reply),
            StatementKind::ReplyThen { answer, then } => {
                let answer = self.eval(answer, self.oracle.response())?;
                if self.oracle.contradicts(&answer) {
                    return Err(Stop::Pruned);
                }
                self.block(then)?;
                return Ok(Flow::Reply(answer));
            }
            StatementKind::Return(None) => return Ok(Flow::Return(None)),
            StatementKind::Return(Some(e)) => {
                let ty = self.result;
                return self.eval(e, ty).map(|value| Flow::Return(Some(value)));
            }
            StatementKind::Yield => match &mut self.later {
                None => (),
                Some(later) if later.is_empty() => return Err(Stop::Yielded),
                Some(later) => {
                    self.state = later.remove(0).0;
                    self.effects.clear();
                    self.state.values().for_each(|value| value.tokens(&mut self.tokens));
                }
            },
            StatementKind::PeerCall(call) => drop(self.eval(call, None)?),
            StatementKind::Close(client) => {
                let client = self.eval(client, None)?;
                self.effects.push(Effect::Close(client));
            }
            StatementKind::Send { to, message } => {
                let to = self.eval(to, None)?;
                let message = self.eval(message, self.oracle.response())?;
                self.effects.push(Effect::Send(to, message));
            }
            StatementKind::Error => panic!("the oracle does not know this statement"),
        }
        Ok(Flow::Next)
    }

    pub fn proc_call(&mut self, name: &str, args: &'a [Expr]) -> Run<Flow> {
        let (params, result, body) = self.oracle.procedure(name).expect("an undeclared proc");
        let inner = self.arguments(params, args)?;
        let outer = (std::mem::replace(&mut self.locals, inner), std::mem::replace(&mut self.result, result));
        let flow = self.block(body)?;
        (self.locals, self.result) = outer;
        Ok(flow)
    }

    /// The value of the right side of a declaration or assignment, or the reply that a proc called there gives.
    fn right_side(&mut self, e: &'a Expr, ty: Option<&'a TypeExpr>) -> Run<Result<Value, Value>> {
        match &e.kind {
            ExprKind::Call { name, args } if self.oracle.procedure(&name.text).is_some() => {
                match self.proc_call(&name.text, args)? {
                    Flow::Return(value) => Ok(Ok(value.expect("a value"))),
                    Flow::Reply(reply) => Ok(Err(reply)),
                    Flow::Next => panic!("a proc without a value"),
                }
            }
            _ => self.eval(e, ty).map(Ok),
        }
    }

    pub fn arguments(&mut self, params: &'a [Field], args: &'a [Expr]) -> Run<Vec<Local<'a>>> {
        let pairs = params.iter().zip(args);
        pairs.map(|(p, e)| Ok((p.name.text.as_str(), self.eval(e, Some(&p.ty))?, Some(&p.ty)))).collect()
    }

    /// The first arm that fits; what it binds is in scope.
    pub fn arm<B>(&mut self, subject: &Value, ty: Option<&'a TypeExpr>, arms: &'a [Arm<B>]) -> Run<&'a B> {
        let mark = self.locals.len();
        for arm in arms {
            if self.bind(&arm.pattern, subject, ty) && arm.guard.as_ref().map_or(Ok(true), |guard| self.holds(guard))? {
                return Ok(&arm.body);
            }
            self.locals.truncate(mark);
        }
        Err(Stop::Fault)
    }

    /// Assigns; the reply, where a proc on the right side gives one.
    pub fn assign(&mut self, place: &'a PlaceExpr, value: &'a Expr) -> Run<Option<Value>> {
        let root = match &place.root {
            PlaceRoot::Cell(k, _) => format!("!{k}"),
            PlaceRoot::Name(name) => name.text.clone(),
        };
        let local = self.locals.iter().rposition(|(name, ..)| *name == root);
        let mut ty = local.map_or_else(|| self.oracle.variable_type(&root), |i| self.locals[i].2);
        for step in &place.path {
            ty = match step {
                PlaceStep::Index(_) => self.oracle.part(ty, 1),
                PlaceStep::Field(field) => self.oracle.field_type(ty, &field.text),
            };
        }
        let value = match self.right_side(value, ty)? {
            Ok(value) => value,
            Err(reply) => return Ok(Some(reply)),
        };
        let mut keys = Vec::new();
        for step in &place.path {
            keys.push(match step {
                PlaceStep::Field(name) => Err(name.text.as_str()),
                PlaceStep::Index(index) => Ok(self.eval(index, None)?),
            });
        }
        let slot = match local {
            Some(i) => &mut self.locals[i].1,
            None => self.state.entry(root).or_insert(Value::int(0)),
        };
        value::store(slot, &keys, value).map(|()| None)
    }
}
