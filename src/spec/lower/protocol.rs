//! Lowering of protocols: the initial state, one function for all requests, one for each `step`, and those for connections that open or
//! close, and for restarts.

use super::Lowering;
use super::emit::{BlockExit, Body, Emitter, JumpTarget};
use super::pattern::lower_pattern;
use super::statement::{end_function, end_with_value, lower_block};
use super::subject::expr_for;
use crate::diagnostic::Span;
use crate::spec::check::{Handler, Param, Peer, Proc, Protocol, Res};
use crate::spec::code::{Op, Operand, Slot, SpecPeer, SpecStep};
use crate::syntax::ast::{Expr, ExprKind, NodeId, Pattern, Trigger};
use crate::value::Value;

impl<'a> Lowering<'_, 'a> {
    pub(super) fn protocol(&mut self, protocol: &Protocol<'a>) {
        self.request = protocol.request;
        self.response = protocol.response;
        self.slots = protocol.vars.iter().map(|var| Slot { name: var.name.text.clone(), ty: var.ty }).collect();
        self.state_slots = self.slots.len() as u32;
        self.constant_slots();
        self.peers = protocol.peers.iter().map(peer).collect();
        self.functions();
        for proc in &protocol.procs {
            self.procedure(proc);
        }
        self.init = self.functions.len() as u32;
        self.initial_state(protocol);
        self.serve = self.functions.len() as u32;
        self.handlers(protocol);
        self.opens = self.connection_handlers(protocol, "open", |trigger| match trigger {
            Trigger::Open(span) => Some(*span),
            Trigger::Request(_) | Trigger::Close(_) | Trigger::Restart(_) => None,
        });
        self.closes = self.connection_handlers(protocol, "close", |trigger| match trigger {
            Trigger::Close(span) => Some(*span),
            Trigger::Request(_) | Trigger::Open(_) | Trigger::Restart(_) => None,
        });
        self.restarts = self.restart_handler(protocol);
        self.steps(protocol);
    }

    fn procedure(&mut self, proc: &Proc) {
        let mut emitter = Emitter::new(self, proc.name.id, Body::Procedure);
        bind_params(&mut emitter, &proc.params);
        if proc.result.is_some() {
            let (result, subject) = (emitter.register(), proc.name.text.clone());
            emitter.way_out = Some(BlockExit { result, end: JumpTarget::default(), subject });
        }
        lower_block(&mut emitter, proc.body);
        match emitter.way_out.take() {
            Some(way_out) => end_with_value(&mut emitter, way_out),
            None => end_function(&mut emitter),
        }
        let function = emitter.finish(&proc.name.text, proc.params.len() as u32);
        self.functions.push(function);
    }

    /// Adds the slots of constants, after those of the state; constants that are no literals are set once.
    fn constant_slots(&mut self) {
        for constant in &self.checked.consts {
            self.slots.push(Slot { name: constant.name.text.clone(), ty: constant.ty });
        }
    }

    /// Compiles all functions, in the order of their numbers.
    pub(super) fn functions(&mut self) {
        for function in &self.checked.functions {
            let mut emitter = Emitter::new(self, function.body.id, Body::Procedure);
            bind_params(&mut emitter, &function.params);
            let src = expr_for(&mut emitter, &function.name.text, function.body);
            emitter.emit(Op::Return { src });
            let function = emitter.finish(&function.name.text, function.params.len() as u32);
            self.functions.push(function);
        }
    }

    fn initial_state(&mut self, protocol: &Protocol) {
        let checked = self.checked;
        let state_slots = self.state_slots;
        let mut emitter = Emitter::new(self, NodeId(0), Body::Handler);
        for at in &checked.const_order {
            let value = checked.consts[*at as usize].value;
            if !matches!(value.kind, ExprKind::Int(_) | ExprKind::Bool(_)) {
                set_slot(&mut emitter, state_slots + at, value);
            }
        }
        for (slot, var) in protocol.vars.iter().enumerate() {
            emitter.subject.clone_from(&var.name.text);
            set_slot(&mut emitter, slot as u32, var.value);
        }
        emitter.emit(Op::End);
        let function = emitter.finish("init", 0);
        self.functions.push(function);
    }

    /// Compiles the handlers of requests to one function, which tries them in their order. A request that no handler takes breaks the
    /// client's duty.
    fn handlers(&mut self, protocol: &Protocol) {
        let mut emitter = Emitter::new(self, protocol.name.id, Body::Handler);
        let (request, client) = (emitter.register(), emitter.register());
        for handler in &protocol.handlers {
            if let Trigger::Request(pattern) = handler.trigger {
                emitter.begin_part(client + 1);
                handle(&mut emitter, handler, Some((pattern, Operand::Register(request))), client);
            }
        }
        emitter.site = protocol.name.id;
        let cond = emitter.constant(Value::from(false));
        emitter.emit(Op::Expects { cond });
        emitter.emit(Op::End);
        let function = emitter.finish("on", 2);
        self.functions.push(function);
    }
}

