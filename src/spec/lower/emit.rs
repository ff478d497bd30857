//! Emission of the instructions of one function, with its registers, labels and names.

use rustc_hash::FxHashMap;

use super::{Lowering, UnknownMaps};
use crate::spec::code::{Function, Op, Operand, Pc, Register};
use crate::spec::passes::Code;
use crate::spec::types::{Type, TypeId};
use crate::syntax::ast::NodeId;
use crate::value::Value;

/// The function that is being emitted.
pub(super) struct Emitter<'e, 'c, 'a> {
    pub(super) context: &'e mut Lowering<'c, 'a>,
    pub(super) code: Vec<Op>,
    origin: Vec<NodeId>,
    counting: Vec<Pc>,
    parts: Vec<Pc>,
    /// The next register.
    registers: u32,
    /// The number of registers of the part that used the most.
    most: u32,
    /// The registers of bound names, by the syntax node that binds each.
    pub(super) locals: FxHashMap<NodeId, Register>,
    /// The syntax node from which the next instructions come.
    pub(super) site: NodeId,
    /// The subject of choices made here: the name of the variable or field that they are for; empty if there is none.
    pub(super) subject: String,
    /// The kind of function that is being emitted, which decides what `return` does.
    pub(super) body: Body,
    /// The exit of a procedure that gives a value, if this is one.
    pub(super) way_out: Option<BlockExit>,
    /// Set while a pattern is emitted that certainly fits.
    pub(super) certain: bool,
}

/// The only exit of a procedure that gives a value.
pub(super) struct BlockExit {
    /// The register of the value.
    pub(super) result: Register,
    pub(super) end: JumpTarget,
    /// The subject of choices in the value.
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

/// A label: the positions of jumps whose target is placed later.
#[derive(Default)]
pub(super) struct JumpTarget(Vec<usize>);

impl<'e, 'c, 'a> Emitter<'e, 'c, 'a> {
    pub(super) fn new(context: &'e mut Lowering<'c, 'a>, site: NodeId, body: Body) -> Emitter<'e, 'c, 'a> {
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

    /// Begins a part of the function that uses registers from `first` on for other values; the earlier ones are not read any more.
    pub(super) fn begin_part(&mut self, first: Register) {
        self.parts.push(self.here());
        self.most = self.most.max(self.registers);
        self.registers = first;
    }

    /// A new register for a bound name.
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

    /// Emits an instruction whose result goes to a new register.
    pub(super) fn give(&mut self, op: impl FnOnce(Register) -> Op) -> Operand {
        let dst = self.register();
        self.emit(op(dst));
        Operand::Register(dst)
    }

    /// Notes that the next instruction counts, iterates or compares a collection of this type, which may be unknown.
    pub(super) fn counts(&mut self, ty: TypeId) {
        if self.may_be_unknown(ty) {
            self.counting.push(self.here());
            self.context.counts_unknown = true;
        }
    }

    /// Tests whether a value of this type may hold an unknown map or set.
    pub(super) fn may_be_unknown(&self, ty: TypeId) -> bool {
        self.context.unknown == UnknownMaps::Possible && self.context.checked.types.holds_maps(ty)
    }

    pub(super) fn constant(&mut self, value: Value) -> Operand {
        self.context.constant(value)
    }

    /// The value of an operand that is a constant; `None` if the code is not optimized.
    pub(super) fn known(&self, operand: Operand) -> Option<&Value> {
        match operand {
            Operand::Constant(constant) if self.is_optimized() => self.context.constants.get(constant as usize),
            Operand::Constant(_) | Operand::Register(_) | Operand::Slot(_) => None,
        }
    }

    /// Tests whether constants are folded.
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

    /// Ends the second arms of nested conditionals; `value` is that of the innermost.
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
