//! Links between parts of requests and parts of the state: a part is a key of a map, or compared with a part of the state.
//!
//! For example in `on Cas { key, unique } { if items.contains(key) && items[key].unique == unique … }` the part `key` is a key of
//! `items`, and `unique` meets the field of that name of the values of `items`. A client that wants to reach more code sends values
//! that the state has.
//!
//! A dataflow analysis follows the *origins* of the parts of each register, on all paths. Its results are hints for the generation of
//! requests; no verdict depends on them.

use std::collections::BTreeSet;
use std::rc::Rc;

use smallvec::SmallVec;

use super::dataflow::{Graph, Lattice};
use crate::spec::code::{Binary, ChoiceDomain, Op, Operand, Program, Unary};

/// At most this many origins of one register are followed, and paths of at most [`LONGEST_PATH`] steps, so that the analysis ends.
const MOST_ORIGINS: usize = 24;
const LONGEST_PATH: usize = 8;
/// All functions are followed at most this many times; a link that needs more rounds is missed.
const ROUNDS: usize = 16;

/// A step to a part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PartStep {
    /// A field of a variant; that of `Some` is `Field(1, 0)`.
    Field(u32, u32),
    /// An element of a list or set, or a key of a map.
    Element,
    /// A value of a map.
    Entry,
}

/// The path to a part of a value.
pub type PartPath = SmallVec<[PartStep; 4]>;

/// A part of the state: a variable and a path into it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkedPart {
    /// The variable.
    pub slot: u32,
    /// The path into the value of the variable.
    pub path: PartPath,
}

/// The links between the parts of requests and of the state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RequestLinks {
    /// The parts of a request that meet a part of the state: they are compared with it, or looked up in it.
    pub meets: BTreeSet<(PartPath, LinkedPart)>,
    /// The parts of a request that are stored in a part of the state.
    pub stored: BTreeSet<(PartPath, LinkedPart)>,
    /// The parts of the state that the server chooses.
    pub chosen: BTreeSet<LinkedPart>,
}

/// The origin of a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PartOrigin {
    Request(PartPath),
    State(LinkedPart),
    Chosen,
}

/// The origins of the parts of a value: for each path into it, an origin of the part at that path. The facts at most places of a
/// function are those of the place before, so the sets are shared.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct PartOrigins(Rc<BTreeSet<(PartPath, PartOrigin)>>);

impl RequestLinks {
    /// The links of a program.
    #[must_use]
    pub fn of(program: &Program) -> RequestLinks {
        let mut linking = Linking {
            program,
            params: program.functions.iter().map(|f| vec![PartOrigins::default(); f.params as usize]).collect(),
            results: vec![PartOrigins::default(); program.functions.len()],
            links: RequestLinks::default(),
            between: BTreeSet::new(),
        };
        if let Some(request) = linking.params[program.serve as usize].first_mut() {
            *request = PartOrigins::of(PartOrigin::Request(PartPath::new()));
        }
        for _ in 0..ROUNDS {
            let before = (linking.params.clone(), linking.results.clone(), linking.links.clone());
            (0..program.functions.len()).for_each(|function| linking.follow(function));
            if before == (linking.params.clone(), linking.results.clone(), linking.links.clone()) {
                break;
            }
        }
        linking.finish()
    }
}

struct Linking<'p> {
    program: &'p Program,
    /// The origins of the parameters of each function; `results` has those of its result.
    params: Vec<Vec<PartOrigins>>,
    results: Vec<PartOrigins>,
    links: RequestLinks,
    /// Parts of the state that meet each other.
    between: BTreeSet<(LinkedPart, LinkedPart)>,
}

/// The origins of all registers.
#[derive(Clone)]
struct RegisterOrigins(Vec<PartOrigins>);

impl Lattice for RegisterOrigins {
    fn join(&mut self, other: &RegisterOrigins) -> bool {
        self.0.iter_mut().zip(&other.0).fold(false, |changes, (own, other)| own.join(other) | changes)
    }
}

