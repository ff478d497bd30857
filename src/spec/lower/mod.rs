//! Lowering of the checked tree to code: one program of functions for each machine or protocol.
//!
//! Statements become branches, expressions become joins (see `code`). If tasks run alone, statements that need concurrent clients,
//! such as `send c, e;`, are refused with their place.

mod choice;
mod collection;
mod emit;
mod expression;
mod machine;
mod pattern;
mod place;
mod protocol;
mod pure;
mod statement;
mod subject;

use rustc_hash::FxHashMap;

use super::check::{Checked, Const};
use super::code::{Function, Op, Operand, Program, ProgramKind, Slot, SpecPeer, SpecStep};
use super::passes::{self, Code};
use super::types::{INT, TypeId, Types};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::syntax::ast::{NodeId, Scheduling};
use crate::value::Value;

/// The machine or protocol of a load that is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The machine with this index.
    Machine(usize),
    /// The protocol with this index.
    Protocol(usize),
}

/// All machines and protocols of a load.
fn units(checked: &Checked) -> impl Iterator<Item = Unit> + use<> {
    (0..checked.machines.len()).map(Unit::Machine).chain((0..checked.protocols.len()).map(Unit::Protocol))
}

/// The way in which tasks run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Tasks {
    /// Each task runs from its request to its end, as over the synchronous network.
    #[default]
    Alone,
    /// Other tasks may run if one yields or calls a peer; messages may be sent without a request.
    Interleaved,
    /// Tasks run alone if the specification allows that.
    Either,
}

/// A note for each machine or protocol of a load without errors that the synchronous network refuses, at its first construct that
/// needs concurrent clients.
#[must_use]
pub fn network_notes(checked: &Checked) -> Vec<Diagnostic> {
    let refused = units(checked).filter_map(|unit| {
        let mut context = Lowering::new(checked, UnknownMaps::Impossible, Tasks::default(), Code::default());
        context.unit(unit);
        context.refused.into_iter().next()
    });
    refused.map(|refused| Diagnostic { severity: Severity::Note, ..refused }).collect()
}

/// Compiles one machine or protocol.
///
/// # Errors
/// One diagnostic for each construct that is impossible if tasks run alone.
pub fn lower(checked: &Checked, unit: Unit, tasks: Tasks, code: Code) -> Result<Program, Vec<Diagnostic>> {
    let mut context = Lowering::new(checked, UnknownMaps::Impossible, tasks, code);
    context.unit(unit);
    if context.is_interleaved() && code != Code::Plain {
        // An instruction that a pass removes from a section may matter to the sections of other tasks.
        return lower(checked, unit, tasks, Code::Plain);
    }
    if context.chooses_maps || checked.types.holds_maps(context.request) {
        // To count a map that may be unknown is a fault, which changes the analyses: compile again with that possibility.
        context = Lowering::new(checked, UnknownMaps::Possible, tasks, code);
        context.unit(unit);
    }
    program(context, unit)
}

/// Compiles one machine or protocol for states in which any map or set may be unknown.
///
/// # Errors
/// One diagnostic for each construct that is impossible if tasks run alone.
pub fn lower_unknown(checked: &Checked, unit: Unit, tasks: Tasks, code: Code) -> Result<Program, Vec<Diagnostic>> {
    let mut context = Lowering::new(checked, UnknownMaps::Possible, tasks, code);
    context.unit(unit);
    program(context, unit)
}

/// The program of a context in which all functions are compiled.
fn program(mut context: Lowering<'_, '_>, unit: Unit) -> Result<Program, Vec<Diagnostic>> {
    let (checked, code) = (context.checked, context.code);
    if !context.refused.is_empty() {
        return Err(context.refused);
    }
    passes::prepare(&mut context.functions, code);
    super::analysis::reply_shapes::compute(&mut context.functions, &context.constants);
    let (name, kind) = match unit {
        Unit::Machine(at) => (checked.machines[at].name.text.clone(), ProgramKind::Machine),
        Unit::Protocol(at) => (checked.protocols[at].name.text.clone(), ProgramKind::Protocol),
    };
    let types = || (0..checked.types.count() as u32).map(TypeId::of_number);
    let of_types = |is: &dyn Fn(&Types, TypeId) -> bool| types().map(|ty| is(&checked.types, ty)).collect();
    let mut program = Program {
        name,
        kind,
        request: context.request,
        response: context.response,
        slots: context.slots,
        state: context.state_slots,
        init: context.init,
        serve: context.serve,
        sunk: context.serve,
        steps: context.steps,
        subjects: context.subjects,
        components: Vec::new(),
        component_of: Vec::new(),
        keyed: Vec::new(),
        unordered: Vec::new(),
        opens: context.opens,
        closes: context.closes,
        restarts: context.restarts,
        is_serial: match unit {
            Unit::Machine(_) => false,
            Unit::Protocol(at) => checked.protocols[at].scheduling == Scheduling::Serial,
        },
        peers: context.peers,
        functions: context.functions,
        constants: context.constants,
        untaken: match unit {
            Unit::Machine(_) => None,
            Unit::Protocol(at) => Some(checked.protocols[at].name.id),
        },
        names_clients: match unit {
            Unit::Machine(_) => false,
            Unit::Protocol(at) => checked.protocols[at].handlers.iter().any(|handler| handler.from.is_some()),
        },
        chooses_maps: context.unknown == UnknownMaps::Possible,
        may_fail: false,
        chooses_for_elements: context.chooses_for_elements,
        opaque: of_types(&Types::is_opaque),
        opaque_keys: of_types(&Types::has_opaque_keys),
        reachable: Vec::new(),
    };
    program.unordered = super::analysis::unordered::unordered(&program, &checked.types);
    super::footprint::watch(&mut program, &checked.types);
    if code != Code::Plain {
        passes::simplify(&mut program.functions, code);
        super::analysis::sinking::add(&mut program, code);
    }
    passes::optimize(&mut program.functions, code);
    for function in &mut program.functions {
        function.provenance = super::analysis::provenance::choices(function);
    }
    program.keyed = super::analysis::keyed::keyed(&program);
    program.note_reachable();
    program.may_fail = program.may_be_wrong(context.counts_unknown);
    Ok(program)
}

