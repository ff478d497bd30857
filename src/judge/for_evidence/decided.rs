//! The decided part of a run while the trace is still being judged: choices about which no later exchange can say more.
//!
//! All candidates go on from one path, and a choice on this path is decided as soon as no candidate mentions its variables.
//! For compare-and-reset, the number that is chosen with one answer 1 is decided when the next answer
//! 1 has been seen. A judge that keeps choices forgets the decided ones, so it needs no more memory than one that
//! keeps none, however long the trace is.

use rustc_hash::FxHashSet;

use crate::judge::Judge;
use crate::judge::candidate::{Candidate, Log, Logged};
use crate::solve::{Answer, Model, Moved, Open, Past, Trail};
use crate::term::{Term, Var};
use crate::value::Value;

/// The decided part of a run.
#[derive(Debug)]
pub struct Decided {
    /// All choices of the events before this one are decided.
    pub before: u64,
    /// These choices, in order.
    pub log: Vec<Log>,
    /// The values of their variables; a variable that nothing restricts has none.
    pub model: Model,
    /// The variables that the undecided choices and trail steps of the common path mention.
    pub mentioned: FxHashSet<Var>,
    /// The number of choices, and of steps of trails, that are not decided.
    pub left: usize,
    /// The number of values in memory that were walked to find open variables.
    pub walked: usize,
}

/// The path that all candidates have in common.
struct CommonWay {
    trail: Trail,
    /// The choices on the path.
    log: Past<Log>,
    /// The first event in which candidates chose differently; the next event if there is none.
    apart: u64,
}

impl Decided {
    /// Takes the decided choices out of a judge. `model` has the values of variables that were decided before. A memory of more than
    /// about `nodes` values is not searched for variables that it no longer mentions.
    ///
    /// # Errors
    /// The solver's answer, if it could not decide a question about the values.
    pub fn take(judge: &mut Judge, mut model: Model, nodes: usize) -> Result<Decided, Answer> {
        let Judge { context, frontier } = judge;
        let candidates = &mut frontier.candidates[..];
        let common = CommonWay::of(candidates, context.event);
        let mut entries: Vec<&Log> = common.log.iter().collect();
        entries.reverse();
        common.add_constants(candidates, &mut model);
        let mut open = Open::All;
        let mut rest = model.extend_decided(&common.trail, &mut open, &mut context.solver)?;
        let mut before = first_open(&entries, common.apart, &open, &model);
        let mut walked = 0;
        if before < common.apart && breadth(candidates) <= nodes {
            (open, walked) = open_variables(candidates, &common.trail);
            rest = model.extend_decided(&rest, &mut open, &mut context.solver)?;
            before = first_open(&entries, common.apart, &open, &model);
        }
        let kept = entries.split_off(entries.partition_point(|entry| entry.event < before));
        let log = entries.into_iter().cloned().collect();
        let mut mentioned = FxHashSet::default();
        let mut mention = |var: Var| {
            mentioned.insert(var);
        };
        kept.iter().for_each(|entry| entry.entry.vars(&mut mention));
        rest.iter().for_each(|step| step.vars(&mut mention));
        let shared = rest.iter().count() + kept.len();
        let mut new = Past::default();
        kept.into_iter().for_each(|entry| new.push(entry.clone()));
        let left = shared + common.replace_by(candidates, &new, &rest);
        Ok(Decided { before, log, model, mentioned, left, walked })
    }
}

impl CommonWay {
    /// The path that all candidates have in common up to an event.
    fn of(candidates: &[Candidate], event: u64) -> CommonWay {
        let trails: Vec<_> = candidates.iter().filter_map(|candidate| candidate.store.trail()).collect();
        let logs: Vec<_> = candidates.iter().map(|candidate| &candidate.log).collect();
        let (trail, log) = (Past::shared(&trails), Past::shared(&logs));
        let apart = logs.iter().filter_map(|own| own.since(&log).last()).map(|entry| entry.event).min();
        CommonWay { trail, log, apart: apart.unwrap_or(event + 1) }
    }

