//! Partitioning: independent keys are judged one by one.
//!
//! A store whose handlers read and write the entry under one key only, `data[key]`, is as many servers as there are keys. A history of
//! ten clients that use ten keys is then ten histories of one or two clients. This is exact if every access to the state is to the
//! entry under one part of the request, nothing else connects the entries, and no connection has two requests pending at once. A
//! restart connects the entries if `on restart {..}` does more than set variables to constants, or to any values.

use rustc_hash::{FxHashMap, FxHashSet};

use super::dataflow::{Graph, Lattice};
use crate::spec::code::{Binary, ChoiceDomain, Op, Operand, Program, Register};
use crate::syntax::ast::NodeId;
use crate::value::Value;

/// The part of a request that is the key of all entries that the request touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestKeys {
    /// The number of the field that is the key, by the number of the request's variant.
    of_variant: FxHashMap<u32, u32>,
    /// Set if the request itself is the key.
    whole: bool,
    /// Set if the handler of restarts may connect several entries.
    meet_at_restarts: bool,
}

impl RequestKeys {
    /// The keys of a specification; nothing if its entries are not independent.
    #[must_use]
    pub fn of(program: &Program) -> Option<RequestKeys> {
        RequestKeys::find(program).ok()
    }

    /// The keys of a specification.
    ///
    /// # Errors
    /// The entries are not independent.
    pub fn find(program: &Program) -> Result<RequestKeys, Unpartitioned> {
        if let Some(step) = program.steps.first() {
            return Err(Unpartitioned::Step(step.site));
        }
        begins_apart(program, program.init)?;
        let meet_at_restarts = program.restarts.is_some_and(|restarts| begins_apart(program, restarts).is_err());
        let keys = RequestKeys { of_variant: FxHashMap::default(), whole: false, meet_at_restarts };
        let mut search = KeySearch { program, keys, followed: FxHashSet::default() };
        search.follow(program.serve, vec![KeyOrigin::Request, KeyOrigin::Other])?;
        Ok(search.keys)
    }

    /// Tests whether a restart may connect the entries of several keys.
    #[must_use]
    pub fn meet_at_restarts(&self) -> bool {
        self.meet_at_restarts
    }

    /// The key of a request; nothing if the request touches no entry.
    ///
    /// # Errors
    /// A part of the key was not recorded.
    pub fn key(&self, request: &Value) -> Result<Option<Value>, Unkeyed> {
        let key = match request {
            request if self.whole => Some(request.clone()),
            Value::Data { tag, .. } => {
                self.of_variant.get(tag).and_then(|at| request.fields().get(*at as usize)).cloned()
            }
            _ => None,
        };
        if key.as_ref().is_some_and(Value::has_holes) { Err(Unkeyed) } else { Ok(key) }
    }

    /// The variant of a request and the number of the field that is its key; nothing if the request itself is the key, or has none.
    #[must_use]
    pub fn field(&self, request: &Value) -> Option<(u32, u32)> {
        let Value::Data { tag, .. } = request else { return None };
        self.of_variant.get(tag).map(|at| (*tag, *at)).filter(|_| !self.whole)
    }

    /// Notes an access to the entry under a value of this origin; returns false if that is no part of the request, or another part than
    /// before.
    fn take(&mut self, origin: &KeyOrigin) -> bool {
        match origin {
            KeyOrigin::Request => self.whole = true,
            KeyOrigin::Fields(fields) => {
                let mut fields = fields.iter();
                if !fields.all(|(tag, index)| self.of_variant.entry(*tag).or_insert(*index) == index) {
                    return false;
                }
            }
            KeyOrigin::Unset | KeyOrigin::Other => return false,
            KeyOrigin::Variable(_) | KeyOrigin::Mixed => return false,
        }
        !self.whole || self.of_variant.is_empty()
    }
}

/// A search through the code for the keys under which it touches entries.
struct KeySearch<'p> {
    program: &'p Program,
    keys: RequestKeys,
    /// The functions that were followed, each with the origins of its arguments.
    followed: FxHashSet<(u32, Vec<KeyOrigin>)>,
}

