//! Properties of random scripts of shipped specifications: they read back, references keep their values, and damaged text causes
//! no panic.

use std::sync::Arc;

use super::*;
use crate::choice::{Choices, Random};
use crate::json;
use crate::server::{Ranges, Reply, Server};
use crate::spec::Spec;

const SPECS: &[&str] = &[
    include_str!("../../specs/kv_etag.may"),
    include_str!("../../specs/memcached.may"),
    include_str!("../../specs/lease.may"),
    include_str!("../../specs/bank.may"),
    include_str!("../../specs/pages.may"),
    include_str!("../../specs/documents.may"),
    include_str!("../../specs/idgen.may"),
];

/// A script of a random client, with references in the place of values that were seen before.
fn random_script(spec: &Arc<Spec>, source: &mut Random, requests: u64) -> Script {
    let mut server = Server::new(spec.clone(), Ranges::default(), source).unwrap();
    let (types, program) = (&spec.types, &spec.program);
    let mut seen: Vec<(Value, Reference)> = Vec::new();
    let mut script =
        Script { header: ScriptHeader { spec: program.name.clone(), ..ScriptHeader::default() }, steps: Vec::new() };
    let mut held: Vec<ScriptStep> = Vec::new();
    for number in 0..requests {
        let label = 2 * number + 1;
        let asked = server.asked(3, source).unwrap();
        let note = |label: u64, ty, value: &Value, seen: &mut Vec<(Value, Reference)>| {
            let parts = scalar_parts(types, ty, value).into_iter();
            seen.extend(parts.map(|part| {
                (Value::Scalar(part.scalar.clone()), Reference { label, path: part.path, via: None, plus: 0 })
            }));
        };
        let mut references = Vec::new();
        for part in scalar_parts(types, program.request, &asked.request) {
            let same: Vec<_> = seen.iter().filter(|(value, _)| *value == Value::Scalar(part.scalar.clone())).collect();
            if !same.is_empty() && source.choose("refer", 2).unwrap() == 0 {
                let (_, to) = same[source.choose("to", same.len()).unwrap()];
                references.push(PlacedReference { at: part.at, to: to.clone() });
            }
        }
        let request = RequestTemplate { value: asked.request.clone(), references };
        let request = request.sent_as(types, program.request, asked.request.clone());
        note(label, program.request, &asked.request, &mut seen);
        script.steps.push(ScriptStep::Ask { label, client: asked.client, request });
        let seen_now = match asked.reply {
            Reply::Answer(answer) => {
                note(label + 1, program.response, &answer, &mut seen);
                RecordedOutcome::Answer(answer)
            }
            Reply::Nothing => RecordedOutcome::Lost,
        };
        let is_held = seen_now != RecordedOutcome::Lost && source.choose("held", 3).unwrap() == 0;
        let step = ScriptStep::Await { label, seen: seen_now };
        if is_held {
            held.push(step);
        } else {
            // The answers on one connection come in order.
            script.steps.append(&mut held);
            script.steps.push(step);
        }
        match source.choose("pause", 12).unwrap() {
            0 => script.steps.push(ScriptStep::Wait(0.25)),
            1 => {
                script.steps.push(ScriptStep::Together { labels: vec![label + 2, label + 4], offsets: vec![0.0, 1.5] })
            }
            _ => {}
        }
    }
    script.steps.append(&mut held);
    script.steps.retain(|step| !matches!(step, ScriptStep::Together { labels, .. } if labels[1] > 2 * requests - 1));
    let mut released = 0;
    script.steps.retain(|step| match step {
        ScriptStep::Together { labels, .. } => {
            std::mem::replace(&mut released, labels[1]) < labels[0] || labels[0] == 1
        }
        _ => true,
    });
    script
}

#[test]
fn random_scripts_read_back() {
    for text in SPECS {
        let spec = Spec::from_text(text).unwrap();
        for seed in 0..20 {
            let script = random_script(&spec, &mut Random::new(seed), 25);
            let written = script.write(&spec);
            let read = Script::read(&spec, &written).unwrap_or_else(|error| panic!("{}", error.render("s")));
            assert_eq!(read, script, "seed {seed}\n{written}");
        }
    }
}

#[test]
fn references_mean_what_they_were() {
    let mut looked_at = 0;
    for text in SPECS {
        let spec = Spec::from_text(text).unwrap();
        let script = random_script(&spec, &mut Random::new(7), 60);
        let mut messages = Messages::new(&spec);
        let mut trees = Vec::new();
        for step in &script.steps {
            let (label, kind, ty, value) = match step {
                ScriptStep::Ask { label, request, .. } => {
                    // Some refer to answers that come later.
                    if request.references.iter().all(|reference| messages.get(reference.to.label).is_some()) {
                        looked_at += request.references.len();
                        assert_eq!(request.instantiate(&messages), request.value);
                    }
                    (*label, MessageKind::Request, spec.program.request, request.value.clone())
                }
                ScriptStep::Await { label, seen: RecordedOutcome::Answer(answer) } => {
                    (*label + 1, MessageKind::Response, spec.program.response, answer.clone())
                }
                _ => continue,
            };
            trees.push((label, JsonTree::read(&json::encode(&spec.types, ty, &value)).unwrap()));
            // The typed lookup of a part and the lookup in JSON give the same value.
            for part in scalar_parts(&spec.types, ty, &value) {
                let reference = Reference { label, path: part.path, via: None, plus: 0 };
                let found = evaluated(&reference, &trees).map(JsonTree::text);
                let scalar = Value::Scalar(part.scalar.clone());
                let bytes = matches!(part.scalar, crate::scalar::Scalar::Bytes(_) | crate::scalar::Scalar::Json(_));
                assert!(bytes || found == Some(json::encode(&spec.types, ty, &scalar)), "{reference} in {step:?}");
                let again = Reference::read(&reference.to_string()).unwrap();
                assert_eq!(again, reference);
            }
            messages.push(label, kind, value);
        }
    }
    assert!(looked_at > 100, "{looked_at} references");
}

#[test]
fn damaged_scripts_are_told_where() {
    let spec = Spec::from_text(SPECS[0]).unwrap();
    let text = random_script(&spec, &mut Random::new(3), 8).write(&spec);
    let lines = text.lines().count() as u64;
    let (mut refused, mut source) = (0, Random::new(1));
    for at in (0..text.len()).filter(|at| text.is_char_boundary(*at) && text.is_char_boundary(at + 1)) {
        let damage = ["", "{", "}", "\"", ":", ",", "#", "@", "1", "-", "e", "$"][source.choose("damage", 12).unwrap()];
        for damaged in [format!("{}{damage}{}", &text[..at], &text[at + 1..]), text[..at].to_owned()] {
            match Script::read(&spec, &damaged) {
                Ok(read) => {
                    let again = Script::read(&spec, &read.write(&spec)).expect("what is written can be read");
                    assert_eq!(again.write(&spec), read.write(&spec));
                }
                Err(error) => {
                    refused += 1;
                    assert!((1..=lines).contains(&error.line), "{error}");
                    assert!(error.column > 0 && !error.message.is_empty(), "{error}");
                }
            }
        }
    }
    assert!(refused > 500, "{refused} of {} were refused", text.len());
}
