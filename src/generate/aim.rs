//! Requests that are solved for: from a state at hand, one that comes to a branch which no request has taken.
//!
//! After `Set { key: "a", value: "7" }` the branch of `if n + delta > MOST` is out of reach; after the value
//! "9223372036854775807" it is not, and the request is `Incr { key: "a" }`.

use std::sync::Arc;

use super::paths::{FIRST, PathPurpose, RequestPath, RequestPathEnd, RequestPaths};
use crate::choice::{ChoiceError, Choices};
use crate::coverage::SpecCoverage;
use crate::process::{Choice, Fresh};
use crate::scalar::Sort;
use crate::server::Completion;
use crate::solve::Solver;
use crate::spec::code::ProgramKind;
use crate::spec::{Spec, Type};
use crate::term::{Term, made};
use crate::value::{Map, Value};

/// The number of paths that are followed for one request.
const PATHS: usize = 128;
/// The work for one request, in made terms.
const WORK: u64 = 200_000;

/// Looks for requests that come to branches which were not taken.
#[derive(Debug)]
pub(super) struct BranchAim {
    /// The specification that notes its branches, and the variable in which it notes them.
    spec: Arc<Spec>,
    slot: usize,
    /// By the branch, whether it was not taken.
    wanted: Vec<bool>,
    solver: Solver,
}

impl BranchAim {
    /// The branches that were not taken; nothing where there are none.
    pub fn of(coverage: &SpecCoverage) -> Option<BranchAim> {
        let wanted: Vec<bool> = coverage.branches().iter().map(|branch| branch.taken == 0).collect();
        let (spec, slot) = coverage.noting().filter(|_| wanted.contains(&true))?;
        Some(BranchAim { spec: spec.clone(), slot, wanted, solver: Solver::default() })
    }

    /// A request of a client that comes to such a branch in a state, whose first variables are these.
    ///
    /// # Errors
    /// Where the source of choices fails.
    pub fn request(
        &mut self,
        state: &[Value],
        keys: &[Value],
        client: u64,
        choices: &mut dyn Choices,
    ) -> Result<Option<Value>, ChoiceError> {
        let spec = self.spec.clone();
        let mut fresh = Fresh { last: FIRST };
        let variants = match spec.types.get(spec.program.request) {
            Type::Enum(at) => spec.types.enums[*at as usize].variants.len(),
            _ => 1,
        };
        let first = choices.choose("variant", variants)?;
        let last = made().saturating_add(WORK);
        for number in 0..variants {
            let tag = ((first + number) % variants) as u32;
            let (request, facts) = self.symbolic(tag, &mut fresh);
            let mut path = RequestPath::of(&spec, self.whole(state), &request, client);
            self.solver.last_made = Some(last);
            if facts.iter().any(|fact| path.assume(fact, &mut self.solver).is_err()) {
                continue;
            }
            if let Some(found) = self.reach(&request, path, (&mut fresh, last), keys, choices)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The state, in which no branch is noted.
    fn whole(&self, state: &[Value]) -> Vec<Value> {
        let mut whole: Vec<Value> = state.iter().take(self.slot).cloned().collect();
        whole.push(match self.spec.program.kind {
            ProgramKind::Machine => Value::from(0),
            ProgramKind::Protocol => Value::Map(Map::default()),
        });
        whole.extend(state.iter().skip(self.slot).cloned());
        whole
    }

    /// A request of a variant whose parts are symbols, and what is known of them.
    fn symbolic(&self, tag: u32, fresh: &mut Fresh) -> (Value, Vec<Term>) {
        let (types, ty) = (&self.spec.types, self.spec.program.request);
        if !matches!(types.get(ty), Type::Enum(_)) {
            return fresh.havoc(types, &Choice::Type(ty));
        }
        let parts = types.fields(ty, tag).into_iter().map(|(_, ty)| fresh.havoc(types, &Choice::Type(ty)));
        let (fields, facts): (Vec<Value>, Vec<Vec<Term>>) = parts.unzip();
        (Value::data(tag, fields), facts.concat())
    }

    /// The request of the first path that takes a wanted branch.
    fn reach(
        &mut self,
        request: &Value,
        path: RequestPath,
        (fresh, last): (&mut Fresh, u64),
        keys: &[Value],
        choices: &mut dyn Choices,
    ) -> Result<Option<Value>, ChoiceError> {
        let spec = self.spec.clone();
        let mut paths = RequestPaths {
            types: &spec.types,
            fresh: *fresh,
            solver: &mut self.solver,
            open: vec![path],
            purpose: PathPurpose::Reach,
        };
        for _ in 0..PATHS {
            let Some(mut path) = paths.open.pop() else { break };
            if made() > last {
                break;
            }
            let has_ended = paths.run(&spec, &mut path) == RequestPathEnd::Ended;
            let noted = crate::coverage::noted(&path.inside().process.memory, self.slot);
            if has_ended && noted.iter().any(|branch| self.wanted.get(*branch) == Some(&true)) {
                prefer_keys(&mut path, request, keys, paths.solver);
                let found = model(&spec, &path, request, paths.solver, choices)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        *fresh = paths.fresh;
        Ok(None)
    }
}

/// Gives the texts of a request the values of keys, where that is possible.
fn prefer_keys(path: &mut RequestPath, request: &Value, keys: &[Value], solver: &mut Solver) {
    match request {
        Value::Term(term) if term.sort() == Sort::Str => {
            for key in keys.iter().filter_map(Value::as_term).filter(|key| key.sort() == Sort::Str) {
                if path.assume_if_possible(&Term::eq(term, &key), solver) {
                    return;
                }
            }
        }
        Value::Data { .. } => request.fields().iter().for_each(|field| prefer_keys(path, field, keys, solver)),
        _ => {}
    }
}

/// The request under a model of its path.
fn model(
    spec: &Spec,
    path: &RequestPath,
    request: &Value,
    solver: &mut Solver,
    choices: &mut dyn Choices,
) -> Result<Option<Value>, ChoiceError> {
    let mut failed = None;
    let mut pick = |arity: usize| {
        choices.choose("value of a symbol", arity).unwrap_or_else(|error| {
            failed = Some(error);
            0
        })
    };
    let model = path.inside().store.model(&[], solver, &mut pick);
    if let Some(error) = failed {
        return Err(error);
    }
    let Ok(model) = model else { return Ok(None) };
    let process = &path.inside().process;
    let known = Completion { types: &spec.types, model: &model, process }.value(request);
    Ok(known.is_known().then_some(known))
}
