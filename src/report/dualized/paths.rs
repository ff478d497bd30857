//! A validator path by path. Each path adds constraints, compares an answer, and leaves a state.
//!
//! The second path of compare-and-reset is `cs  #(vs!n) < q`, `fresh  #x1: int`, `a = 1`, `vs!n := #x1`.

use super::names::{NamedPlace, UnknownNames};
use super::{Quote, REMARKS, ValidatorPage};
use crate::judge;
use crate::judge::{OnPath, Symbolic, Transition, TransitionEnd};
use crate::process::Choice;
use crate::spec::code::ProgramKind;
use crate::spec::types::ERROR;
use crate::spec::{Site, Type};
use crate::value::{Truth, Value};

/// Writes all steps of a validator.
pub(super) fn write(page: &mut ValidatorPage<'_>) {
    initially(page);
    for step in judge::symbolic(page.spec) {
        page.line("");
        write_step(page, &step);
    }
    if let Some(restart) = judge::symbolic_restart(page.spec) {
        let names = page.state_names(&restart);
        page.line("");
        page.line(super::AT_RESTART);
        write_paths(page, &names, &restart);
    }
}

fn initially(page: &mut ValidatorPage<'_>) {
    let (spec, program) = (page.spec, &page.spec.program);
    let Some(memory) = judge::initial(spec) else {
        page.line("initially, one state for each way in which the variables can be set");
        return;
    };
    let mut names = UnknownNames::new(&spec.types);
    let mut shown = Vec::new();
    for (slot, value) in program.slots.iter().zip(&memory).take(program.state_slots()) {
        let fresh = NamedPlace::request(&format!("#{}", slot.name.trim_start_matches('!')));
        names.give(&fresh, slot.ty, value);
        shown.push(format!("vs!{} = {}", slot.name.trim_start_matches('!'), names.value(slot.ty, value)));
    }
    let listed = if shown.is_empty() { "vs = {}".to_owned() } else { shown.join(", ") };
    page.line(format!("initially, one state: {listed}; cs = {{}}"));
}

impl<'s> ValidatorPage<'s> {
    /// The names of the unknowns in the variables before a step.
    fn state_names(&self, step: &Symbolic) -> UnknownNames<'s> {
        let (spec, program) = (self.spec, &self.spec.program);
        let mut names = UnknownNames::new(&spec.types);
        for (slot, value) in program.slots.iter().zip(&step.memory).take(program.state_slots()) {
            names.give(&NamedPlace::variable(&slot.name), slot.ty, value);
        }
        names
    }
}

fn write_step(page: &mut ValidatorPage<'_>, step: &Symbolic) {
    let mut names = page.state_names(step);
    name_request(&mut names, page, &step.request);
    let request = names.value(page.spec.program.request, &step.request);
    page.line(format!("step ({request}, a), from each state (vs, cs)"));
    write_paths(page, &names, step);
}

fn write_paths(page: &mut ValidatorPage<'_>, names: &UnknownNames<'_>, step: &Symbolic) {
    for (at, path) in step.paths.iter().enumerate() {
        page.line("");
        page.line(format!("  path {}", at + 1));
        write_path(page, &mut names.clone(), step, path);
    }
    if step.paths.is_empty() {
        page.line("  no path: every answer is rejected");
    }
    if step.more {
        page.line("");
        page.line("  … and more paths, which are not listed");
    }
}

/// Names the unknowns of the request: it is `q`, and the fields of a variant have their own names, or numbers.
fn name_request(names: &mut UnknownNames<'_>, page: &ValidatorPage<'_>, request: &Value) {
    let (types, ty) = (&page.spec.types, page.spec.program.request);
    let (Type::Enum(_), Value::Data { tag, .. }) = (types.get(ty), request) else {
        return names.give(&NamedPlace::request("q"), ty, request);
    };
    let fields = types.fields(ty, *tag);
    for (at, ((name, ty), field)) in fields.iter().zip(request.fields()).enumerate() {
        let numbered = if fields.len() == 1 { "q".to_owned() } else { format!("q{}", at + 1) };
        let name = name.map_or(numbered, |name| format!("q.{name}"));
        names.give(&NamedPlace::request(&name), *ty, field);
    }
}

