//! Random handlers of restarts, put into programs that have none, and traces with restarts of them.
//!
//! A program with `var n: int = 0; var m: map<int, int> = {};` gets, for example, `on restart { either { n := 0; } or {} m := m.remove(0); }`.

use super::traces::Trace;
use super::{Rng, traces};
use crate::oracle::{Answer, Json, Oracle, State, Stop};
use mayhap::syntax::ast::{File, ItemKind, MemberKind, TypeKind};
use serde_json::json;

/// A variable of a program: its name, the text of its initial value, and its type.
struct Variable<'f> {
    name: &'f str,
    initial: &'f str,
    ty: &'f TypeKind,
}

/// The variables of the protocol of a file with this text.
fn variables<'f>(file: &'f File, text: &'f str) -> Vec<Variable<'f>> {
    let members = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Protocol { members, .. } => Some(members),
        _ => None,
    });
    let variable = |member: &'f mayhap::syntax::ast::Member| match &member.kind {
        MemberKind::Var { name, ty, value } => {
            let initial = &text[value.span.start as usize..value.span.end as usize];
            Some(Variable { name: &name.text, initial, ty: &ty.kind })
        }
        _ => None,
    };
    members.into_iter().flatten().filter_map(variable).collect()
}

/// The text of a program with a handler of restarts, or, now and then, as it is: then nothing is lost.
pub fn with_handler(text: &str, rng: &mut Rng) -> String {
    let file = crate::oracle::load(text);
    let variables = variables(&file, text);
    if variables.is_empty() || rng.percent(10) {
        return text.to_owned();
    }
    let mut body: Vec<String> = (0..1 + rng.below(3)).map(|_| statement(&variables, rng)).collect();
    if rng.percent(20) {
        body = vec!["either {".to_owned(), body.join("\n"), "} or {".to_owned(), "}".to_owned()];
    }
    let guard = match variables.iter().find(|variable| is_named(variable.ty, "int")) {
        Some(int) if rng.percent(15) => format!("if {} > 0 ", int.name),
        _ => String::new(),
    };
    let end = text.rfind('}').expect("a protocol ends");
    format!("{}\non restart {guard}{{\n{}\n}}\n{}", &text[..end], body.join("\n"), &text[end..])
}

fn is_named(ty: &TypeKind, name: &str) -> bool {
    matches!(ty, TypeKind::Name(own) if own.text == name)
}

/// A statement that loses something, or says what may be.
fn statement(variables: &[Variable<'_>], rng: &mut Rng) -> String {
    let Variable { name, initial, ty } = rng.pick(variables);
    let other = variables.iter().find(|other| other.name != *name && format!("{:?}", other.ty) == format!("{ty:?}"));
    let own = match ty {
        TypeKind::Name(_) if is_named(ty, "int") => match rng.below(5) {
            0 => format!("{name} := choose x: int where x >= 0 && x < 3;"),
            1 => format!("assume {name} < 3;"),
            2 => format!("if {name} > 1 {{ {name} := {name} - 1; }}"),
            3 => format!("either {{ {name} := 1; }} or {{ assume {name} != 1; }}"),
            _ => format!("{name} := either {name} or 0;"),
        },
        TypeKind::Map(key, _) if is_named(&key.kind, "int") => match rng.below(3) {
            0 => format!("{name} := {name}.remove(0);"),
            1 => format!("for i in 0..2 {{ {name} := either {name} or {name}.remove(i); }}"),
            _ => format!("{name} := {{k: v for k in {name}.keys() if k != 1 for v in [{name}[k]]}};"),
        },
        TypeKind::Set(of) if is_named(&of.kind, "int") => match rng.below(3) {
            0 => format!("{name} := {name} - {{1}};"),
            1 => format!("{name} := {{x for x in {name} if x > 0}};"),
            _ => format!("let gone = choose x: int where x >= 0 && x < 3; {name} := {name} - {{gone}};"),
        },
        TypeKind::List(_) => format!("match {name} {{ [] => {{}} [_, ..rest] => {{ {name} := rest; }} }}"),
        _ => format!("{name} := {initial};"),
    };
    match (rng.below(10), other) {
        (0 | 1, Some(other)) => format!("{name} := {};", other.name),
        (2, Some(other)) => format!("either {{ {name} := {}; }} or {{ {} := {name}; }}", other.name, other.name),
        (0..=3, _) => format!("{name} := {initial};"),
        (4 | 5, _) => format!("either {{ {name} := {initial}; }} or {{}}"),
        _ => own,
    }
}

/// A trace of a program in which some events are restarts.
pub fn run(
    rng: &mut Rng,
    oracle: &Oracle<'_>,
    length: usize,
    request: impl Fn(&mut Rng) -> Json,
    invented: impl Fn(&mut Rng) -> Answer,
) -> Trace {
    let begun = (0..10).find_map(|_| oracle.draw_initial(&mut |n| rng.below(n)).ok());
    let Some((mut state, _)) = begun else { return vec![(request(rng), invented(rng))] };
    let mut trace = Trace::new();
    while trace.len() < length {
        while oracle.has_steps() && rng.percent(40) {
            state = oracle.draw_step(&state, &mut |n| rng.below(n)).map_or(state, |(after, _)| after);
        }
        if rng.percent(25) {
            match restarted(rng, oracle, &state) {
                Some(after) => state = after,
                // Now and then one that is not possible is there all the same.
                None if rng.percent(90) => continue,
                None => {}
            }
            trace.push((Json::Null, Answer::Restarted));
            continue;
        }
        let q = request(rng);
        match traces::drawn(rng, oracle, &state, &q) {
            Ok((after, answer)) if rng.percent(12) => {
                state = if rng.percent(50) { after } else { state };
                trace.push((q, if answer == Answer::Nothing { answer } else { Answer::Lost }));
            }
            Ok((after, answer)) => {
                state = after;
                trace.push((q, answer));
            }
            Err(Stop::Pruned) if rng.percent(80) => {}
            Err(_) => {
                trace.push((q, invented(rng)));
                if rng.percent(50) {
                    return trace;
                }
            }
        }
    }
    trace
}

/// The state behind a restart; a few more draws where the first are no runs.
fn restarted(rng: &mut Rng, oracle: &Oracle<'_>, state: &State) -> Option<State> {
    (0..5).find_map(|_| oracle.draw_restart(state, &mut |n| rng.below(n)).ok()).map(|(state, _)| state)
}

/// The trace with one answer changed, or with a restart less or more.
pub fn altered(rng: &mut Rng, trace: &Trace, invented: impl Fn(&mut Rng) -> Json) -> Trace {
    let answers: Vec<usize> = (0..trace.len()).filter(|at| trace[*at].1 != Answer::Restarted).collect();
    let mut changed = trace.clone();
    match (rng.below(10), &answers[..]) {
        (0, _) => changed.insert(rng.below(trace.len() + 1), (Json::Null, Answer::Restarted)),
        (1, _) if answers.len() < trace.len() && !answers.is_empty() => {
            changed.retain(|(_, answer)| *answer != Answer::Restarted);
        }
        (_, []) => {}
        (2, _) => changed[*rng.pick(&answers)].1 = Answer::Lost,
        _ => {
            let at = *rng.pick(&answers);
            changed[at].1 = match &trace[at].1 {
                Answer::Is(Json::Number(n)) if rng.percent(50) => {
                    Answer::Is(json!(n.as_i64().unwrap_or_default() + rng.between(-1, 2)))
                }
                _ => Answer::Is(invented(rng)),
            };
        }
    }
    changed
}
