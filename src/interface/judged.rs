//! Values that are judged by a specification: each call is a request, and its result the answer.
//!
//! `slab.insert(7)`, which returned 0, is the exchange `{"Insert": 7}`, `{"Insert": 0}`.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::call::{InterfaceFinding, Made};
use crate::json;
use crate::judge::{Exchange, Judge, Observed, Options, Verdict};
use crate::report::reason;
use crate::spec::Spec;
use crate::spec::types::{Type, TypeId, VariantDef};

thread_local! {
    /// The specifications of this thread, by the address of their text.
    static SPECS: RefCell<FxHashMap<usize, Arc<Spec>>> = RefCell::default();
}

/// The model of a value that a specification judges: the calls so far, and the states that explain them.
#[derive(Clone)]
pub struct JudgedValue {
    judge: Judge,
    exchanges: Vec<Exchange>,
    /// True if a call was too hard to judge: later ones are not judged.
    is_open: bool,
}

/// An argument as JSON.
///
/// # Panics
/// It does not serialise.
pub fn text_of<T: Serialize + ?Sized>(value: &T) -> String {
    json::line(value).unwrap_or_else(|why| panic!("a value has no JSON: {why}"))
}

impl JudgedValue {
    /// A new value, by a specification.
    ///
    /// # Panics
    /// The text is no specification; the message says where.
    #[must_use]
    pub fn by(spec: &'static str) -> JudgedValue {
        let read = || Spec::from_text(spec).unwrap_or_else(|why| panic!("{why}"));
        let spec = SPECS.with_borrow_mut(|specs| specs.entry(spec.as_ptr() as usize).or_insert_with(read).clone());
        JudgedValue { judge: Judge::new(spec, Options::default()), exchanges: Vec::new(), is_open: false }
    }

    /// Checks that a text is a specification, and has these requests.
    ///
    /// # Panics
    /// It is none, or has not; the message says where.
    pub fn check(text: &'static str, file: &str, requests: &[&str]) {
        let spec = Spec::from_text(text).unwrap_or_else(|why| panic!("{file}: {why}"));
        let missing = requests.iter().find(|name| variant(&spec, spec.program.request, name).is_none());
        if let Some(name) = missing {
            panic!("{file}: the specification has no request `{name}`");
        }
    }

    /// The request of a call.
    fn request(&self, name: &str, arguments: &[(&'static str, String)]) -> String {
        let spec = self.judge.spec();
        let variant = variant(spec, spec.program.request, name);
        let variant = variant.unwrap_or_else(|| panic!("the specification has no request `{name}`"));
        let named = variant.fields.iter().any(|(field, _)| field.is_some());
        let values: Vec<&str> = arguments.iter().map(|(_, value)| &**value).collect();
        let quoted = json::quoted(name);
        match &*values {
            [] => quoted,
            _ if named => {
                let fields = arguments.iter().map(|(field, value)| format!("{}: {value}", json::quoted(field)));
                format!("{{{quoted}: {{{}}}}}", fields.collect::<Vec<_>>().join(", "))
            }
            [value] => format!("{{{quoted}: {value}}}"),
            values => format!("{{{quoted}: [{}]}}", values.join(", ")),
        }
    }
}

/// The variant of a type that a name has.
pub(super) fn variant<'s>(spec: &'s Spec, ty: TypeId, name: &str) -> Option<&'s VariantDef> {
    match spec.types.get(ty) {
        Type::Enum(at) => spec.types.enums[*at as usize].variants.iter().find(|variant| variant.name == name),
        _ => None,
    }
}

/// The answer of a call: in the variant of its name, if there is one.
pub(super) fn answer(spec: &Spec, name: &str, result: &str) -> String {
    match variant(spec, spec.program.response, name) {
        Some(variant) if variant.fields.is_empty() => json::quoted(name),
        Some(_) => format!("{{{}: {result}}}", json::quoted(name)),
        None => result.to_owned(),
    }
}

impl Made {
    /// Judges a call by a specification.
    ///
    /// # Errors
    /// No server that follows the specification would have answered so.
    ///
    /// # Panics
    /// The specification has no such request, or the values do not have its types.
    pub fn judged(
        &mut self,
        judged: &mut JudgedValue,
        name: &str,
        arguments: &[(&'static str, String)],
        result: String,
    ) -> Result<(), InterfaceFinding> {
        let spec = judged.judge.spec().clone();
        let (asked, answered) = (judged.request(name, arguments), answer(&spec, name, &result));
        let read = |ty: TypeId, text: &str| {
            json::decode(&spec.types, ty, text)
                .unwrap_or_else(|why| panic!("{text} is no value of the specification: {why}"))
        };
        let request = read(spec.program.request, &asked);
        let answer = read(spec.program.response, &answered);
        let line = judged.exchanges.len() as u64 + 1;
        judged.exchanges.push(Exchange { line, client: 1, request, observed: Observed::Answer(answer) });
        if judged.is_open {
            self.undecided = true;
            return Ok(());
        }
        let exchange = judged.exchanges.last().expect("it was pushed");
        if judged.judge.observe(exchange) && !judged.judge.is_cut() {
            return Ok(());
        }
        match judged.judge.verdict() {
            Verdict::Accept { .. } => Ok(()),
            Verdict::Reject { .. } => {
                let why = self.notes.then(|| reason::explain(&spec, &judged.exchanges)).flatten();
                let why = why.map_or_else(String::new, |why| why.lines.join("\n"));
                Err(InterfaceFinding::Rejected { request: asked, answer: answered, why })
            }
            _ => {
                judged.is_open = true;
                self.undecided = true;
                Ok(())
            }
        }
    }
}
