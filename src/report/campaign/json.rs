//! A campaign as one JSON object on a line: `{"schema":1,"spec":"kv_etag","seed":8213,"requests":212, …}`.

use super::CampaignReport;
use crate::json;

/// The report on one line, ended.
#[must_use]
pub fn json(report: &CampaignReport) -> String {
    // Plain data with string keys: there is nothing in it that could not be written.
    json::line(report).unwrap_or_default() + "\n"
}
