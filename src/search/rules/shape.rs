//! The shapes of requests, up to the values of their scalars: `Write(5)` and `Write(7)`, answered `Ok`, have the shape `Write(#1)`.
//!
//! The solver is asked once for two shapes whether one absorbs the other, and the answer holds for all their requests. The comparisons of
//! the scalars of a request and its answer with each other belong to the shape: `Cas(3, 3)` has another shape than `Cas(3, 4)`.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::every_state::{EveryState, GeneralPath, equality};
use crate::process::Fresh;
use crate::scalar::{Scalar, Sort};
use crate::spec::Spec;
use crate::term::{Term, Var};
use crate::value::Value;

/// The scalars of a request, and of its answer if the shape has holes for these.
pub(crate) type ShapeScalars = SmallVec<[Scalar; 2]>;

/// The scalars of a shape. Requests with more have no shape, as each comparison of two scalars is a part of it.
const MOST_SCALARS: usize = 5;

/// Variables that stand for scalars of a request have numbers after this one.
const SCALARS: u64 = 1 << 40;

/// The key of a shape: requests with equal keys have one shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ShapeKey {
    /// The step, and its paths that may end with the answer.
    step: usize,
    paths: Vec<usize>,
    /// The request and its answer, with holes for scalars.
    request: Value,
    answer: Option<Value>,
    /// The comparisons of each scalar with each later one.
    compared: Vec<Option<Ordering>>,
}

/// A request with its answer, with variables for its scalars, in an unknown state.
pub(crate) struct RequestShape {
    /// The variables of its scalars.
    pub(crate) scalars: Vec<Var>,
    /// The facts about the variables.
    pub(crate) facts: Vec<Term>,
    /// The paths that may end with the answer, each with the condition on which it does.
    pub(crate) paths: Vec<(Term, GeneralPath)>,
    /// The condition on which some path ends with the answer.
    pub(crate) possible: Term,
    /// Set if `possible` depends on the state and the request alone, not on a choice.
    pub(crate) is_of_state: bool,
}

/// The key of a request with its answer, and its scalars; `None` if it has too many, or parts other than fields.
pub(crate) fn key(every: &EveryState, request: &Value, answer: Option<&Value>) -> Option<(ShapeKey, ShapeScalars)> {
    let step = every.step_of(request)?;
    let paths = every.may_answer(step, answer);
    let mut scalars = ShapeScalars::new();
    let request = without_scalars(request, &mut scalars)?;
    let answer = match answer {
        Some(answer) if paths.iter().any(|path| !every.paths(step)[*path].answer.is_known()) => {
            Some(without_scalars(answer, &mut scalars)?)
        }
        answer => answer.cloned(),
    };
    let pairs = (0..scalars.len()).flat_map(|a| (a + 1..scalars.len()).map(move |b| (a, b)));
    let compared = pairs.map(|(a, b)| compare(&scalars[a], &scalars[b])).collect();
    (scalars.len() <= MOST_SCALARS).then_some((ShapeKey { step, paths, request, answer, compared }, scalars))
}

/// A value with holes in the place of its scalars, except truth values; `None` if it has parts other than fields.
fn without_scalars(value: &Value, scalars: &mut ShapeScalars) -> Option<Value> {
    match value {
        Value::Scalar(Scalar::Bool(_)) => Some(value.clone()),
        Value::Scalar(scalar) => {
            scalars.push(scalar.clone());
            Some(Value::Any)
        }
        Value::Data { tag, .. } => {
            let fields: Option<Vec<Value>> =
                value.fields().iter().map(|field| without_scalars(field, scalars)).collect();
            Some(Value::data(*tag, fields?))
        }
        _ => None,
    }
}

/// The comparison of two scalars; `None` if they differ and have no order.
pub(crate) fn compare(a: &Scalar, b: &Scalar) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(b)),
        (a, b) => (a == b).then_some(Ordering::Equal),
    }
}

/// The fact that two variables compare so; `None` if they are of different sorts.
pub(crate) fn fact(a: Var, b: Var, compared: Option<Ordering>) -> Option<Term> {
    if a.sort != b.sort {
        return None;
    }
    let (x, y) = (Term::var(a), Term::var(b));
    match compared {
        Some(Ordering::Equal) => Some(Term::eq(&x, &y)),
        Some(Ordering::Less) if a.sort == Sort::Int => Some(Term::lt(&x, &y)),
        Some(Ordering::Greater) if a.sort == Sort::Int => Some(Term::lt(&y, &x)),
        Some(_) => None,
        None => Some(Term::ne(&x, &y)),
    }
}

impl RequestShape {
    /// The shape of a key; `None` if a condition has no term.
    pub(crate) fn of(spec: &Spec, every: &EveryState, key: &ShapeKey) -> Option<RequestShape> {
        let mut fresh = Fresh { last: SCALARS };
        let (request, mut facts) = fresh.fill_holes(&spec.types, spec.program.request, &key.request);
        let answer = key.answer.as_ref().map(|answer| fresh.fill_holes(&spec.types, spec.program.response, answer));
        let mut scalars = Vec::new();
        let mut meet = |var: Var| scalars.push(var);
        request.visit_variables(&mut meet);
        answer.iter().for_each(|(answer, _)| answer.visit_variables(&mut meet));
        let pairs = (0..scalars.len()).flat_map(|a| (a + 1..scalars.len()).map(move |b| (a, b)));
        facts.extend(pairs.zip(&key.compared).filter_map(|((a, b), compared)| fact(scalars[a], scalars[b], *compared)));
        facts.extend(answer.iter().flat_map(|(_, facts)| facts.clone()));
        facts.push(equality(every.request(key.step), &request)?);
        let mut paths = Vec::new();
        for path in &key.paths {
            let path = every.paths(key.step)[*path].clone();
            let same = answer.as_ref().map_or(Some(Term::truth()), |(answer, _)| equality(&path.answer, answer))?;
            paths.push((Term::and(&path.condition, &same), path));
        }
        let possible = Term::or_all(paths.iter().map(|(possible, _)| possible.clone()));
        let mut known: FxHashSet<Var> = scalars.iter().copied().collect();
        every.request(key.step).visit_variables(&mut |var| _ = known.insert(var));
        let mut is_of_state = true;
        possible.vars(&mut |var| is_of_state &= every.is_of_state(var) || known.contains(&var));
        Some(RequestShape { scalars, facts, paths, possible, is_of_state })
    }
}
