//! The page in one file, with its style, script and data; nothing is fetched.
//!
//! Recorded text is in the page as data that a browser does not read as HTML: `</script>` in an answer is written as
//! `\u003c/script>`.

use super::DrawnTrace;
use crate::json;

/// The frame of the page, with marks for its parts: `@style@`, `@data@` …
const FRAME: &str = include_str!("assets/page.html");
const STYLE: &str = concat!(include_str!("../palette.css"), include_str!("assets/page.css"));
/// The parts of the script, in order. Each uses only what earlier parts define, except for functions.
const SCRIPTS: &[&str] = &[
    include_str!("assets/model.js"),
    include_str!("assets/view.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/axis.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/details.js"),
    include_str!("assets/controls.js"),
    include_str!("assets/table.js"),
    include_str!("assets/main.js"),
];

/// The page of these traces. It opens with the first trace of the worst verdict.
#[must_use]
pub fn page(traces: &[DrawnTrace]) -> String {
    let worst = (0..traces.len()).min_by_key(|at| badness(traces[*at].verdict));
    let data: Vec<String> = (0..).zip(traces).map(|(at, trace)| data(trace, Some(at) == worst)).collect();
    let verdicts: Vec<String> = traces.iter().map(in_words).collect();
    let title = match traces {
        [trace] => trace.headline(),
        traces => format!("{} traces", traces.len()),
    };
    let script = format!("\"use strict\";\n(() => {{\n{}}})();", SCRIPTS.join("\n"));
    // Pieces at odd positions are the names of parts. An inserted part is not searched for names.
    let piece = |(at, piece): (usize, &str)| match (at % 2, piece) {
        (0, text) => text.to_owned(),
        (_, "title") => escaped(&title),
        (_, "style") => STYLE.trim_end().to_owned(),
        (_, "verdicts") => escaped(&verdicts.concat()),
        (_, "data") => data.concat().trim_end().to_owned(),
        (_, "script") => script.clone(),
        (_, other) => format!("@{other}@"),
    };
    FRAME.split('@').enumerate().map(piece).collect()
}

/// The rank of a verdict; the worst is 0.
fn badness(verdict: Option<&str>) -> usize {
    let order = [Some("reject"), Some("fault"), None, Some("outside"), Some("unknown"), Some("accept")];
    order.iter().position(|other| *other == verdict).unwrap_or(order.len())
}

/// The data block of a trace.
fn data(trace: &DrawnTrace, is_worst: bool) -> String {
    // Plain data with string keys can always be written.
    let json = json::line(trace).unwrap_or_default().replace('<', "\\u003c");
    let title = escaped(&trace.headline());
    format!(
        "<script type=\"application/json\" class=\"trace\" title=\"{title}\" data-worst=\"{is_worst}\">{json}</script>\n"
    )
}

/// The verdict and its explanation, for a reader without scripts.
fn in_words(trace: &DrawnTrace) -> String {
    let lines = std::iter::once(trace.headline()).chain(trace.explanation.iter().map(|line| format!("  {line}")));
    lines.map(|line| line + "\n").collect()
}

/// A text as HTML shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_observed_is_no_html() {
        assert_eq!(escaped("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
        let page = page(&[DrawnTrace::unjudged("a@style@<script>", "</script><!--")]);
        assert!(page.contains("a@style@\\u003cscript>") && page.contains("\\u003c/script>\\u003c!--"));
        assert_eq!(page.matches("</script>").count(), 2);
    }

    #[test]
    fn the_frame_has_its_parts() {
        let page = page(&[]);
        for part in ["title", "style", "verdicts", "data", "script"] {
            assert!(FRAME.contains(&format!("@{part}@")) && !page.contains(&format!("@{part}@")), "{part}");
        }
    }
}
