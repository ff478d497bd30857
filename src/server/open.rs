//! A state with symbols: choices of the initial state are drawn only when an answer shows them.
//!
//! At first `var last: int = choose;` is a symbol. A section runs with the symbol, under its conditions. The choices and the
//! answer of the section are drawn such that the conditions can hold, and what they say about the symbol is kept. So a late
//! `assume` about the initial state ends no run, as long as some initial state leads here. After `assume last >= 5; reply last;`
//! the symbol is the number that was answered.

use rustc_hash::FxHashMap;

use super::section::{Choosing, PathSearch, RunPath, UNDECIDED};
use super::{Completion, Reply, SectionDone, SectionStart, Server, Stop};
use crate::choice::Choices;
use crate::process::{Answered, Fresh, Limit};
use crate::scalar::{Int, Scalar};
use crate::solve::{Answer, Model, Store};
use crate::spec::TypeId;
use crate::term::{Term, Var};
use crate::value::{self, Ask, Split, Substitution, Value};

/// The size of a state, in values, per section without a clean-up of symbols, as a clean-up walks all values.
const NODES: usize = 16;
/// The number of times that choices are drawn before they become symbols. A draw soon gives a new name, and is cheaper than a
/// model.
const ATTEMPTS: usize = 3;
/// The greatest length of texts that are tried if the solver does not find one.
const LENGTH: usize = 1_024;
/// The most elements of a list that is shown although its end was not looked at.
const LONGEST: i64 = 256;

/// The additional data of a server with symbols in its state.
#[derive(Clone, Debug, Default)]
pub(super) struct SymbolicState {
    pub(super) fresh: Fresh,
    /// The number of sections before symbols are cleaned up again.
    rests: usize,
}

impl Server {
    /// Runs a section from a state with symbols, completely or not at all.
    pub(super) fn section_open(&mut self, start: &SectionStart, source: &mut dyn Choices) -> Result<SectionDone, Stop> {
        let from = self.copy_with(start)?;
        let open = self.open.take().unwrap_or_default();
        let fresh = Fresh { last: open.fresh.last.max(self.drawing.fresh().last) };
        let mut search = self.search(fresh, source);
        let found = match start {
            SectionStart::Boot => search.first(from, &mut PathSearch::begun),
            _ => search.section(from),
        };
        let fresh = search.fresh;
        self.made.clear();
        let (path, done) = match found {
            Ok(found) => found,
            Err(stop) => {
                self.open = Some(SymbolicState { fresh, ..open });
                return Err(stop);
            }
        };
        self.path = RunPath { log: Vec::new(), ..path };
        self.path.process.rest();
        let open = SymbolicState { fresh, ..open };
        self.open =
            if open.rests > 0 { Some(SymbolicState { rests: open.rests - 1, ..open }) } else { self.tidied(open) };
        Ok(done)
    }

    /// The value with its unknown parts drawn, as it leaves the server.
    ///
    /// # Errors
    /// The drawing is too hard.
    pub(super) fn leaving(&mut self, value: Value, source: &mut dyn Choices) -> Result<Value, Stop> {
        let Some(open) = self.open.take() else { return Ok(value) };
        let mut path = self.path.clone();
        let mut search = self.search(open.fresh, source);
        let known = |search: &mut PathSearch<'_>| {
            let value = search.answer(&mut path, value, &mut Model::default())?;
            search.decide_open(&mut path).map(|()| value)
        };
        let known = known(&mut search);
        let fresh = search.fresh;
        self.open = Some(SymbolicState { fresh, ..open });
        self.path = path;
        known
    }

    /// Puts what has become known into the state, and drops symbols that nothing mentions; `None` if no symbol is left.
    fn tidied(&mut self, mut open: SymbolicState) -> Option<SymbolicState> {
        let RunPath { process, store, .. } = &mut self.path;
        let mut resolve = |term: &Term| Some(store.resolve(term)).filter(|new| new != term);
        process.rewrite(&mut |value| Substitution::everywhere(&mut resolve).apply(value));
        process.prune_seen();
        let live = process.live(0).vars;
        store.forget(&|var| live.contains(&var), &mut self.solver);
        open.rests = process.memory.iter().map(Value::breadth).sum::<usize>() / NODES;
        let is_open = !live.is_empty() || process.has_unknowns();
        if !is_open {
            *store = Store::default();
        }
        is_open.then_some(open)
    }
}

