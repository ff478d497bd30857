//! The state that the judge knew after each step, as a table: a row for each step, a column for each variable.

use maud::{Markup, html};

use super::super::text::{call_ended, called, outcome_shown, together};
use super::super::{FailureKind, FoundFailure, ShownAct, ShownStep};

/// The most steps that have a row.
const MOST_ROWS: usize = 400;

/// The table; empty if nothing is known.
pub(super) fn beliefs(found: &FoundFailure) -> Markup {
    let mut variables: Vec<&str> = Vec::new();
    for belief in found.steps.iter().flat_map(|step| &step.believed) {
        if !variables.contains(&belief.variable.as_str()) {
            variables.push(&belief.variable);
        }
    }
    let steps = &found.steps[..found.steps.len().min(MOST_ROWS)];
    let before = [None].into_iter().chain(steps.iter().map(Some));
    html! {
        @if !variables.is_empty() {
            h3 { "The state as the judge knows it, after each step" }
            p.faint { "Of the explanations that are left it is one; what is not known is a question mark." }
            div.scroll {
                table.beliefs {
                    thead { tr {
                        th scope="col" colspan="2" { "step" }
                        @for variable in &variables { th scope="col" { code { (variable) } } }
                    } }
                    tbody {
                        @for ((step, number), before) in steps.iter().zip(found.numbers()).zip(before) {
                            tr class=[step.failing.then_some("failing")] {
                                td.faint { @if let (Some(number), ShownAct::Ask { .. }) = (number, &step.act) { (number) } }
                                td.value { (in_short(&step.act)) }
                                @if step.failing && step.believed.is_empty() && found.kind == FailureKind::Violation {
                                    td colspan=(variables.len()) { "no state explains this" }
                                } @else {
                                    @for variable in &variables { (known(variable, step, before)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The cell of a variable after a step; it is marked if the knowledge has changed.
fn known(variable: &str, step: &ShownStep, before: Option<&ShownStep>) -> Markup {
    let of = |step: &ShownStep| {
        step.believed.iter().find(|belief| belief.variable == variable).map(|belief| belief.known.clone())
    };
    let (now, then) = (of(step), before.and_then(of));
    let class = if before.is_some() && now.is_some() && now != then { "value changed" } else { "value" };
    html! {
        td class=(class) { (now.unwrap_or_default()) }
    }
}

fn in_short(act: &ShownAct) -> String {
    match act {
        ShownAct::Ask { client, request, .. } => format!("c{client} → {}", request.short),
        ShownAct::Answer { client, outcome, .. } => format!("c{client} ← {}", outcome_shown(outcome)),
        ShownAct::Wait(seconds) => format!("{seconds} s pass"),
        ShownAct::Together { labels, offsets } => together(labels, offsets),
        ShownAct::Close { client, .. } => format!("c{client} ends its connection"),
        ShownAct::Restart => "the system is killed and started again".into(),
        ShownAct::Call { peer, request } => called(peer, request),
        ShownAct::CallEnd { peer, answer } => call_ended(peer, answer.as_ref()),
    }
}
