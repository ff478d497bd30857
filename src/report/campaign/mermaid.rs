//! The failures of a campaign as one sequence diagram of Mermaid, which GitHub and GitLab draw in Markdown.
//!
//! ```text
//! sequenceDiagram
//!     participant c1
//!     participant S as kv_etag
//!     c1->>S: Put #quot;a#quot; #quot;x#quot;
//!     S-->>c1: NoContent
//! ```

use std::collections::BTreeSet;

use super::text::{call_ended, called, headline, outcome_shown, together};
use super::visible::visible;
use super::{CampaignReport, FoundFailure, ShownAct, ShownOutcome};

/// The diagram, its last line ended.
#[must_use]
pub fn mermaid(report: &CampaignReport) -> String {
    let steps = report.failures.iter().flat_map(|found| &found.steps);
    let clients: BTreeSet<u64> = steps.filter_map(|step| step.act.client()).collect();
    // A note stands over all clients and the system, or over the system alone.
    let over = match clients.first() {
        Some(first) => format!("c{first},S"),
        None => "S".into(),
    };
    let participants = clients.iter().map(|client| format!("    participant c{client}\n"));
    let mut diagram: String = ["sequenceDiagram\n".to_owned()].into_iter().chain(participants).collect();
    diagram += &format!("    participant S as {}\n", escaped(&report.spec));
    if report.failures.is_empty() {
        let result = super::text::summary(report);
        diagram += &format!("    Note over {over}: {}\n", escaped(result.lines().next().unwrap_or_default()));
    }
    diagram.extend(report.failures.iter().map(|found| drawn(found, &over)));
    diagram
}

fn drawn(found: &FoundFailure, over: &str) -> String {
    let mut text = format!("    Note over {over}: {}\n", escaped(&headline(found)));
    for step in &found.steps {
        text += &format!("    {}\n", line(&step.act, over, step.failing));
        let notes: Vec<String> = step.notes.iter().map(|note| escaped(note)).collect();
        if !notes.is_empty() {
            text += &format!("    Note over {over}: {}\n", notes.join("<br/>"));
        }
    }
    if !found.explanation.is_empty() {
        let lines: Vec<String> = found.explanation.iter().map(|line| escaped(line.trim_start())).collect();
        text += &format!("    Note over {over}: {}\n", lines.join("<br/>"));
    }
    text
}

fn line(act: &ShownAct, over: &str, failing: bool) -> String {
    let mark = if failing { "✗ " } else { "" };
    match act {
        ShownAct::Ask { client, request, .. } => format!("c{client}->>S: {mark}{}", escaped(&request.short)),
        ShownAct::Answer { client, outcome, .. } => {
            let arrow = match outcome {
                ShownOutcome::Answer(_) | ShownOutcome::Refused | ShownOutcome::Garbage(_) => "-->>",
                ShownOutcome::Lost | ShownOutcome::Closed => "--x",
                ShownOutcome::Nothing | ShownOutcome::Missing => "--x",
            };
            format!("S{arrow}c{client}: {mark}{}", escaped(&outcome_shown(outcome)))
        }
        ShownAct::Wait(seconds) => format!("Note over {over}: {mark}{seconds} s pass"),
        ShownAct::Together { labels, offsets } => {
            format!("Note over {over}: {mark}{}", escaped(&together(labels, offsets)))
        }
        ShownAct::Close { client, .. } => format!("Note over {over}: {mark}c{client} ends its connection"),
        ShownAct::Restart => format!("Note over {over}: {mark}the system is killed and started again"),
        ShownAct::Call { peer, request } => format!("Note over {over}: {mark}{}", escaped(&called(peer, request))),
        ShownAct::CallEnd { peer, answer } => {
            format!("Note over {over}: {mark}{}", escaped(&call_ended(peer, answer.as_ref())))
        }
    }
}

/// The text with all characters escaped that mean something to Mermaid or HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '#' | ';' | '%' | '$' | '`' | '\\' | '*' | '_' | '~' | '[' | ']' => {
                out.push_str(&format!("#{};", u32::from(c)))
            }
            c => out.push(c),
        }
    }
    out
}