impl PathSearch<'_> {
    /// Accepts the path of the server's start, if it has a model.
    fn begun(&mut self, mut path: RunPath, done: SectionDone) -> Result<(RunPath, SectionDone), Stop> {
        self.decide_open(&mut path)?;
        Ok((path, done))
    }

    /// Runs a section with drawn choices, or with others if these contradict a condition.
    fn section(&mut self, start: RunPath) -> Result<(RunPath, SectionDone), Stop> {
        let mut stopped = UNDECIDED;
        for _ in 0..ATTEMPTS {
            let mut path = start.clone();
            let drawn = self.run(&mut path, Choosing::Drawn, &mut Vec::new());
            match drawn.and_then(|done| self.shown(path, done)) {
                Err(stop @ (Stop::Stuck(_) | Stop::Limit(_) | Stop::Undecided(_))) => stopped = stop,
                found => return found,
            }
        }
        let found = self.first(start, &mut PathSearch::shown);
        found.map_err(|stop| if let Stop::Stuck(site) = stopped { stop.stopped_at(site) } else { stop })
    }

    /// Draws the choices and the answer of a section.
    fn shown(&mut self, mut path: RunPath, done: SectionDone) -> Result<(RunPath, SectionDone), Stop> {
        let mut model = Model::default();
        for (made, _) in std::mem::take(&mut path.log) {
            made.value().map_or(Ok(()), |made| self.fix(&mut path, made, &mut model))?;
        }
        let done = match done {
            SectionDone::Ended(Reply::Answer(answer)) => {
                SectionDone::Ended(Reply::Answer(self.answer(&mut path, answer, &mut model)?))
            }
            SectionDone::Ended(Reply::Nothing) | SectionDone::Suspended => done,
        };
        self.decide_open(&mut path)?;
        Ok((path, done))
    }

    /// Draws the symbols of a value. A symbol that is too hard to draw is tried again after the others.
    fn fix(&mut self, path: &mut RunPath, value: &Value, model: &mut Model) -> Result<(), Stop> {
        let mut open = Vec::new();
        value.visit_variables(&mut |var| open.push(var));
        self.fix_all(path, open, model)
    }

    fn fix_all(&mut self, path: &mut RunPath, mut open: Vec<Var>, model: &mut Model) -> Result<(), Stop> {
        while !open.is_empty() {
            let before = open.len();
            let mut left = Vec::new();
            for var in open {
                match self.fixed(path, var)? {
                    Some(value) => model.insert(var, value),
                    None => left.push(var),
                }
            }
            if left.len() == before {
                return Err(path.store.doubt().map_or(UNDECIDED, Stop::Undecided));
            }
            open = left;
        }
        Ok(())
    }

    /// The value of a symbol, which is drawn now if it is not known; `None` if this is too hard.
    fn fixed(&mut self, path: &mut RunPath, var: Var) -> Result<Option<Scalar>, Stop> {
        match path.store.binding(var) {
            None => self.draw_variable(path, var)?,
            Some(term) => {
                let mut inside = Vec::new();
                term.vars(&mut |var| inside.push(var));
                inside.into_iter().try_for_each(|var| self.fixed(path, var).map(drop))?;
            }
        }
        Ok(path.store.resolve(&Term::var(var)).as_const().cloned())
    }

    fn draw_variable(&mut self, path: &mut RunPath, var: Var) -> Result<(), Stop> {
        let drawn = self.drawing.choosing(&self.spec.types, self.source).scalar(var.sort).map_err(Stop::Choice)?;
        let others = if path.store.doubt().is_some() { longer(&drawn) } else { Vec::new() };
        self.prefer(path, var, std::iter::once(drawn).chain(others))
    }

    /// Gives a symbol a final value: the first wanted one that it can have, or else another one.
    pub(super) fn prefer(
        &mut self,
        path: &mut RunPath,
        var: Var,
        wanted: impl IntoIterator<Item = Scalar>,
    ) -> Result<(), Stop> {
        let answer = self.drawing_values(|solver, draw| path.store.fix(var, wanted, solver, draw))?;
        if answer == Answer::Unsat { Err(UNDECIDED) } else { Ok(()) }
    }

    /// Draws all symbols if it is undecided whether the conditions can hold. It is an error if this does not decide it.
    pub(super) fn decide_open(&mut self, path: &mut RunPath) -> Result<(), Stop> {
        if path.store.doubt().is_some() {
            let open = path.store.vars().into_iter().collect();
            self.fix_all(path, open, &mut Model::default())?;
        }
        path.store.doubt().map_or(Ok(()), |why| Err(Stop::Undecided(why)))
    }

    /// The answer with all parts known. Parts that were not looked at get the simplest values.
    pub(super) fn answer(&mut self, path: &mut RunPath, answer: Value, model: &mut Model) -> Result<Value, Stop> {
        if answer.is_known() {
            return Ok(answer);
        }
        let answer = path.process.unknowns.expanded(&answer);
        self.fix_lengths(path, &answer, model)?;
        self.fix(path, &answer, model)?;
        let mut bases = Vec::new();
        answer.visit_bases(&mut |id, _| bases.push(id));
        for id in &bases {
            let seen = path.process.unknowns.seen_of(*id).cloned();
            seen.map_or(Ok(()), |seen| self.fix(path, &seen, model))?;
        }
        let shown = if self.drawing.draws_unseen {
            self.drawn(path, &answer, &mut FxHashMap::default())?
        } else {
            answer.clone()
        };
        let completed = Completion { types: &self.spec.types, model, process: &path.process }.value(&shown);
        let mut unknown = !bases.is_empty();
        answer.visit_unknowns(&mut |_| unknown = true);
        if unknown {
            self.unify(path, answer, &completed)?;
        }
        Ok(completed)
    }

    /// The value with those of its fields drawn that were not looked at.
    pub(super) fn drawn(
        &mut self,
        path: &RunPath,
        value: &Value,
        drawn: &mut FxHashMap<u64, Value>,
    ) -> Result<Value, Stop> {
        match value {
            Value::Unknown(unknown) if path.process.unknowns.seen_of(unknown.id).is_none() => {
                if let Some(before) = drawn.get(&unknown.id) {
                    return Ok(before.clone());
                }
                let mut draws = self.drawing.choosing(&self.spec.types, self.source);
                let new = draws.of_type(TypeId::of_number(unknown.ty)).map_err(Stop::Choice)?;
                drawn.insert(unknown.id, new.clone());
                Ok(new)
            }
            Value::Data { tag, .. } => {
                let fields = value.fields().iter().map(|field| self.drawn(path, field, drawn));
                Ok(Value::data(*tag, fields.collect::<Result<Vec<_>, Stop>>()?))
            }
            other => Ok(other.clone()),
        }
    }

    /// Draws the lengths of lists that were not looked at to their ends: a little longer, if that is possible.
    fn fix_lengths(&mut self, path: &mut RunPath, answer: &Value, model: &mut Model) -> Result<(), Stop> {
        let mut lengths = Vec::new();
        answer.visit_rests(&mut |rest| lengths.push(rest.length.clone()));
        for length in lengths {
            let count = self.drawing.choosing(&self.spec.types, self.source).count().map_err(Stop::Choice)?;
            let wanted = Term::eq(&length, &Term::int(count as i64));
            if path.store.check(&wanted, self.solver) == Answer::Sat {
                path.assume(&wanted, self.solver).map_err(|_| UNDECIDED)?;
            }
            self.fix(path, &Value::of_term(length.clone()), model)?;
            let drawn = model.eval_or_simplest(&length);
            if drawn.as_ref().and_then(Scalar::as_int).is_none_or(|drawn| *drawn > Int::from(LONGEST)) {
                return Err(Stop::Limit(Limit::Stretch));
            }
        }
        Ok(())
    }

    /// Unifies the answer with the shown one, so that its unknown parts are known from now on.
    fn unify(&mut self, path: &mut RunPath, mut answer: Value, shown: &Value) -> Result<(), Stop> {
        loop {
            match value::equal(&answer, shown) {
                Ok(truth) => return path.require(truth, self.solver).map_err(|_| UNDECIDED),
                Err(Split::On(condition)) => {
                    let holds = path.store.decide(&condition).filter(|_| condition.as_bool().is_none());
                    answer = answer.decide(&condition, holds.ok_or(UNDECIDED)?);
                }
                Err(Split::Uncounted) => return Err(UNDECIDED),
                Err(Split::Ask(ask)) => answer = self.looked(path, answer, &ask)?,
            }
        }
    }

    fn looked(&mut self, path: &mut RunPath, answer: Value, ask: &Ask) -> Result<Value, Stop> {
        match path.process.ask(&self.spec.program, ask) {
            Answered::Part(part) => answer.filled(&part).ok_or(UNDECIDED),
            Answered::Look(look) => {
                let facts = path.process.look(&mut self.fresh, &self.spec.types, &look);
                facts.iter().try_for_each(|fact| path.assume(fact, self.solver)).map_err(|_| UNDECIDED)?;
                Ok(answer)
            }
            Answered::Branch(condition) => {
                path.process.branch(path.store.decide(&condition).ok_or(UNDECIDED)?);
                Ok(answer)
            }
            Answered::Cut(limit) => Err(Stop::Limit(limit)),
        }
    }
}

/// Texts of all lengths up to [`LENGTH`] from the letters of a text.
fn longer(drawn: &Scalar) -> Vec<Scalar> {
    let Scalar::Str(text) = drawn else { return Vec::new() };
    (0..=LENGTH).map(|length| Scalar::str(&text.chars().cycle().take(length).collect::<String>())).collect()
}
