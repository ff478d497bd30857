//! Protocols: the initial state, one function that handles every request, and one for each `step`.

use super::Context;
use super::emit::{Body, Emitter, Label};
use crate::spec::check::{Handler, Param, Protocol, Res};
use crate::spec::code::{Op, Operand, Slot, Step};
use crate::syntax::ast::{Expr, ExprKind, NodeId, Trigger};
use crate::value::Value;

impl<'a> Context<'_, 'a> {
    pub(super) fn protocol(&mut self, protocol: &Protocol<'a>) {
        self.request = protocol.request;
        self.response = protocol.response;
        self.slots = protocol.vars.iter().map(|var| Slot { name: var.name.text.clone(), ty: var.ty }).collect();
        self.state_slots = self.slots.len() as u32;
        self.constant_slots();
        self.refuse_members(protocol);
        self.functions();
        for proc in &protocol.procs {
            let mut emitter = Emitter::new(self, proc.name.id, Body::Procedure);
            emitter.params(&proc.params);
            emitter.block(proc.body);
            emitter.end();
            let function = emitter.finish(&proc.name.text, proc.params.len() as u32);
            self.functions.push(function);
        }
        self.init = self.functions.len() as u32;
        self.initial_state(protocol);
        self.serve = self.functions.len() as u32;
        self.handlers(protocol);
        self.steps(protocol);
    }

    /// Constants that are not literals are slots behind the state, set once.
    fn constant_slots(&mut self) {
        for constant in &self.checked.consts {
            self.slots.push(Slot { name: constant.name.text.clone(), ty: constant.ty });
        }
    }

    fn refuse_members(&mut self, protocol: &Protocol) {
        for handler in &protocol.handlers {
            match handler.trigger {
                Trigger::Request(_) => {}
                Trigger::Open(span) => self.refuse(*span, "`on open`"),
                Trigger::Close(span) => self.refuse(*span, "`on close`"),
            }
        }
        for peer in &protocol.peers {
            self.refuse(peer.name.span, "`peer`");
        }
    }

    /// All functions, in the order of their numbers.
    pub(super) fn functions(&mut self) {
        for function in &self.checked.functions {
            let mut emitter = Emitter::new(self, function.body.id, Body::Procedure);
            emitter.params(&function.params);
            let src = emitter.expr_for(&function.name.text, function.body);
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
                emitter.set_slot(state_slots + at, value);
            }
        }
        for (slot, var) in protocol.vars.iter().enumerate() {
            emitter.subject.clone_from(&var.name.text);
            emitter.set_slot(slot as u32, var.value);
        }
        emitter.emit(Op::End);
        let function = emitter.finish("init", 0);
        self.functions.push(function);
    }

    /// Tries the handlers in their order; a request that none takes is the client's fault.
    fn handlers(&mut self, protocol: &Protocol) {
        let mut emitter = Emitter::new(self, protocol.name.id, Body::Handler);
        let (request, client) = (emitter.register(), emitter.register());
        for handler in &protocol.handlers {
            if let Trigger::Request(_) = handler.trigger {
                emitter.begin_part(client + 1);
                emitter.handler(handler, Operand::Register(request), client);
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

impl Context<'_, '_> {
    /// One function for each thing that the server may do by itself.
    fn steps(&mut self, protocol: &Protocol) {
        for step in &protocol.steps {
            let mut emitter = Emitter::new(self, step.id, Body::Handler);
            emitter.block(step.body);
            emitter.site = step.id;
            emitter.emit(Op::End);
            let function = emitter.finish("step", 0);
            self.steps.push(Step { function: self.functions.len() as u32, site: step.id, choice: None });
            self.functions.push(function);
        }
    }
}

impl Emitter<'_, '_, '_> {
    fn params(&mut self, params: &[Param]) {
        for param in params {
            self.bind(param.name.id);
        }
    }

    fn set_slot(&mut self, slot: u32, value: &Expr) {
        self.site = value.id;
        let src = self.expr(value);
        self.emit(Op::Store { slot, src });
    }

    fn handler(&mut self, handler: &Handler, request: Operand, client: u32) {
        let Trigger::Request(pattern) = handler.trigger else { return };
        self.site = handler.id;
        let mut next = Label::default();
        if let Some(cond) = self.pattern(pattern, request) {
            self.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
        }
        if let Some(name) = handler.from {
            let binding = match self.context.checked.tables.resolution(name.id) {
                Some(Res::Local(binding)) => binding,
                _ => name.id,
            };
            self.locals.insert(binding, client);
        }
        if let Some(guard) = handler.guard {
            let cond = self.expr(guard);
            self.emit_to(&mut next, Op::Branch { cond, otherwise: 0 });
        }
        self.block(handler.body);
        self.site = handler.id;
        self.emit(Op::End);
        self.place(next);
    }
}
