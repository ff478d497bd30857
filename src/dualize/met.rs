//! Meeting something wrong on a path: a broken duty of the client, a fault of the specification, a limit.
//!
//! `expects q > 0;` asked with #1: the client may have broken its duty where `#1 <= 0`, and the path goes on where it has not.

use super::candidate::Candidate;
use super::section::Section;
use super::verdict::FaultReport;
use crate::process::{Fault, Limit};
use crate::solve::Answer;
use crate::spec::Site;
use crate::symbolic::Infeasible;
use crate::value::Truth;

/// Goes on where the client does its duty.
pub(super) fn duty(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    duty: Truth,
    site: Site,
) -> Result<(), Infeasible> {
    let Section { judge, findings, .. } = section;
    let (broken, at) = (duty.clone().not(), judge.place(site));
    match candidate.allows(&broken, &mut judge.solver) {
        Answer::Unsat => return Ok(()),
        Answer::Sat if candidate.is_clean() => {
            let state = || candidate.where_holds(broken, at, &mut judge.solver);
            findings.breach(&judge.findings, at, state);
        }
        Answer::Sat | Answer::Unknown(_) => findings.perhaps_outside(at),
    }
    findings.is_exhaustive = false;
    candidate.require(duty, Some(at), &mut judge.solver)
}

/// Goes on where the specification is not wrong.
pub(super) fn fault(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    wrong: Truth,
    fault: Fault,
) -> Result<(), Infeasible> {
    let Section { judge, findings, .. } = section;
    findings.is_exhaustive = false;
    let at = judge.place(fault.site);
    match candidate.allows(&wrong, &mut judge.solver) {
        Answer::Unsat => {}
        Answer::Sat if candidate.is_clean() => {
            // What is wrong with the initial state shows at the first event.
            let report = FaultReport { fault, event: judge.event.max(1) };
            let state = || candidate.where_holds(wrong.clone(), at, &mut judge.solver);
            findings.fault(&judge.findings, report, state);
        }
        Answer::Sat | Answer::Unknown(_) => findings.perhaps_faulty(at),
    }
    candidate.require(wrong.not(), Some(at), &mut judge.solver)
}

/// Goes on where a limit is not reached.
pub(super) fn limit(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    reached: Truth,
    (limit, site): (Limit, Option<Site>),
) -> Result<(), Infeasible> {
    let Section { judge, findings, .. } = section;
    findings.is_exhaustive = false;
    let at = site.map(|site| judge.place(site));
    if candidate.allows(&reached, &mut judge.solver) != Answer::Unsat {
        findings.cut(limit, at);
    }
    candidate.require(reached.not(), at, &mut judge.solver)
}