/// The possibility that maps or sets of the program are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UnknownMaps {
    /// No map or set is ever chosen.
    Impossible,
    /// A map or set may be chosen.
    Possible,
}

/// The state of compiling a program, shared by its functions.
struct Lowering<'c, 'a> {
    checked: &'c Checked<'a>,
    functions: Vec<Function>,
    constants: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    slots: Vec<Slot>,
    /// The cells of a machine, in the order of their slots.
    cells: Vec<u32>,
    request: TypeId,
    response: TypeId,
    init: u32,
    serve: u32,
    steps: Vec<SpecStep>,
    opens: Option<u32>,
    closes: Option<u32>,
    restarts: Option<u32>,
    peers: Vec<SpecPeer>,
    /// The number of slots of the state; the slots after these hold constants of the specification.
    state_slots: u32,
    refused: Vec<Diagnostic>,
    unknown: UnknownMaps,
    /// Set if a map or set, or a value that holds one, is chosen somewhere.
    chooses_maps: bool,
    /// Set if a map or set that may be unknown is counted, iterated or compared somewhere.
    counts_unknown: bool,
    /// Set if choices may be made for each element of a set, or each key of a map.
    chooses_for_elements: bool,
    /// The subjects of choices, by their syntax nodes: the names of the variables or fields that they are for.
    subjects: FxHashMap<NodeId, String>,
    tasks: Tasks,
    code: Code,
}

impl<'c, 'a> Lowering<'c, 'a> {
    fn new(checked: &'c Checked<'a>, unknown: UnknownMaps, tasks: Tasks, code: Code) -> Lowering<'c, 'a> {
        Lowering {
            checked,
            functions: Vec::new(),
            constants: Vec::new(),
            numbers: FxHashMap::default(),
            slots: Vec::new(),
            cells: Vec::new(),
            request: INT,
            response: INT,
            init: 0,
            serve: 0,
            steps: Vec::new(),
            opens: None,
            closes: None,
            restarts: None,
            peers: Vec::new(),
            state_slots: 0,
            refused: Vec::new(),
            unknown,
            chooses_maps: false,
            counts_unknown: false,
            chooses_for_elements: false,
            subjects: FxHashMap::default(),
            tasks,
            code,
        }
    }

    /// Tests whether a task may be suspended, or sends more than its answer.
    fn is_interleaved(&self) -> bool {
        self.functions.iter().any(|function| function.code.iter().any(Op::is_asynchronous))
    }

    fn unit(&mut self, unit: Unit) {
        let checked = self.checked;
        match unit {
            Unit::Machine(at) => self.machine(&checked.machines[at]),
            Unit::Protocol(at) => self.protocol(&checked.protocols[at]),
        }
    }

    fn constant(&mut self, value: Value) -> Operand {
        let next = self.constants.len() as u32;
        let number = *self.numbers.entry(value.clone()).or_insert(next);
        if number == next {
            self.constants.push(value);
        }
        Operand::Constant(number)
    }

    /// Refuses a construct that is impossible if tasks run alone; does nothing if they are interleaved.
    fn refuse_alone(&mut self, span: Span, what: &str) {
        if self.tasks == Tasks::Alone {
            let diagnostic = Diagnostic::error(span, format!("{what} is not possible over the synchronous network"))
                .label("clients that wait for each answer cannot see this")
                .help("clients do not wait with `--net tcp` of `mayhap validate` and `simulate`, and with `mayhap serve --tcp`");
            self.refused.push(diagnostic);
        }
    }

    fn const_at(&self, at: u32) -> &'c Const<'a> {
        &self.checked.consts[at as usize]
    }
}
