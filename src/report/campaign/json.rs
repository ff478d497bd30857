//! A campaign as one JSON object on a line: `{"schema":1,"spec":"kv_etag","seed":8213,"requests":212, …}`.

use super::CampaignReport;
use crate::json;

/// The report as one line with its end.
#[must_use]
pub fn json(report: &CampaignReport) -> String {
    // Plain data with string keys can always be written.
    json::line(report).unwrap_or_default() + "\n"
}
