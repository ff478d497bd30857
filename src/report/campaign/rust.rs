//! Ways to run a failure of a test in Rust again: a line for the shell, and the script as a call that can be pasted into a test.
//!
//! ```text
//! again:  MAYHAP_SEED=7 cargo test store::it_keeps_what_is_put
//! or:     mayhap::test(&spec).replay(r#"{"mayhap": 1, "spec": "kv", …}
//! …
//! "#, || todo!("the system"));
//! ```

use super::CampaignReport;

/// The lines that run the failures of a report again, in the test with this name if it has one; empty if there are none.
#[must_use]
pub fn again(report: &CampaignReport, test: Option<&str>) -> String {
    let kept = report.regressions.iter().filter_map(|run| run.failure.as_deref());
    let scripts = kept.chain(&report.failures).map(|failure| failure.script.as_str());
    let scripts: Vec<&str> = scripts.filter(|script| !script.is_empty()).collect();
    if scripts.is_empty() {
        return String::new();
    }
    let name = test.map_or_else(String::new, |name| format!(" {name}"));
    let clients = if report.clients > 1 { format!(".clients({})", report.clients) } else { String::new() };
    let call = |script: &&str| {
        format!("or:     mayhap::test(&spec){clients}.replay({}, || todo!(\"the system\"));\n", raw_string(script))
    };
    let calls: String = scripts.iter().map(call).collect();
    format!("\nagain:  MAYHAP_SEED={} cargo test{name}\n{calls}", report.seed)
}

/// A text as a raw string of Rust.
#[must_use]
pub fn raw_string(text: &str) -> String {
    let fence = "#".repeat(longest_fence(text) + 1);
    format!("r{fence}\"{text}\"{fence}")
}

/// The most hashes that follow a quote in a text; a raw string needs one more.
fn longest_fence(text: &str) -> usize {
    text.match_indices('"').map(|(at, _)| text[at + 1..].chars().take_while(|c| *c == '#').count()).max().unwrap_or(0)
}
