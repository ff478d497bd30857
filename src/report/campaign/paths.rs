//! The feasible paths that a campaign ran, and what follows if none of them failed.
//!
//! 300 paths are drawn uniformly, and no run fails. If one in a hundred of all feasible paths failed, this would happen once in twenty times:
//! with 95 % confidence, at most 1 % of them fail. This is the rule of three (Hanley and Lippman-Hand 1983): at most 3 of n.

use crate::choice::counted;
use serde::Serialize;

/// The feasible paths that a campaign ran.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TestedPaths {
    /// The number of requests of each path.
    pub requests: u64,
    /// The number of paths that were drawn.
    pub drawn: u64,
    /// The number of them that were run.
    pub run: u64,
    /// The number of them that the system took for certain: all explanations of its answers took them.
    pub taken: u64,
    /// The number of all feasible paths, if all were found.
    pub feasible: Option<u64>,
    /// The number of paths that may be feasible, in decimal digits.
    pub most: String,
}

/// The feasible paths that the first requests of runs took for certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CoveredPaths {
    /// The number of runs.
    pub runs: u64,
    /// The number of requests of each path.
    pub requests: u64,
    /// The number of paths that were taken.
    pub taken: u64,
    /// The number of all feasible paths.
    pub feasible: u64,
}

impl CoveredPaths {
    /// The paths in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let CoveredPaths { runs, requests, taken, feasible } = self;
        let (runs, requests) = (counted(*runs, "run"), counted(*requests, "request"));
        format!("{runs} began with {taken} of {feasible} feasible paths of {requests}")
    }
}

impl TestedPaths {
    /// The paths in a sentence; `is_clean` if no run failed or was undecided.
    #[must_use]
    pub fn sentence(&self, is_clean: bool) -> String {
        let of = format!("feasible paths of {}", counted(self.requests, "request"));
        let run = match self.feasible {
            Some(1) => format!("the only feasible path of {} was run", counted(self.requests, "request")),
            Some(feasible) if feasible == self.run => format!("all {feasible} {of} were run"),
            Some(feasible) => format!("{} of {feasible} {of} were run", self.run),
            None => format!("{} {of} were run, of at most {}", self.run, self.most),
        };
        let taken = (self.taken < self.run).then(|| format!(", and {} of them taken for certain", self.taken));
        let said = run + &taken.unwrap_or_default();
        if self.feasible == Some(self.taken) {
            return said;
        }
        // In tenths of a percent, rounded up.
        match 3_000_u64.div_ceil(self.taken.max(1)) {
            tenths if is_clean && tenths < 1_000 => {
                let share = if tenths % 10 == 0 {
                    (tenths / 10).to_string()
                } else {
                    format!("{}.{}", tenths / 10, tenths % 10)
                };
                format!("{said}: with 95 % confidence at most {share} % of these paths fail")
            }
            _ => said,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_promise_is_that_of_the_rule_of_three() {
        let paths = TestedPaths {
            requests: 2,
            drawn: 300,
            run: 300,
            taken: 300,
            feasible: Some(2_594),
            most: "21247".to_owned(),
        };
        let said = "300 of 2594 feasible paths of 2 requests were run";
        let share = |share: &str| format!("{said}: with 95 % confidence at most {share} % of these paths fail");
        assert_eq!(paths.sentence(true), share("1"));
        assert_eq!(paths.sentence(false), said);
        let most = TestedPaths { run: 7, taken: 7, feasible: None, ..paths.clone() };
        let said = "7 feasible paths of 2 requests were run, of at most 21247: with 95 % confidence at most 42.9 % of these paths fail";
        assert_eq!(most.sentence(true), said);
        assert_eq!(
            TestedPaths { run: 3, taken: 3, ..paths.clone() }.sentence(true),
            "3 of 2594 feasible paths of 2 requests were run"
        );
        assert_eq!(
            TestedPaths { run: 2_594, taken: 2_594, ..paths.clone() }.sentence(true),
            "all 2594 feasible paths of 2 requests were run"
        );
        let said = "300 of 2594 feasible paths of 2 requests were run, and 150 of them taken for certain: with 95 % confidence at most 2 % of these paths fail";
        assert_eq!(TestedPaths { taken: 150, ..paths }.sentence(true), said);
    }
}
