//! Reply shapes: the answers that may still be given from a position on, a backward dataflow analysis of the code.
//!
//! A shape is the outermost constructor, or the constant, of an answer. The judge does not fork into a side from which the observed
//! answer cannot come. An instruction that may be faulty, or break the client's duty, counts as giving every answer.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::dataflow::{Graph, Lattice};
use crate::spec::code::{Function, Op, Operand, Program, Register, ReplyShape, ReplyShapes};
use crate::value::Value;

/// A set of more shapes than this counts as any shape, so that the sets stay small.
const SHAPES_LIMIT: usize = 16;

/// The shapes of the answers that the `Reply` and `Announce` instructions of a function give, by position.
type GivenShapes = FxHashMap<usize, ReplyShapes>;

impl Lattice for ReplyShapes {
    fn join(&mut self, other: &ReplyShapes) -> bool {
        let before = (self.any, self.returns, self.set.len());
        self.any |= other.any;
        self.returns |= other.returns;
        if !self.any {
            add_new(&mut self.set, &other.set);
            self.any = self.set.len() > SHAPES_LIMIT;
        }
        if self.any {
            self.set.clear();
        }
        before != (self.any, self.returns, self.set.len())
    }
}

/// Adds the shapes that are not there yet.
fn add_new(set: &mut Vec<ReplyShape>, more: &[ReplyShape]) {
    for shape in more {
        if !set.contains(shape) {
            set.push(shape.clone());
        }
    }
}

fn any() -> ReplyShapes {
    ReplyShapes { any: true, returns: true, set: Vec::new() }
}

/// Computes the shapes of every instruction of every function.
pub(crate) fn compute(functions: &mut [Function], constants: &[Value]) {
    let graphs: Vec<Graph> = functions.iter().map(Graph::of).collect();
    let given: Vec<GivenShapes> = functions.iter().map(|function| replies(function, constants)).collect();
    let mut entries: Vec<ReplyShapes> = vec![ReplyShapes::default(); functions.len()];
    let calls = functions.iter().flat_map(|function| &function.code).any(|op| matches!(op, Op::Call { .. }));
    loop {
        let before = entries.clone();
        for (at, function) in functions.iter_mut().enumerate() {
            let mut shapes = graphs[at].backward(|pc, after| transfer(function, pc, after, &given[at], &entries));
            shapes.truncate(function.code.len());
            entries[at] = shapes.first().cloned().unwrap_or_else(any);
            function.reply_shapes = shapes;
        }
        if !calls || before == entries {
            return;
        }
    }
}

fn transfer(
    function: &Function,
    pc: usize,
    after: &ReplyShapes,
    given: &GivenShapes,
    entries: &[ReplyShapes],
) -> ReplyShapes {
    if is_reported(function, pc) {
        return any();
    }
    match &function.code[pc] {
        // What comes after an announcement is of runs with this answer.
        Op::Reply { .. } | Op::Announce { .. } => given.get(&pc).cloned().unwrap_or_else(any),
        Op::End => ReplyShapes { set: vec![ReplyShape::Nothing], ..ReplyShapes::default() },
        Op::Return { .. } => ReplyShapes { returns: true, ..ReplyShapes::default() },
        Op::Call { function: callee, .. } => {
            let callee = &entries[*callee as usize];
            let mut own = ReplyShapes { returns: false, ..callee.clone() };
            if callee.returns || callee.any {
                own.join(after);
            }
            own
        }
        _ => after.clone(),
    }
}

/// Tests whether an instruction may be reported whatever the answer is: it may be faulty, or break the client's duty.
pub(crate) fn is_reported(function: &Function, pc: usize) -> bool {
    function.code[pc].may_fault() || function.counting.contains(&(pc as u32))
}

/// The shapes of the answers that the `Reply` and `Announce` instructions of a function give.
fn replies(function: &Function, constants: &[Value]) -> GivenShapes {
    let mut given = GivenShapes::default();
    for part in function.ranges() {
        let code = &function.code[part.clone()];
        for (at, op) in part.zip(code) {
            if let Op::Reply { src } | Op::Announce { src } = op {
                let mut search = WrittenBy { code, params: function.params, constants, seen: BTreeSet::new() };
                let few = search.shapes(*src).filter(|shapes| shapes.len() <= SHAPES_LIMIT);
                given.insert(at, few.map_or_else(any, |set| ReplyShapes { set, ..ReplyShapes::default() }));
            }
        }
    }
    given
}

