//! The words of HTTP at the places of requests and of answers: the part of the message that a place is decides which words fit.

use super::super::form::{FormKind, TypeForm};
use super::vocabulary::{KnownField, METHODS, OF_ANSWERS, OF_REQUESTS, PAST, SECONDS, STATUSES, values};
use crate::scalar::{Int, Scalar, Sort};
use crate::spec::http::{AnswerPart, FieldForm, HttpCodec, HttpForms, TextPart};

impl TypeForm {
    /// Notes the words of HTTP that fit the places of requests. `names` says whether the specification has a text.
    pub fn note_words_of_requests(&mut self, forms: &HttpForms, names: impl Fn(&str) -> bool) {
        for request in &forms.requests {
            for (name, part) in &request.headers {
                let TextPart::Field(FieldForm { index, codec, .. }) = part else { continue };
                self.note_values(self.field(request.tag, *index), *codec, (&SECONDS, values(&OF_REQUESTS, name)));
            }
            if let TextPart::Field(FieldForm { index, codec, .. }) = &request.method {
                self.note_values(self.field(request.tag, *index), *codec, (&[], &METHODS));
            }
            if let Some(field) = &request.other_headers {
                let taken = |name: &str| request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
                self.note_fields(request.tag, field.index, KnownField::all(&OF_REQUESTS, &taken, &names));
            }
        }
    }

    /// Notes the words of HTTP that fit the places of answers, for a server that is played. `names` says whether the specification has a text.
    pub fn note_words_of_answers(&mut self, forms: &HttpForms, names: impl Fn(&str) -> bool) {
        for answer in &forms.answers {
            let taken = |name: &str| {
                let is_it =
                    |part: &AnswerPart| matches!(part, AnswerPart::Header(own) if own.eq_ignore_ascii_case(name));
                answer.sources.iter().flatten().any(|source| is_it(&source.part))
            };
            for (index, source) in answer.sources.iter().enumerate() {
                let (Some(source), node) = (source, self.field(answer.tag, index)) else { continue };
                match &source.part {
                    AnswerPart::Status => {
                        self.note_words(node, |_| STATUSES.into_iter().map(Scalar::int).collect());
                    }
                    AnswerPart::Header(name) => {
                        self.note_values(node, source.codec, (&SECONDS[..PAST], values(&OF_ANSWERS, name)));
                    }
                    AnswerPart::Headers => {
                        self.note_fields(answer.tag, index, KnownField::all(&OF_ANSWERS, &taken, &names));
                    }
                    AnswerPart::Body => {}
                }
            }
        }
    }

    /// Notes values of a header, or dates if that is what it has.
    fn note_values(&mut self, node: Option<usize>, codec: HttpCodec, (dates, texts): (&[i64], &[&str])) {
        self.note_words(node, |sort| {
            let texts = texts.iter().copied();
            match (codec, sort) {
                (HttpCodec::Text | HttpCodec::List, Sort::Str) => texts.map(Scalar::str).collect(),
                (HttpCodec::Text, Sort::Int) => texts.filter_map(Int::parse).map(Scalar::Int).collect(),
                (HttpCodec::Date, Sort::Int) => dates.iter().copied().map(Scalar::int).collect(),
                _ => Vec::new(),
            }
        });
    }

    /// Notes words for the scalars at a place.
    fn note_words(&mut self, node: Option<usize>, words: impl Fn(Sort) -> Vec<Scalar>) {
        for node in node.map_or_else(Vec::new, |node| self.below(node)) {
            if let FormKind::Leaf(sort) = self.nodes[node].kind {
                self.nodes[node].words = words(sort);
            }
        }
    }

    /// Notes the known fields that a map of headers may have, unless the specification lists what it has.
    fn note_fields(&mut self, tag: Option<u32>, index: usize, fields: Vec<KnownField>) {
        let Some(node) = self.field(tag, index) else { return };
        let is_free = |node: &usize| self.nodes[*node].listed.is_none() && self.nodes[*node].lengths.is_none();
        if self.below(node).iter().all(is_free) {
            self.nodes[node].fields = fields;
            self.is_narrow = true;
        }
    }
}