impl KeySearch<'_> {
    /// Follows a function that is called with arguments of these origins, and the functions that it calls.
    fn follow(&mut self, number: u32, args: Vec<KeyOrigin>) -> Result<(), Unpartitioned> {
        if !self.followed.insert((number, args.clone())) {
            return Ok(());
        }
        let function = &self.program.functions[number as usize];
        let mut first = vec![KeyOrigin::Unset; function.registers as usize];
        first.iter_mut().zip(args).for_each(|(register, origin)| *register = origin);
        let transfer = |at: usize, before: &Origins| Some(self.after(function.code.get(at)?.plain(), before));
        let known = Graph::of(function).forward((0, Origins(first)), transfer);
        for ((op, before), site) in function.code.iter().zip(&known).zip(&function.origin) {
            let Some(before) = before else { continue };
            match op.plain() {
                Op::Call { function, args, .. } => {
                    let args: Vec<KeyOrigin> = args.iter().map(|arg| self.of(*arg, before)).collect();
                    if args.iter().any(KeyOrigin::is_map) {
                        return Err(Unpartitioned::Touched(*site));
                    }
                    self.follow(*function, args)?;
                }
                op if !self.admit(op, before) => return Err(Unpartitioned::Touched(*site)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The origins of the registers after an instruction.
    fn after(&self, op: &Op, before: &Origins) -> Origins {
        let of = |operand: &Operand| self.of(*operand, before);
        let result: Option<(Register, KeyOrigin)> = match op {
            Op::Copy { dst, src } => Some((*dst, of(src))),
            Op::Binary { dst, op: Binary::Remove, a: map, .. } | Op::Insert { dst, map, .. } if of(map).is_map() => {
                Some((*dst, of(map)))
            }
            Op::Retain { dst, slot, .. } => Some((*dst, of(&Operand::Slot(*slot)))),
            Op::Field { dst, src, tag, index } if of(src) == KeyOrigin::Request => {
                Some((*dst, KeyOrigin::Fields(vec![(*tag, *index)])))
            }
            _ => None,
        };
        let mut after = before.clone();
        if op.is_asynchronous() {
            // Other tasks may change the variable before this one goes on.
            after.0.iter_mut().filter(|origin| origin.is_map()).for_each(|origin| *origin = KeyOrigin::Mixed);
        }
        op.defs().into_iter().for_each(|register| after.0[register as usize] = KeyOrigin::Other);
        if let Some((dst, origin)) = result {
            after.0[dst as usize] = origin;
        }
        after
    }

    fn of(&self, operand: Operand, before: &Origins) -> KeyOrigin {
        match operand {
            Operand::Slot(slot) if (slot as usize) < self.program.state_slots() => KeyOrigin::Variable(slot),
            operand => before.of(operand),
        }
    }

    /// Notes the access of an instruction; returns false if it is to more than the entry under one part of the request.
    fn admit(&mut self, op: &Op, before: &Origins) -> bool {
        let is_map = |operand: &Operand| self.of(*operand, before).is_map();
        let key = match op {
            Op::Find { map, key, .. } | Op::Insert { map, key, .. } if is_map(map) => Some(*key),
            Op::Binary { op: Binary::Get | Binary::Remove, a: map, b: key, .. } if is_map(map) => Some(*key),
            Op::Binary { op: Binary::In, a: key, b: map, .. } if is_map(map) => Some(*key),
            Op::Index { src: map, at: key, .. } if is_map(map) => Some(*key),
            Op::Put { key, .. } | Op::PutIf { key, .. } | Op::Delete { key, .. } | Op::Retain { key, .. } => Some(*key),
            // A version of the same variable differs at the key only: all other entries stay.
            Op::Copy { src, .. } if is_map(src) => return true,
            Op::Store { slot, src } if self.of(*src, before) == KeyOrigin::Variable(*slot) => return true,
            op if op.stores().is_some() => return false,
            _ => None,
        };
        let accesses = op.operands().iter().filter(|operand| is_map(operand)).count();
        let of_key = key.map(|key| self.of(key, before));
        accesses == usize::from(key.is_some()) && of_key.is_none_or(|origin| self.keys.take(&origin))
    }
}

/// The reason why the key of a request is not known: it was not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unkeyed;

/// The reason why a specification cannot be partitioned by key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unpartitioned {
    /// This is an internal step of the server.
    Step(NodeId),
    /// This part of the initial state may connect several entries.
    Initial(NodeId),
    /// This reads or changes more than the entry under one part of the request.
    Touched(NodeId),
}

/// The origin of the value of a register.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum KeyOrigin {
    /// Nothing was written to the register.
    Unset,
    /// The request.
    Request,
    /// A field of the request: for each variant that it may be, the number of the variant and of the field.
    Fields(Vec<(u32, u32)>),
    /// A version of this variable, a map, which differs at the key only.
    Variable(u32),
    /// Perhaps a variable, or the value of one in an earlier section.
    Mixed,
    Other,
}

impl KeyOrigin {
    /// Tests whether the value may have entries under all keys.
    fn is_map(&self) -> bool {
        matches!(self, KeyOrigin::Variable(_) | KeyOrigin::Mixed)
    }
}

/// The origins of the values of all registers.
#[derive(Clone)]
struct Origins(Vec<KeyOrigin>);

impl Lattice for Origins {
    fn join(&mut self, other: &Origins) -> bool {
        let joined: Vec<KeyOrigin> = self.0.iter().zip(&other.0).map(|(a, b)| join(a, b)).collect();
        let changes = joined != self.0;
        self.0 = joined;
        changes
    }
}

impl Origins {
    fn of(&self, operand: Operand) -> KeyOrigin {
        operand.register().map_or(KeyOrigin::Other, |register| self.0[register as usize].clone())
    }
}

fn join(a: &KeyOrigin, b: &KeyOrigin) -> KeyOrigin {
    match (a, b) {
        (KeyOrigin::Unset, one) | (one, KeyOrigin::Unset) => one.clone(),
        (a, b) if a == b => a.clone(),
        (KeyOrigin::Fields(a), KeyOrigin::Fields(b)) => {
            let mut fields = [&a[..], &b[..]].concat();
            fields.sort_unstable();
            fields.dedup();
            let is_one_each = fields.windows(2).all(|pair| pair[0].0 != pair[1].0);
            if is_one_each { KeyOrigin::Fields(fields) } else { KeyOrigin::Other }
        }
        (a, b) if a.is_map() || b.is_map() => KeyOrigin::Mixed,
        _ => KeyOrigin::Other,
    }
}

/// Checks that the state that a function sets, the initial one or that after a restart, connects no entries: it is known, except for
/// variables that are choices as a whole.
fn begins_apart(program: &Program, function: u32) -> Result<(), Unpartitioned> {
    let init = &program.functions[function as usize];
    let reads_variable = |op: &Op| {
        let is_variable =
            |operand: &Operand| matches!(operand, Operand::Slot(slot) if (*slot as usize) < program.state_slots());
        op.operands().iter().any(is_variable)
    };
    let is_plain = |op: &Op| {
        let chooses = matches!(
            op,
            Op::Choose { .. } | Op::PickElement { .. } | Op::Select { .. } | Op::Within { .. } | Op::Retain { .. }
        );
        let demands = matches!(op, Op::Assume { .. } | Op::Require { .. } | Op::Expects { .. });
        !chooses && !demands && !op.may_fault() && !op.is_asynchronous() && !reads_variable(op)
    };
    let is_apart = |at: usize| match init.code[at].plain() {
        Op::Choose { dst, domain: ChoiceDomain::Type(_) } => is_stored_only(&init.code[at + 1..], *dst),
        op @ Op::Call { function, .. } => is_plain(op) && program.all_called(*function, &is_plain),
        op => is_plain(op),
    };
    match (0..init.code.len()).find(|at| !is_apart(*at)) {
        Some(at) => Err(Unpartitioned::Initial(init.origin[at])),
        None => Ok(()),
    }
}

/// Tests whether code stores a register at once, and does not read it elsewhere before it is written again on all paths.
fn is_stored_only(code: &[Op], register: Register) -> bool {
    let reads = |op: &Op| op.operands().contains(&Operand::Register(register));
    let [Op::Store { .. }, following @ ..] = code else { return false };
    let mut may_be_skipped = false;
    for op in following.iter().map(Op::plain) {
        may_be_skipped |= !op.ways().is_empty();
        if reads(op) {
            return false;
        }
        if op.defs().contains(&register) && !may_be_skipped {
            return true;
        }
    }
    reads(&code[0])
}

#[cfg(test)]
mod tests {
    use super::{RequestKeys, Unpartitioned};
    use crate::spec::load::Text;
    use crate::spec::{Selection, Spec, Tasks};

    /// The text of the specification that connects keys; nothing if they are independent.
    fn meeting(members: &str) -> Option<String> {
        let text = format!(
            "struct Entry {{ value: int, count: int }} const EMPTY: Entry = Entry {{ value: 0, count: 0 }};
             enum Request {{ Get {{ path: string }}, Put {{ path: string, value: int }} }}
             protocol p {{ request Request; response int; var m: map<string, int> = {{}}; {members} }}"
        );
        let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
        let named = Text { name: "p.may".to_owned(), text: text.clone() };
        let spec = Spec::compile(named, &mut |_| Err(String::new()), &selection);
        let spec = spec.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (Unpartitioned::Step(site) | Unpartitioned::Initial(site) | Unpartitioned::Touched(site)) =
            RequestKeys::find(&spec.program).err()?;
        let span = spec.span(site);
        Some(text[span.start as usize..span.end as usize].to_owned())
    }

    #[test]
    fn keys_meet_where_more_than_an_entry_is_touched() {
        let get = "on Get { path } { reply m.get_or(path, 0); }";
        let apart = [
            "on Put { path, value } { m[path] := value; reply 0; }",
            "on Put { path, value } { let old = m.get_or(path, EMPTY.value); m := m.remove(path); reply old; }",
            "on Put { path, value } { let s = either 1 or 2; m := m.remove(path); reply s; }",
            "on Put { path, value } { forget(path); reply 1; } proc forget(path: string) { m := m.remove(path); }",
            "on Put { path, value } { m[path] := value; told(path); } proc told(path: string) { reply m.get_or(path, 0); }",
            "on Put { path, value } { yield; m[path] := value; reply 0; }",
            "var n: map<string, int> = choose; on Put { path, value } { m[path] := n.get_or(path, 1); reply 0; }",
        ];
        for members in apart {
            assert_eq!(meeting(&format!("{members} {get}")), None, "{members}");
        }
        let together = [
            ("on Put { path, value } { m[\"b\"] := value; reply 0; }", "m[\"b\"] := value;"),
            ("on Put { path, value } { reply len(m); }", "len(m)"),
            ("on Put { path, value } { let old = m; yield; m := old.remove(path); reply 0; }", "old.remove(path)"),
            (
                "on Put { path, value } { told(\"b\"); } proc told(path: string) { reply m.get_or(path, 0); }",
                "m.get_or(path, 0)",
            ),
            ("var n: int = 0; on Put { path, value } { n := value; reply 0; }", "n := value;"),
            (
                "var n: int = choose; var l: map<string, int> = {\"a\": n, \"b\": n}; on Put { path, value } { reply 0; }",
                "{\"a\": n, \"b\": n}",
            ),
        ];
        for (members, site) in together {
            let found = meeting(&format!("{members} {get}")).unwrap_or_default();
            assert!(!found.is_empty() && (site.contains(&found) || found.contains(site)), "{members}: {found}");
        }
    }
}
