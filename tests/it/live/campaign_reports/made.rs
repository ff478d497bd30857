//! Campaigns made by hand: one that passes, a violation that is shrunk, a race that is flaky, and a system that does its worst.

use mayhap::Spec;
use mayhap::json::decode;
use mayhap::report::campaign::{
    AnswerCount, BaselineReport, Belief, BranchCount, CampaignReport, CampaignVerdict, FailureKind, FoundFailure,
    RefusedRequests, RegressionOutcome, RegressionRun, ReportedCoverage, RequestCount, ShownAct, ShownOutcome,
    ShownStep, ShownValue, SpecPlace, SpecText,
};

use crate::judge::root;

/// A specification, and the steps that are made of it.
struct Made {
    spec: std::sync::Arc<Spec>,
    steps: Vec<ShownStep>,
}

impl Made {
    fn of(text: &str) -> Made {
        Made { spec: Spec::from_text(text).unwrap(), steps: Vec::new() }
    }

    fn ask(mut self, label: u64, client: u64, json: &str) -> Made {
        let value = decode(&self.spec.types, self.spec.program.request, json).unwrap();
        let request = ShownValue::request(&self.spec, &value);
        self.steps.push(ShownStep::plain(ShownAct::Ask { label, client, request, references: Vec::new() }));
        self
    }

    fn answer(self, label: u64, client: u64, json: &str) -> Made {
        let value = decode(&self.spec.types, self.spec.program.response, json).unwrap();
        let answer = ShownValue::answer(&self.spec, &value);
        self.outcome(label, client, ShownOutcome::Answer(answer))
    }

    fn outcome(self, label: u64, client: u64, outcome: ShownOutcome) -> Made {
        self.act(ShownAct::Answer { label, client, outcome })
    }

    fn act(mut self, act: ShownAct) -> Made {
        self.steps.push(ShownStep::plain(act));
        self
    }

    /// Changes the last step.
    fn with(mut self, change: impl FnOnce(&mut ShownStep)) -> Made {
        self.steps.last_mut().map(change).unwrap();
        self
    }

    /// The last step is where it fails.
    fn fails(self, place: Option<SpecPlace>, notes: &[&str]) -> Made {
        self.with(|step| {
            (step.failing, step.place, step.notes) = (true, place, notes.iter().map(|&note| note.to_owned()).collect());
        })
    }

    fn knows(self, known: &[(&str, &str)]) -> Made {
        let belief = |&(variable, known): &(&str, &str)| Belief { variable: variable.into(), known: known.into() };
        self.with(|step| step.believed = known.iter().map(belief).collect())
    }
}

fn place(file: &str, line: u64) -> SpecPlace {
    SpecPlace { file: file.into(), line }
}

const KV: &str = "specs/kv_etag.may";

/// The branches of the specification by the texts that they begin and end with, each after the last one's beginning.
fn branches(text: &str, all: &[(&str, &str, &str, u64)]) -> Vec<BranchCount> {
    let mut from = 0;
    let mut counts = Vec::new();
    let place_of = |at: usize| {
        let before = &text[..at];
        let column = before.lines().last().filter(|_| !before.ends_with('\n')).unwrap_or_default().chars().count() + 1;
        (before.matches('\n').count() as u64 + 1, column as u64)
    };
    for &(what, open, close, count) in all {
        let start = from + text[from..].find(open).unwrap_or_else(|| panic!("{open}"));
        let end = start + text[start..].find(close).unwrap_or_else(|| panic!("{close}")) + close.len();
        let ((line, column), (end_line, end_column)) = (place_of(start), place_of(end));
        counts.push(BranchCount { at: place(KV, line), column, end_line, end_column, what: what.into(), count });
        from = start;
    }
    counts
}

/// The requests of one kind, each answer with its count, whether it is a refusal, and the line that gives it.
fn answered(request: &str, all: &[(&str, u64, bool, u64)]) -> RequestCount {
    let answer = |&(answer, count, refusal, line): &(&str, u64, bool, u64)| AnswerCount {
        answer: answer.into(),
        status: None,
        count,
        refusal,
        places: vec![place(KV, line)],
        in_seldom_branches: count == 0,
    };
    let answers: Vec<AnswerCount> = all.iter().map(answer).collect();
    RequestCount { request: request.into(), sent: answers.iter().map(|answer| answer.count).sum(), answers }
}

