//! Emitting the instructions of one function: registers, labels, names.

use rustc_hash::FxHashMap;

use super::{Context, UnknownMaps};
use crate::spec::code::{Function, Op, Operand, Pc, Register};
use crate::spec::passes::Code;
use crate::spec::types::{Type, TypeId};
use crate::syntax::ast::NodeId;
use crate::value::Value;

/// The function that is being emitted.
pub(super) struct Emitter<'e, 'c, 'a> {
    pub(super) context: &'e mut Context<'c, 'a>,
    pub(super) code: Vec<Op>,
    origin: Vec<NodeId>,
    counting: Vec<Pc>,
    parts: Vec<Pc>,
    /// The next register.
    registers: u32,
    /// The most registers that a part has used.
    most: u32,
    /// The registers of names that are bound, by the node that binds them.
    pub(super) locals: FxHashMap<NodeId, Register>,
    /// The node that the next instructions come from.
    pub(super) site: NodeId,
    /// The name of what a choice made here is for; empty if nothing says so.
    pub(super) subject: String,
    /// The kind of function that is being emitted, which decides what `return` does.
    pub(super) body: Body,
    /// The way out of a procedure that gives a value.
    pub(super) way_out: Option<WayOut>,
    /// True while the pattern that is being emitted fits for certain.
    pub(super) certain: bool,
}

/// The one place where a procedure that gives a value ends.
pub(super) struct WayOut {
    /// The register that the value is left in.
    pub(super) result: Register,
    pub(super) end: JumpTarget,
    /// The name of what choices in the value are for.
    pub(super) subject: String,
}

/// The kind of function that is being emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Body {
    /// A handler: `return` ends it without an answer.
    Handler,
    /// A machine: `return` answers with cell 1.
    Machine,
    /// A procedure or function.
    Procedure,
}

/// A place in the code that jumps lead to, known later.
#[derive(Default)]
pub(super) struct JumpTarget(Vec<usize>);

impl<'e, 'c, 'a> Emitter<'e, 'c, 'a> {
    pub(super) fn new(context: &'e mut Context<'c, 'a>, site: NodeId, body: Body) -> Emitter<'e, 'c, 'a> {
        Emitter {
            context,
            code: Vec::new(),
            origin: Vec::new(),
            counting: Vec::new(),
            parts: Vec::new(),
            registers: 0,
            most: 0,
            locals: FxHashMap::default(),
            site,
            subject: String::new(),
            body,
            way_out: None,
            certain: false,
        }
    }

    pub(super) fn finish(self, name: &str, params: u32) -> Function {
        Function {
            name: name.to_owned(),
            params,
            registers: self.most.max(self.registers),
            code: self.code,
            origin: self.origin,
            counting: self.counting,
            parts: self.parts,
            reply_shapes: Vec::new(),
            provenance: FxHashMap::default(),
        }
    }

    pub(super) fn register(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    /// From here on registers from this one on are used anew: what they held before is not read any more.
    pub(super) fn begin_part(&mut self, first: Register) {
        self.parts.push(self.here());
        self.most = self.most.max(self.registers);
        self.registers = first;
    }

    /// A register for a binding name.
    pub(super) fn bind(&mut self, name: NodeId) -> Register {
        let register = self.register();
        self.locals.insert(name, register);
        register
    }

    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.code.push(op);
        self.origin.push(self.site);
        self.code.len() - 1
    }

    /// Emits an instruction that gives a value into a new register.
    pub(super) fn give(&mut self, op: impl FnOnce(Register) -> Op) -> Operand {
        let dst = self.register();
        self.emit(op(dst));
        Operand::Register(dst)
    }

    /// The next instruction counts a collection of this type, iterates it or compares it.
    pub(super) fn counts(&mut self, ty: TypeId) {
        if self.may_be_unknown(ty) {
            self.counting.push(self.here());
            self.context.counts_unknown = true;
        }
    }

    /// Tests whether an instruction from a position on counts a collection that may be unknown.
    pub(super) fn counts_since(&self, begin: Pc) -> bool {
        self.counting.iter().any(|pc| *pc >= begin)
    }

    /// Tests whether a value of this type may hold a map or set that started unknown.
    pub(super) fn may_be_unknown(&self, ty: TypeId) -> bool {
        self.context.unknown == UnknownMaps::Possible && self.context.checked.types.holds_maps(ty)
    }

    pub(super) fn constant(&mut self, value: Value) -> Operand {
        self.context.constant(value)
    }

    /// The value of an operand that is a constant, if that may be made use of.
    pub(super) fn known(&self, operand: Operand) -> Option<&Value> {
        match operand {
            Operand::Constant(constant) if self.is_optimized() => self.context.constants.get(constant as usize),
            Operand::Constant(_) | Operand::Register(_) | Operand::Slot(_) => None,
        }
    }

    /// Tests whether what is known is computed while the code is made.
    pub(super) fn is_optimized(&self) -> bool {
        self.context.code != Code::Plain
    }

    /// The values of operands that are all constants.
    pub(super) fn all_known(&self, operands: &[Operand]) -> Option<Vec<Value>> {
        operands.iter().map(|operand| self.known(*operand).cloned()).collect()
    }

    pub(super) fn here(&self) -> Pc {
        self.code.len() as Pc
    }

    /// Emits a jumping instruction whose target is a label.
    pub(super) fn emit_to(&mut self, label: &mut JumpTarget, op: Op) -> usize {
        let at = self.emit(op);
        label.0.push(at);
        at
    }

    /// Puts a label here.
    pub(super) fn place(&mut self, label: JumpTarget) {
        let here = self.here();
        for at in label.0 {
            self.code[at].retarget(&mut |_| here, &mut |split| split);
        }
    }

    pub(super) fn type_of(&self, node: NodeId) -> TypeId {
        self.context.checked.tables.type_of(node)
    }

    pub(super) fn kind(&self, ty: TypeId) -> &'c Type {
        self.context.checked.types.get(ty)
    }

    /// Emits the first arm of a joining conditional; [`Emitter::close_arms`] ends the second one.
    pub(super) fn open_arm(&mut self, cond: Operand, arm: impl FnOnce(&mut Self) -> Operand) -> OpenArm {
        let mut second = JumpTarget::default();
        let split = self.emit_to(&mut second, Op::Split { cond, otherwise: 0 }) as u32;
        let src = arm(self);
        let dst = self.register();
        let mut end = JumpTarget::default();
        self.emit_to(&mut end, Op::Swap { dst, src, end: 0, split });
        self.place(second);
        OpenArm { dst, split, end }
    }

    /// Ends the second arms of conditionals that stand within each other; `value` is that of the innermost.
    pub(super) fn close_arms(&mut self, opened: Vec<OpenArm>, value: Operand) -> Operand {
        let mut src = value;
        for OpenArm { dst, split, end } in opened.into_iter().rev() {
            self.emit(Op::Join { dst, src, split });
            self.place(end);
            src = Operand::Register(dst);
        }
        src
    }
}

/// A joining conditional whose second arm is being emitted.
pub(super) struct OpenArm {
    dst: u32,
    split: u32,
    end: JumpTarget,
}
