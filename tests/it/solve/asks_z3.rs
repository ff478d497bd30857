//! Recordings that only Z3 decides, so that a version of Z3 that answers otherwise is seen; `.ci/z3-versions` judges them with many.

use std::fs;
use std::time::Duration;

use mayhap::reading::Exchanges;
use mayhap::solve::Limits;
use mayhap::{Options, Spec, Validator, Verdict};

#[test]
fn recordings_that_only_z3_decides_have_their_verdicts() {
    let spec = Spec::from_file("tests/data/z3/texts.may").unwrap();
    let manifest = fs::read_to_string("tests/data/z3/manifest.tsv").unwrap();
    // Only the limit of effort counts, however busy the machine is.
    let time = Duration::from_secs(60);
    let limits = Limits { time, time_nonlinear: time, time_text: time, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut asked = 0;
    for row in manifest.lines().skip(1) {
        let [trace, verdict, event] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let text = fs::read(format!("tests/data/z3/{trace}")).unwrap();
        let mut validator = Validator::with_options(&spec, options.clone());
        mayhap::validate::judge(&mut validator, &mut Exchanges::new(&spec, &text[..])).unwrap();
        let expected = match verdict {
            "accept" => Verdict::Accept { warning: None },
            _ => Verdict::Reject { event: event.parse().unwrap(), event_from: None },
        };
        assert_eq!(validator.verdict(), expected, "{trace}");
        assert!(validator.statistics().z3_checks > 0, "{trace}: Z3 is not asked");
        asked += validator.statistics().z3_checks;
    }
    assert!(asked >= 16, "Z3 is asked {asked} questions");
}