/// A campaign against a server of `kv_etag`, without failures.
pub fn pass() -> CampaignReport {
    let text = std::fs::read_to_string(root().join(KV)).unwrap();
    let counts = branches(
        &text,
        &[
            ("on Get", "match data.get(key) {", "            }\n        }", 5_012),
            ("None", "{ reply NotFound; }", "}", 1_370),
            ("Some(r)", "{\n                if weak", "            }", 3_642),
            ("if weak(if_none_match, r.tag)", "{ reply NotModified; }", "}", 0),
            ("on Put", "if if_match != None", "reply NoContent;", 4_988),
            ("if if_match != None && …", "{ reply PreconditionFailed; }", "}", 611),
        ],
    );
    let never = counts.iter().filter(|branch| branch.count == 0).map(|branch| branch.at.clone()).collect();
    CampaignReport {
        spec: "kv_etag".into(),
        seed: 8213,
        requests: 10_000,
        runs: 50,
        seconds: 3.25,
        coverage: ReportedCoverage {
            runs: 50,
            counts_runs: false,
            branches: 6,
            covered: 5,
            pairs: 30,
            never,
            covered_pairs: 21,
            counts,
        },
        sharpness: Some(0.834),
        answers: vec![
            answered("Get", &[("NotFound", 1_370, true, 36), ("NotModified", 0, false, 38), ("Ok", 3_642, false, 39)]),
            answered("Put", &[("NoContent", 4_981, false, 50), ("PreconditionFailed", 7, true, 48)]),
        ],
        refusals: vec![
            RefusedRequests { request: "Get".into(), answered: 5_012, refused: 1_370 },
            RefusedRequests { request: "Put".into(), answered: 4_988, refused: 7 },
        ],
        file: KV.into(),
        clients: 3,
        corpus: 31,
        regressions: vec![
            RegressionRun {
                file: "mayhap-regressions/48-put-nocontent.ndjson".into(),
                cause: "kv_etag.may:48 Put NoContent".into(),
                outcome: RegressionOutcome::Pass,
                known: false,
                failure: None,
            },
            RegressionRun {
                file: "mayhap-regressions/39-get-notfound.ndjson".into(),
                cause: "kv_etag.may:39 Get NotFound".into(),
                outcome: RegressionOutcome::Pass,
                known: false,
                failure: None,
            },
        ],
        texts: vec![SpecText { file: KV.into(), text }],
        ..CampaignReport::default()
    }
}