impl Program {
    /// The constructors of the messages that the server sends only when a connection opens: they answer no request.
    #[must_use]
    pub fn greetings(&self) -> BTreeSet<u32> {
        let Some(opens) = self.opens else { return BTreeSet::new() };
        let sent = |function: &Function| sent(function, &self.constants);
        let others = self.functions.iter().enumerate().filter(|(at, _)| *at != opens as usize);
        let others: Option<Vec<Vec<ReplyShape>>> = others.map(|(_, function)| sent(function)).collect();
        let (Some(others), Some(greeting)) = (others, sent(&self.functions[opens as usize])) else {
            return BTreeSet::new();
        };
        let others: Vec<ReplyShape> = others.into_iter().flatten().collect();
        let tags = greeting.into_iter().filter(|shape| !others.contains(shape));
        tags.filter_map(|shape| if let ReplyShape::Tag(tag) = shape { Some(tag) } else { None }).collect()
    }
}

/// The shapes of all messages that a function sends, requested or not; `None` if they are not known.
fn sent(function: &Function, constants: &[Value]) -> Option<Vec<ReplyShape>> {
    let mut found = Vec::new();
    for part in function.ranges() {
        let code = &function.code[part];
        for op in code {
            if let Op::Reply { src } | Op::Announce { src } | Op::SendTo { src, .. } = op.plain() {
                let mut search = WrittenBy { code, params: function.params, constants, seen: BTreeSet::new() };
                add_new(&mut found, &search.shapes(*src)?);
            }
        }
    }
    Some(found)
}

/// A search for the shapes of a register, through all instructions that write it in its part of the function.
struct WrittenBy<'a> {
    code: &'a [Op],
    params: u32,
    constants: &'a [Value],
    seen: BTreeSet<Register>,
}

impl WrittenBy<'_> {
    /// The shapes of the values of an operand; `None` if they are not known.
    fn shapes(&mut self, operand: Operand) -> Option<Vec<ReplyShape>> {
        let register = match operand {
            Operand::Register(register) => register,
            Operand::Constant(constant) => return Some(vec![shape(&self.constants[constant as usize])?]),
            Operand::Slot(_) => return None,
        };
        let mut found = Vec::new();
        if !self.seen.insert(register) {
            return Some(found);
        }
        if register < self.params {
            return None;
        }
        for op in self.code.iter().filter(|op| op.defs().contains(&register)) {
            let shapes = match op {
                Op::Make { tag, .. } => vec![ReplyShape::Tag(*tag)],
                Op::Copy { src, .. } | Op::Swap { src, .. } | Op::Join { src, .. } => self.shapes(*src)?,
                _ => return None,
            };
            add_new(&mut found, &shapes);
        }
        Some(found)
    }
}

/// The shape of a known value.
fn shape(value: &Value) -> Option<ReplyShape> {
    match value {
        Value::Scalar(scalar) => Some(ReplyShape::Scalar(scalar.clone())),
        Value::Data { tag, .. } => Some(ReplyShape::Tag(*tag)),
        Value::Term(_) | Value::List(_) | Value::Open(_) | Value::Map(_) | Value::Union(_) => None,
        Value::Unknown(_) | Value::Any | Value::Absent => None,
    }
}

#[cfg(test)]
mod tests {
    use super::SHAPES_LIMIT;
    use crate::spec::Spec;
    use crate::spec::code::ReplyShapes;
    use crate::value::Value;

    /// The shapes at each instruction of a server that answers each of N requests with itself, and others with 0.
    fn shapes(requests: i64) -> Vec<ReplyShapes> {
        let cases: String = (0..requests).map(|at| format!("if q == {at} {{ reply {at}; }} ")).collect();
        let text = format!("protocol p {{ request int; response int; on q {{ {cases} reply 0; }} }}");
        let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}"));
        spec.program.functions[spec.program.serve as usize].reply_shapes.clone()
    }

    #[test]
    fn many_answers_have_few_shapes() {
        let most = |requests| shapes(requests).iter().map(|shapes| shapes.set.len()).max();
        assert_eq!(most(8), Some(8));
        assert!(most(500) <= Some(SHAPES_LIMIT));
    }

    #[test]
    fn each_of_many_answers_may_still_be_given() {
        let shapes = shapes(40);
        assert!((0..40).all(|answer| shapes[0].admits(Some(&Value::from(answer)))));
        assert!(!self::shapes(8)[0].admits(Some(&Value::from(8))));
    }
}
