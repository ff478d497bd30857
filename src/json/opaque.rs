//! The type `json`, whose values can only be compared: each is read into a canonical text, which is the same for equal values.
//!
//! Numbers are compared exactly, members of an object in any order. A hole stands for the whole value only, not for a part of it.
//!
//! ```
//! use mayhap::json::{decode, encode};
//! use mayhap::spec::types::{JSON, Types};
//! let types = Types::new();
//! let value = decode(&types, JSON, r#"{"b":[1.50,15e-1],"\u0061":null}"#)?;
//! assert_eq!(encode(&types, JSON, &value), r#"{"a": null, "b": [1.5, 1.5]}"#);
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use super::decode::{Holes, JsonDecoder, Marks, NO_HOLES, twice};
use super::mark::{Marked, mark};
use super::text::quote;
use super::{Decoded, JsonError};
use crate::scalar::{Json, Scalar, number};
use crate::spec::types::JSON;
use std::borrow::Cow;
use std::ops::Range;

/// A member of an object that has been read.
struct JsonMember<'a> {
    name: Cow<'a, str>,
    /// The offset of the member in the text.
    at: usize,
    /// The range of the member's canonical text in the output.
    written: Range<usize>,
}

impl JsonDecoder<'_, '_> {
    /// Reads a value of type `json` that is no mark.
    pub(super) fn json(&mut self) -> Decoded<Scalar> {
        let mut out = String::new();
        self.canonical(&mut out)?;
        Ok(Scalar::Json(Json::of_canonical(&out)))
    }

    /// Reads a part of a value and writes it in canonical form.
    fn part(&mut self, out: &mut String) -> Decoded<()> {
        let at = self.scanner.here();
        match if self.marks == Marks::Read { mark(&mut self.scanner) } else { None } {
            None => self.canonical(out),
            Some(Marked::Literal) => self.literal(|this| this.canonical(out)),
            Some(Marked::Reference(_)) => Err(JsonError::new(
                at,
                "a reference cannot stand for a part of a `json`: put one in the place of the whole",
            )),
            Some(Marked::Hole) => Err(JsonError::new(
                at,
                match self.holes {
                    Holes::Read => "a hole cannot stand for a part of a `json`: put one in the place of the whole",
                    Holes::Refused => NO_HOLES,
                },
            )),
        }
    }

    fn canonical(&mut self, out: &mut String) -> Decoded<()> {
        match self.scanner.peek() {
            Some(b'{') => return self.deeper(|this| this.members(out)),
            Some(b'[') => return self.deeper(|this| this.elements(out)),
            Some(b'"') => quote(out, &self.scanner.string()?),
            Some(b'-' | b'0'..=b'9') => out.push_str(&number(self.scanner.number()?)),
            _ => match ["null", "true", "false"].into_iter().find(|word| self.scanner.literal(word)) {
                Some(word) => out.push_str(word),
                None => return Err(self.scanner.expected("json (any value)")),
            },
        }
        Ok(())
    }

    fn elements(&mut self, out: &mut String) -> Decoded<()> {
        out.push('[');
        self.array(JSON, |this, index| {
            out.push_str(if index > 0 { ", " } else { "" });
            this.part(out)
        })?;
        out.push(']');
        Ok(())
    }

    /// Reads an object and writes its members in the order of their names.
    fn members(&mut self, out: &mut String) -> Decoded<()> {
        let mut members: Vec<JsonMember<'_>> = Vec::new();
        out.push('{');
        let begin = out.len();
        self.sequence(JSON, b'{', b'}', |this, index| {
            let at = this.scanner.here();
            let name = this.scanner.string()?;
            this.scanner.expect(b':')?;
            out.push_str(if index > 0 { ", " } else { "" });
            let start = out.len();
            quote(out, &name);
            out.push_str(": ");
            this.part(out).map_err(|error| error.within(&format!("[{name:?}]")))?;
            members.push(JsonMember { name, at, written: start..out.len() });
            Ok(())
        })?;
        if !members.is_sorted_by(|a, b| a.name < b.name) {
            let sorted = sorted(out, members)?;
            out.truncate(begin);
            out.push_str(&sorted);
        }
        out.push('}');
        Ok(())
    }
}

/// The texts of members in the order of their names.
fn sorted(written: &str, mut members: Vec<JsonMember<'_>>) -> Decoded<String> {
    members.sort_by(|a, b| a.name.cmp(&b.name));
    let again = members.windows(2).filter(|two| two[0].name == two[1].name).map(|two| &two[1]);
    if let Some(second) = again.min_by_key(|member| member.at) {
        return Err(twice(second.at, "key", &second.name));
    }
    let texts: Vec<&str> = members.iter().map(|member| &written[member.written.clone()]).collect();
    Ok(texts.join(", "))
}

/// Appends a value as JSON; if marks are read and the value contains one, it is wrapped as `{"$lit": v}`.
pub(super) fn write(out: &mut String, json: &Json, marks: Marks) {
    // Quotes inside of a string are escaped, so these texts are the beginnings of objects.
    let has = |mark: &str| json.text().contains(mark);
    let has_mark = has("{\"$any\": null}") || has("{\"$lit\": ") || has("{\"$ref\": \"") && has("\"was\": ");
    if marks == Marks::Read && has_mark {
        out.extend(["{\"$lit\": ", json.text(), "}"]);
    } else {
        out.push_str(json.text());
    }
}
