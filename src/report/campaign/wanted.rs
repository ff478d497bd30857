//! The reports that a user asks for: `--report json:result.json,html:result.html`.
//!
//! ```
//! use mayhap::report::campaign::wanted::{ReportFormat, RequestedReport};
//! let wanted: RequestedReport = "junit:target/mayhap.xml".parse()?;
//! assert_eq!((wanted.format, wanted.path.to_str()), (ReportFormat::Junit, Some("target/mayhap.xml")));
//! # Ok::<(), String>(())
//! ```

use std::path::PathBuf;
use std::str::FromStr;

use super::CampaignReport;
use super::html::page;
use super::json::json;
use super::junit::junit;
use super::mermaid::mermaid;

/// A requested report: its format, and the file to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestedReport {
    /// The format of the report.
    pub format: ReportFormat,
    /// The file.
    pub path: PathBuf,
}

/// The formats of reports in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    /// One JSON object.
    Json,
    /// XML for continuous integration.
    Junit,
    /// A page for a browser.
    Html,
    /// A diagram for Markdown.
    Mermaid,
}

impl ReportFormat {
    /// All formats.
    pub const ALL: [ReportFormat; 4] =
        [ReportFormat::Json, ReportFormat::Junit, ReportFormat::Html, ReportFormat::Mermaid];

    /// The name of the format, as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ReportFormat::Json => "json",
            ReportFormat::Junit => "junit",
            ReportFormat::Html => "html",
            ReportFormat::Mermaid => "mermaid",
        }
    }

    /// The campaign in this format.
    #[must_use]
    pub fn render(self, report: &CampaignReport) -> String {
        match self {
            ReportFormat::Json => json(report),
            ReportFormat::Junit => junit(report),
            ReportFormat::Html => page(report),
            ReportFormat::Mermaid => mermaid(report),
        }
    }
}

impl FromStr for RequestedReport {
    type Err = String;

    fn from_str(text: &str) -> Result<RequestedReport, String> {
        let known = || ReportFormat::ALL.map(ReportFormat::name).join(", ");
        let (name, path) = match text.split_once(':') {
            Some((name, path)) => (name.trim(), path.trim()),
            None => (text.trim(), ""),
        };
        let format = ReportFormat::ALL.into_iter().find(|format| format.name() == name);
        let format = format.ok_or_else(|| format!("no format has the name `{name}`: expected one of {}", known()))?;
        match path {
            "" => Err(format!("expected the file that the report goes to, as in {name}:report.{name}")),
            path => Ok(RequestedReport { format, path: path.into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_a_format_and_a_file() {
        let wanted = |format, path: &str| Ok(RequestedReport { format, path: path.into() });
        assert_eq!("json:r.json".parse(), wanted(ReportFormat::Json, "r.json"));
        assert_eq!(" html:C:\\r.html".parse(), wanted(ReportFormat::Html, "C:\\r.html"));
        for (text, part) in [
            ("xml:r", "no format has the name `xml`: expected one of json, junit, html, mermaid"),
            ("r.json", "no format has the name `r.json`"),
            ("", "expected one of json"),
            ("junit", "expected the file that the report goes to, as in junit:report.junit"),
            ("mermaid: ", "expected the file"),
        ] {
            assert!(text.parse::<RequestedReport>().is_err_and(|why| why.contains(part)), "{text}");
        }
    }
}