/// A server that takes a weak tag for a strong one.
pub fn violation() -> CampaignReport {
    let text = std::fs::read_to_string(root().join(KV)).unwrap();
    let weak = r#"{"weak": true, "opaque": "33f"}"#;
    let steps = Made::of(&text)
        .ask(1, 1, r#"{"Put": {"key": "a", "value": "x", "if_match": null}}"#)
        .answer(1, 1, "\"NoContent\"")
        .knows(&[("data", r#"{"a": {value: "x", tag: any}}"#)])
        .ask(3, 1, r#"{"Get": {"key": "a", "if_none_match": null}}"#)
        .answer(3, 1, &format!(r#"{{"Ok": {{"value": "x", "tag": {weak}}}}}"#))
        .knows(&[("data", r#"{"a": {value: "x", tag: {weak: true, opaque: "33f"}}}"#)])
        .ask(5, 1, &format!(r#"{{"Put": {{"key": "a", "value": "y", "if_match": {weak}}}}}"#))
        .with(|step| {
            let ShownAct::Ask { references, .. } = &mut step.act else { return };
            references.push("if_match = 4@Ok@tag".into());
        })
        .answer(5, 1, "\"NoContent\"")
        .fails(Some(place(KV, 48)), &["only PreconditionFailed was possible"])
        .steps;
    let found = FoundFailure {
        event: Some(4),
        requests_to_find: 212,
        script: concat!(
            r#"{"mayhap": 1, "spec": "kv_etag", "cause": "kv_etag.may:48 Put NoContent", "failed": [20, 20]}"#,
            "\n",
            r#"{"n": 1, "c": 1, "q": {"Put": {"key": "a", "value": "x", "if_match": null}}, "a": "NoContent"}"#,
            "\n",
            r#"{"n": 3, "c": 1, "q": {"Get": {"key": "a", "if_none_match": null}}, "a": {"Ok": {"value": "x", "tag": {"weak": true, "opaque": "33f"}}}}"#,
            "\n",
            r#"{"n": 5, "c": 1, "q": {"Put": {"key": "a", "value": "y", "if_match": {"$ref": "4@Ok@tag"}}}, "a": "NoContent"}"#,
            "\n"
        )
        .into(),
        shrunk_requests: 3,
        runs_to_shrink: 31,
        fails: (20, 20),
        explanation: [
            "because step 2 answered a weak tag, and a weak tag is equal to none strongly",
            "  (specs/kv_etag.may:48: `strong(r.tag, if_match)`)",
        ]
        .map(String::from)
        .into(),
        file: Some("mayhap-regressions/48-put-nocontent.ndjson".into()),
        again: Some("mayhap replay mayhap-regressions/48-put-nocontent.ndjson".into()),
        place: Some(place(KV, 48)),
        run: 2,
        original_requests: 97,
        minimal: true,
        steps,
        ..FoundFailure::new(FailureKind::Violation, "kv_etag.may:48 Put NoContent".into())
    };
    let baseline = BaselineReport { new: vec![found.cause.clone()], ..BaselineReport::default() };
    CampaignReport {
        requests: 212,
        runs: 2,
        verdict: CampaignVerdict::Violation,
        failures: vec![found],
        baseline: Some(baseline),
        ..pass()
    }
}

/// Two clients of three that both become the first, now and then.
pub fn race() -> CampaignReport {
    let text = "protocol ids {\n    request string;\n    response int;\n    var next: int = 0;\n    on q {\n        next := next + 1;\n        reply next;\n    }\n}\n";
    let steps = Made::of(text)
        .ask(1, 2, "\"first\"")
        .answer(1, 2, "1")
        .knows(&[("next", "1")])
        .act(ShownAct::Wait(1.5))
        .act(ShownAct::Together { labels: vec![3, 5], offsets: vec![0.0, 0.4] })
        .ask(3, 1, &format!("\"{}\"", "a name that is rather long, as names are ".repeat(8)))
        .ask(5, 3, "\"b\"")
        .answer(5, 3, "2")
        .knows(&[("next", "2 or 3")])
        .answer(3, 1, "2")
        .fails(Some(place("ids.may", 7)), &["only 3 was possible", "step 3 answered 2 to another client already"])
        .steps;
    let found = FoundFailure {
        event: Some(9),
        requests_to_find: 1,
        script: "{\"mayhap\": 1, \"spec\": \"ids\"}\n".into(),
        shrunk_requests: 3,
        runs_to_shrink: 64,
        fails: (7, 20),
        file: Some("regressions of mine/7.ndjson".into()),
        again: Some("mayhap replay 'regressions of mine/7.ndjson'".into()),
        run: 11,
        original_requests: 1_204,
        steps,
        ..FoundFailure::new(FailureKind::Violation, "ids.may:7 int".into())
    };
    CampaignReport {
        spec: "ids".into(),
        seed: 1,
        requests: 5_301,
        runs: 11,
        verdict: CampaignVerdict::Violation,
        failures: vec![found],
        file: "ids.may".into(),
        clients: 3,
        stopped: Some("interrupted".into()),
        texts: vec![SpecText { file: "ids.may".into(), text: text.into() }],
        ..CampaignReport::default()
    }
}

/// Text that ends whatever it stands in.
const HOSTILE: &str =
    "</script><img src=x onerror=\"alert(1)\"><!-- ]]> & %0A::error::;#quot;\u{7}\n%%{init}%% `x` 'y'";

/// A system that says the worst, and ends in each way.
pub fn hostile() -> CampaignReport {
    let text = format!(
        "protocol echo {{ // {}\n    request string;\n    response string;\n    on q {{ reply q; }}\n}}\n",
        HOSTILE.replace('\n', " ")
    );
    let request = format!("{HOSTILE:?}").replace("\\u{7}", "\\u0007").replace("\\'", "'");
    let kinds = [
        (FailureKind::Crash, ShownOutcome::Lost),
        (FailureKind::Hang, ShownOutcome::Missing),
        (FailureKind::Garbage, ShownOutcome::Garbage(HOSTILE.into())),
        (FailureKind::Refused, ShownOutcome::Refused),
        (FailureKind::Adapter, ShownOutcome::Closed),
        (FailureKind::Violation, ShownOutcome::Nothing),
    ];
    let failure = |(kind, outcome): (FailureKind, ShownOutcome)| FoundFailure {
        requests_to_find: 5,
        script: format!("{{\"n\": 1, \"c\": 1, \"q\": {request}}}\n"),
        shrunk_requests: 1,
        explanation: vec![HOSTILE.into()],
        place: Some(place("a,b:c.may", 4)),
        last_output: vec![HOSTILE.into(), "\u{1b}[31mred\u{1b}[0m".into()],
        steps: Made::of(&text)
            .act(ShownAct::Restart)
            .ask(1, 1, &request)
            .outcome(1, 1, outcome)
            .fails(None, &[HOSTILE])
            .knows(&[(HOSTILE, HOSTILE)])
            .steps,
        ..FoundFailure::new(kind, format!("{} of {HOSTILE}", kind.word()))
    };
    let run = |outcome| RegressionRun {
        file: "old.ndjson".into(),
        cause: HOSTILE.into(),
        outcome,
        known: false,
        failure: None,
    };
    CampaignReport {
        spec: "echo".into(),
        requests: 5,
        runs: 1,
        verdict: CampaignVerdict::Broken,
        failures: kinds.map(failure).into(),
        file: "a,b:c.may".into(),
        regressions: vec![
            run(RegressionOutcome::Fails(20, 20)),
            run(RegressionOutcome::Otherwise(HOSTILE.into())),
            run(RegressionOutcome::Error("the script is of another specification".into())),
            run(RegressionOutcome::Pass),
        ],
        undecided: vec![HOSTILE.into()],
        texts: vec![SpecText { file: "a,b:c.may".into(), text: text.clone() }],
        ..CampaignReport::default()
    }
}