    /// Replaces the common path by a log and a trail. Returns the number of choices and trail steps that candidates have besides.
    fn replace_by(&self, candidates: &mut [Candidate], log: &Past<Log>, trail: &Trail) -> usize {
        let (mut logs, mut trails) = (Moved::default(), Moved::default());
        for candidate in candidates {
            candidate.log = candidate.log.moved(&self.log, log, &mut logs);
            if let Some(own) = candidate.store.trail() {
                let own = own.moved(&self.trail, trail, &mut trails);
                candidate.store.go_on_from(own);
            }
        }
        logs.count() + trails.count()
    }

    /// Adds the values of variables that all candidates bind to the same constant.
    fn add_constants(&self, candidates: &[Candidate], model: &mut Model) {
        let mut wanted = FxHashSet::default();
        let mut want = |var: Var| {
            wanted.insert(var);
        };
        self.log.iter().for_each(|entry| entry.entry.vars(&mut want));
        self.trail.iter().for_each(|step| step.vars(&mut want));
        for var in wanted.into_iter().filter(|var| model.get(*var).is_none()).collect::<Vec<_>>() {
            let mut values = candidates.iter().map(|candidate| candidate.store.resolve(&Term::var(var)));
            let first = values.next();
            if let Some(value) = first.as_ref().and_then(Term::as_const)
                && values.all(|other| Some(&other) == first.as_ref())
            {
                model.insert(var, value.clone());
            }
        }
    }
}

/// About the number of values in the memory of all candidates, except those whose memory is known: these are not walked.
fn breadth(candidates: &[Candidate]) -> usize {
    let open = candidates.iter().filter(|candidate| !candidate.is_known());
    open.map(|candidate| candidate.process.memory.iter().map(Value::breadth).sum::<usize>()).sum()
}

/// The variables that later exchanges may restrict, or that only some of the paths eliminated; and the number of memory values
/// that were walked.
fn open_variables(candidates: &[Candidate], shared: &Trail) -> (Open, usize) {
    let (mut open, mut walked) = (FxHashSet::default(), 0);
    for candidate in candidates {
        open.extend(candidate.store.vars());
        let own = candidate.store.trail().into_iter().flat_map(|own| own.since(shared));
        own.for_each(|step| step.vars(&mut |var| open.extend([var])));
        if !candidate.is_known() {
            let live = candidate.process.live(0);
            walked += live.walked as usize;
            open.extend(live.vars);
        }
    }
    (Open::These(open), walked)
}

/// The first event with an open choice; at the latest `apart`, the event at which the paths of the candidates part.
fn first_open(entries: &[&Log], apart: u64, open: &Open, model: &Model) -> u64 {
    let first = entries.iter().find(|entry| entry.event >= apart || entry.entry.is_open(open, model));
    first.map_or(apart, |entry| entry.event)
}

impl Logged {
    /// Tests whether the choice is undecided if these variables are open. A value that is unknown as a whole is always open.
    fn is_open(&self, open: &Open, model: &Model) -> bool {
        let mut is_open = false;
        self.vars(&mut |var| is_open |= open.has(var, model));
        if let Logged::Value { value, .. } | Logged::Element { value, .. } | Logged::Request(value) = self {
            value.visit_unknowns(&mut |_| is_open = true);
        }
        is_open
    }

    /// Calls a function on each variable that the choice mentions.
    fn vars(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Logged::Value { value, guard } | Logged::Element { value, guard } => {
                value.visit_variables(visit);
                guard.iter().for_each(|guard| guard.vars(&mut |var| visit(var)));
            }
            Logged::Request(value) | Logged::Seen(value) | Logged::Dropped(_, value) => value.visit_variables(visit),
            Logged::Section(begun) => begun.request().into_iter().for_each(|value| value.visit_variables(visit)),
            Logged::Called(_) | Logged::Arrived(_) | Logged::Copied | Logged::NeverRead | Logged::Observed => {}
            Logged::Way(_) | Logged::Received | Logged::Step(_) | Logged::Began(_) => {}
        }
    }
}