fn write_path(page: &mut ValidatorPage<'_>, names: &mut UnknownNames<'_>, step: &Symbolic, path: &Transition) {
    let mut choices = 0;
    for met in &path.met {
        write_met(page, names, met, &mut choices);
    }
    let response = page.spec.program.response;
    match &path.end {
        TransitionEnd::Answer(answer, site) => {
            let span = page.spec.span(*site);
            let text = format!("    cs      a = {}", names.value(response, answer));
            match page.spec.program.kind {
                ProgramKind::Protocol => page.remarked(&text, span, Quote::Line),
                ProgramKind::Machine => page.line(text),
            }
        }
        // Nobody waits for the answer to a restart.
        TransitionEnd::Nothing if step.request == Value::UNIT => {}
        TransitionEnd::Nothing => page.line("    no answer: the state stays only if none was observed"),
        TransitionEnd::Outside(_) => return page.line("    outside the specification: the client must not ask this"),
        TransitionEnd::Faulty(fault) => {
            return page.remarked("    the specification is faulty", page.spec.span(fault.site), Quote::Line);
        }
        TransitionEnd::Cut => return page.line("    … the path goes on; it is followed no further here"),
    }
    write_state(page, names, step, path);
}

fn write_met(page: &mut ValidatorPage<'_>, names: &mut UnknownNames<'_>, met: &OnPath, choices: &mut usize) {
    let spec = page.spec;
    let truth = |names: &UnknownNames<'_>, truth: &Truth| names.term(&truth.clone().term());
    match met {
        OnPath::Holds(condition, site) => {
            page.remarked(&format!("    cs      {}", names.term(condition)), spec.span(*site), Quote::Head);
        }
        OnPath::Fails(condition, site) => {
            page.remarked(&format!("    cs      {}", names.opposite(condition)), spec.span(*site), Quote::Head);
        }
        OnPath::Choice { choice, value, restrictions, site } => {
            *choices += 1;
            write_choice(page, names, (*choices, choice), value, *site);
            restrictions.iter().for_each(|condition| page.line(format!("    cs      {}", names.term(condition))));
        }
        OnPath::Way(way, site) => page.remarked(&format!("    way     {}", way + 1), spec.span(*site), Quote::Line),
        OnPath::Assume(condition, site) => {
            page.remarked(&format!("    cs      {}", truth(names, condition)), spec.span(*site), Quote::Line);
        }
        OnPath::Expects(condition, site) => {
            let text = format!("    duty    {} (else outside)", truth(names, condition));
            page.remarked(&text, spec.span(*site), Quote::Line);
        }
        OnPath::NoFault(condition, fault) => {
            let condition = names.opposite(&condition.clone().term());
            page.remarked(
                &format!("    cs      {condition}, else the specification is faulty"),
                spec.span(fault.site),
                Quote::Line,
            );
        }
        OnPath::Cut(condition, limit) => page.line(format!("    cs      !({}): {limit}", truth(names, condition))),
    }
}

/// Writes the first choice of a machine, which is made before its program runs.
fn write_choice(
    page: &mut ValidatorPage<'_>,
    names: &mut UnknownNames<'_>,
    of: (usize, &Choice),
    value: &Value,
    site: Site,
) {
    let (number, choice) = of;
    let ty = choice.value_type();
    let place = NamedPlace::choice(number);
    names.give(&place, ty, value);
    let known = if ty == ERROR { String::new() } else { format!(": {}", page.spec.types.name(ty)) };
    let text = format!("    fresh   {}{known}", place.text());
    match (page.spec.program.kind, number) {
        (ProgramKind::Machine, 1) => page.line(format!("{text:<REMARKS$}  the choice of this step")),
        (ProgramKind::Machine | ProgramKind::Protocol, _) => page.remarked(&text, page.spec.span(site), Quote::Line),
    }
}

fn write_state(page: &mut ValidatorPage<'_>, names: &UnknownNames<'_>, step: &Symbolic, path: &Transition) {
    let program = &page.spec.program;
    let slots = program.slots.iter().zip(step.memory.iter().zip(&path.memory)).take(program.state_slots());
    let changed = slots.filter(|(_, (before, after))| before != after);
    let lines: Vec<String> = changed
        .map(|(slot, (_, after))| {
            let name = slot.name.trim_start_matches('!');
            format!("    vs      vs!{name} := {}", names.value(slot.ty, after))
        })
        .collect();
    if lines.is_empty() {
        page.line("    vs      stays");
    }
    lines.into_iter().for_each(|line| page.line(line));
}