impl<'a> Lowering<'_, 'a> {
    /// Compiles the handlers of connections that open, or close, to one function, which tries them in their order; nothing if there is
    /// none.
    fn connection_handlers(
        &mut self,
        protocol: &Protocol<'a>,
        name: &str,
        place: fn(&Trigger) -> Option<Span>,
    ) -> Option<u32> {
        let handlers: Vec<_> = protocol.handlers.iter().filter(|handler| place(handler.trigger).is_some()).collect();
        let first = handlers.first()?.id;
        for span in handlers.iter().filter_map(|handler| place(handler.trigger)) {
            self.refuse_alone(span, &format!("`on {name}`"));
        }
        let mut emitter = Emitter::new(self, first, Body::Handler);
        let client = emitter.register();
        for handler in handlers {
            emitter.begin_part(client + 1);
            handle(&mut emitter, handler, None, client);
        }
        emitter.emit(Op::End);
        let function = emitter.finish(name, 1);
        self.functions.push(function);
        Some(self.functions.len() as u32 - 1)
    }

    /// Compiles the handler of restarts, if there is one.
    fn restart_handler(&mut self, protocol: &Protocol<'a>) -> Option<u32> {
        let handler = protocol.handlers.iter().find(|handler| matches!(handler.trigger, Trigger::Restart(_)))?;
        let mut emitter = Emitter::new(self, handler.id, Body::Handler);
        let client = emitter.register();
        handle(&mut emitter, handler, None, client);
        emitter.emit(Op::End);
        let function = emitter.finish("restart", 0);
        self.functions.push(function);
        Some(self.functions.len() as u32 - 1)
    }

    /// Compiles each internal step of the server to a function.
    fn steps(&mut self, protocol: &Protocol) {
        for step in &protocol.steps {
            let mut emitter = Emitter::new(self, step.id, Body::Handler);
            lower_block(&mut emitter, step.body);
            emitter.site = step.id;
            emitter.emit(Op::End);
            let function = emitter.finish("step", 0);
            self.steps.push(SpecStep { function: self.functions.len() as u32, site: step.id, choice: None });
            self.functions.push(function);
        }
    }
}

fn bind_params(e: &mut Emitter, params: &[Param]) {
    for param in params {
        e.bind(param.name.id);
    }
}

fn set_slot(e: &mut Emitter, slot: u32, value: &Expr) {
    e.site = value.id;
    let src = e.expr(value);
    e.emit(Op::Store { slot, src });
}

fn peer(peer: &Peer) -> SpecPeer {
    SpecPeer { name: peer.name.text.clone(), key: peer.key, request: peer.request, response: peer.response }
}

/// Emits a handler: its body runs if the request, if there is one, fits the pattern, and the guard holds.
fn handle(e: &mut Emitter, handler: &Handler, request: Option<(&Pattern, Operand)>, client: u32) {
    e.site = handler.id;
    let mut next = JumpTarget::default();
    let fits = request.and_then(|(pattern, request)| lower_pattern(e, pattern, request));
    if let Some(cond) = fits {
        e.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
    }
    if let Some(name) = handler.from {
        let binding = match e.context.checked.tables.resolution(name.id) {
            Some(Res::Local(binding)) => binding,
            _ => name.id,
        };
        e.locals.insert(binding, client);
    }
    if let Some(guard) = handler.guard {
        let cond = e.expr(guard);
        e.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
    }
    lower_block(e, handler.body);
    e.site = handler.id;
    e.emit(Op::End);
    e.place(next);
}