impl FromIterator<(PartPath, PartOrigin)> for PartOrigins {
    fn from_iter<I: IntoIterator<Item = (PartPath, PartOrigin)>>(all: I) -> PartOrigins {
        PartOrigins(Rc::new(all.into_iter().collect()))
    }
}

impl PartOrigins {
    fn of(origin: PartOrigin) -> PartOrigins {
        [(PartPath::new(), origin)].into_iter().collect()
    }

    fn join(&mut self, other: &PartOrigins) -> bool {
        if Rc::ptr_eq(&self.0, &other.0) {
            return false;
        }
        let room = MOST_ORIGINS.saturating_sub(self.0.len());
        let further: Vec<_> = other.0.difference(&self.0).take(room).cloned().collect();
        let changes = !further.is_empty();
        if changes {
            Rc::make_mut(&mut self.0).extend(further);
        }
        changes
    }

    /// The origins of a part of the value.
    fn part(&self, step: PartStep) -> PartOrigins {
        let part = |(path, origin): &(PartPath, PartOrigin)| match path.split_first() {
            Some((first, rest)) => (*first == step).then(|| (rest.into(), origin.clone())),
            None => origin.part(step).map(|origin| (PartPath::new(), origin)),
        };
        self.0.iter().filter_map(part).collect()
    }

    /// The origins of a value that has this one as a part.
    fn within(&self, step: PartStep) -> PartOrigins {
        let fits = self.0.iter().filter(|(path, _)| path.len() < LONGEST_PATH);
        fits.map(|(path, origin)| (longer(&[step], path), origin.clone())).collect()
    }

    fn and(mut self, other: &PartOrigins) -> PartOrigins {
        self.join(other);
        self
    }
}

impl PartOrigin {
    fn part(&self, step: PartStep) -> Option<PartOrigin> {
        match self {
            PartOrigin::Request(path) if path.len() < LONGEST_PATH => Some(PartOrigin::Request(longer(path, &[step]))),
            PartOrigin::State(part) if part.path.len() < LONGEST_PATH => {
                Some(PartOrigin::State(LinkedPart { slot: part.slot, path: longer(&part.path, &[step]) }))
            }
            PartOrigin::Chosen => Some(PartOrigin::Chosen),
            PartOrigin::Request(_) | PartOrigin::State(_) => None,
        }
    }

    fn further(&self, path: &[PartStep]) -> Option<PartOrigin> {
        path.iter().try_fold(self.clone(), |origin, step| origin.part(*step))
    }
}

fn longer(path: &[PartStep], rest: &[PartStep]) -> PartPath {
    path.iter().chain(rest).copied().collect()
}

impl Linking<'_> {
    fn follow(&mut self, number: usize) {
        let function = &self.program.functions[number];
        let mut first = vec![PartOrigins::default(); function.registers as usize];
        first.iter_mut().zip(&self.params[number]).for_each(|(register, origins)| register.clone_from(origins));
        let graph = Graph::of(function);
        let before = graph.forward((0, RegisterOrigins(first)), |at, before: &RegisterOrigins| {
            let op = function.code.get(at)?.plain();
            let mut after = before.clone();
            let found = self.result(op, before);
            op.result().into_iter().for_each(|dst| after.0[dst as usize] = found.clone());
            if let Op::Next { cursor, element, .. } = op {
                after.0[*element as usize] = before.0[*cursor as usize].part(PartStep::Element);
            }
            Some(after)
        });
        for (op, before) in function.code.iter().zip(&before) {
            if let Some(before) = before {
                self.note(number, op.plain(), before);
            }
        }
    }

    fn origins(&self, operand: Operand, before: &RegisterOrigins) -> PartOrigins {
        match operand {
            Operand::Register(register) => before.0[register as usize].clone(),
            Operand::Slot(slot) if (slot as usize) < self.program.state_slots() => {
                PartOrigins::of(PartOrigin::State(LinkedPart { slot, path: PartPath::new() }))
            }
            Operand::Slot(_) | Operand::Constant(_) => PartOrigins::default(),
        }
    }

    /// The origins of the result of an instruction.
    fn result(&self, op: &Op, before: &RegisterOrigins) -> PartOrigins {
        let of = |operand: &Operand| self.origins(*operand, before);
        let own = |register: u32| before.0[register as usize].clone();
        match op {
            Op::Copy { src, .. } | Op::Swap { src, .. } => of(src),
            Op::Tail { src, .. } | Op::Init { src, .. } | Op::Slice { src, .. } => of(src),
            Op::Join { dst, src, .. } => own(*dst).and(&of(src)),
            Op::Iterate { over, .. } | Op::IterateInOrder { over, .. } => of(over),
            Op::Unary { op: Unary::Keys | Unary::ToList, a, .. } => of(a),
            Op::Unary { op: Unary::Values, a, .. } => of(a).part(PartStep::Entry).within(PartStep::Element).and(&of(a)),
            Op::Binary { op: Binary::Get, a, .. } => of(a).part(PartStep::Entry).within(PartStep::Field(1, 0)),
            Op::Binary { op: Binary::Add | Binary::Overlay | Binary::Intersection, a, b, .. } => of(a).and(&of(b)),
            Op::Binary { op: Binary::Remove | Binary::Difference, a, .. } => of(a),
            Op::Find { map, .. } => of(map).part(PartStep::Entry),
            Op::Index { src, .. } => of(src).part(PartStep::Entry).and(&of(src).part(PartStep::Element)),
            Op::Nth { src, .. } | Op::NthLast { src, .. } => of(src).part(PartStep::Element),
            Op::Field { src, tag, index, .. } => of(src).part(PartStep::Field(*tag, *index)),
            Op::Make { tag, fields, .. } => {
                let field = |(index, field): (usize, &Operand)| of(field).within(PartStep::Field(*tag, index as u32));
                fields.iter().enumerate().map(field).fold(PartOrigins::default(), |all, one| all.and(&one))
            }
            Op::With { src, fields, .. } => fields.iter().fold(of(src), |all, (index, field)| {
                let own = PartStep::Field(0, *index);
                let others = all.0.iter().filter(|(path, _)| path.first() != Some(&own)).cloned().collect();
                of(field).within(own).and(&others)
            }),
            Op::MakeList { elements, .. } => {
                let element = |element: &Operand| of(element).within(PartStep::Element);
                elements.iter().map(element).fold(PartOrigins::default(), |all, one| all.and(&one))
            }
            Op::Push { dst, src, .. } => own(*dst).and(&of(src).within(PartStep::Element)),
            Op::Gather { dst, key, value, .. } => {
                own(*dst).and(&of(key).within(PartStep::Element)).and(&of(value).within(PartStep::Entry))
            }
            Op::Insert { map, key, value, .. } => {
                of(map).and(&of(key).within(PartStep::Element)).and(&of(value).within(PartStep::Entry))
            }
            Op::Replace { list, value, .. } => of(list).and(&of(value).within(PartStep::Element)),
            Op::Retain { slot, .. } => self.origins(Operand::Slot(*slot), before),
            Op::Append { slot, src, .. } => self.origins(Operand::Slot(*slot), before).and(&of(src)),
            Op::AppendOne { slot, element, .. } => {
                self.origins(Operand::Slot(*slot), before).and(&of(element).within(PartStep::Element))
            }
            Op::Choose { domain: ChoiceDomain::Element(over, _), .. } | Op::PickElement { over, .. } => {
                of(over).part(PartStep::Element)
            }
            Op::Choose { .. } => PartOrigins::of(PartOrigin::Chosen),
            Op::Call { function, .. } => self.results[*function as usize].clone(),
            _ => PartOrigins::default(),
        }
    }

    /// Notes the values that an instruction compares, looks up, stores, passes and returns.
    fn note(&mut self, number: usize, op: &Op, before: &RegisterOrigins) {
        let of = |linking: &Self, operand: &Operand| linking.origins(*operand, before);
        match op {
            Op::Binary { op: Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le, a, b, .. }
            | Op::Compare { a, b, .. }
            | Op::Require { a, b, .. } => self.meet(&of(self, a), &of(self, b)),
            Op::Binary { op: Binary::In, a: key, b: all, .. }
            | Op::Binary { op: Binary::Get | Binary::Remove, a: all, b: key, .. }
            | Op::Find { map: all, key, .. }
            | Op::Insert { map: all, key, .. }
            | Op::Index { src: all, at: key, .. } => self.meet(&of(self, key), &of(self, all).part(PartStep::Element)),
            Op::Put { slot, key, value } | Op::PutIf { slot, key, value, .. } => {
                self.look_up(*slot, &of(self, key));
                self.store(*slot, &of(self, key).within(PartStep::Element));
                self.store(*slot, &of(self, value).within(PartStep::Entry));
            }
            Op::Delete { slot, key } | Op::Retain { slot, key, .. } => self.look_up(*slot, &of(self, key)),
            Op::Store { slot, src } | Op::Append { slot, src, .. } => self.store(*slot, &of(self, src)),
            Op::AppendOne { slot, element, .. } => self.store(*slot, &of(self, element).within(PartStep::Element)),
            Op::Call { function, args, .. } => {
                for (at, arg) in args.iter().enumerate() {
                    let origins = of(self, arg);
                    self.params[*function as usize].get_mut(at).into_iter().for_each(|param| _ = param.join(&origins));
                }
            }
            Op::Return { src } => {
                let origins = of(self, src);
                self.results[number].join(&origins);
            }
            _ => {}
        }
    }

    fn look_up(&mut self, slot: u32, key: &PartOrigins) {
        let path = SmallVec::from_slice(&[PartStep::Element]);
        self.meet(key, &PartOrigins::of(PartOrigin::State(LinkedPart { slot, path })));
    }

    fn store(&mut self, slot: u32, value: &PartOrigins) {
        if slot as usize >= self.program.state_slots() {
            return;
        }
        for (path, origin) in value.0.iter() {
            let part = LinkedPart { slot, path: path.clone() };
            match origin {
                PartOrigin::Request(from) => _ = self.links.stored.insert((from.clone(), part)),
                PartOrigin::Chosen => _ = self.links.chosen.insert(part),
                PartOrigin::State(_) => {}
            }
        }
    }

    /// Notes that two values meet: so do their parts at the same path.
    fn meet(&mut self, a: &PartOrigins, b: &PartOrigins) {
        for (path, origin) in a.0.iter() {
            for (other_path, other) in b.0.iter() {
                if let Some(rest) = other_path.strip_prefix(path.as_slice()) {
                    origin.further(rest).into_iter().for_each(|origin| self.link(&origin, other));
                } else if let Some(rest) = path.strip_prefix(other_path.as_slice()) {
                    other.further(rest).into_iter().for_each(|other| self.link(origin, &other));
                }
            }
        }
    }

    fn link(&mut self, a: &PartOrigin, b: &PartOrigin) {
        match (a, b) {
            (PartOrigin::Request(path), PartOrigin::State(part))
            | (PartOrigin::State(part), PartOrigin::Request(path)) => {
                self.links.meets.insert((path.clone(), part.clone()));
            }
            (PartOrigin::State(a), PartOrigin::State(b)) if a != b => {
                self.between.insert((a.clone(), b.clone()));
            }
            _ => {}
        }
    }

    /// The links, closed under storing: a part of a request that is stored meets all that the stored part meets.
    fn finish(mut self) -> RequestLinks {
        for (from, stored) in &self.links.stored {
            for (a, b) in &self.between {
                let other = if a == stored { b } else { a };
                if a == stored || b == stored {
                    self.links.meets.insert((from.clone(), other.clone()));
                }
            }
        }
        self.links
    }
}
