//! Reading a value as it is usually written: the text of its [`Form`] is compared as it stands, only the gaps are read.
//!
//! What is written otherwise is left to the [decoder](super::decode_recorded). A part that does not begin as usual (a hole, a
//! string with escapes, a large number) is read by it in its place; where a text goes on otherwise nothing is left to be read,
//! so all templates around it fail as well, and the decoder reads the whole. So there is one value, however it is read:
//!
//! ```
//! use mayhap::json::{Forms, Scanner, Spacing, decode_recorded};
//! use mayhap::spec::types::{BOOL, INT, Types};
//! let mut types = Types::new();
//! let pair = types.tuple(vec![INT, BOOL]);
//! let forms = Forms::new(&types, Spacing::Compact);
//! for text in ["[5,true]", "[5 , true]", "[\"5\",{\"$any\": null}]", "[5]"] {
//!     assert_eq!(forms.next(&types, pair, &mut Scanner::new(text)), decode_recorded(&types, pair, text).ok());
//! }
//! ```

use super::decode::{MAX_DEPTH, next_within};
use super::form::{Form, Forms, Gap, Template};
use super::{Observed, Scanner};
use crate::scalar::{Int, Scalar, Token};
use crate::spec::types::{TypeId, Types};
use crate::value::Value;

impl Forms {
    /// The recorded value of type `id` that comes next; none where there is an error, which the decoder tells.
    #[inline]
    pub fn next(&self, types: &Types, id: TypeId, scanner: &mut Scanner<'_>) -> Option<Value> {
        if let Form::Int = self.of(id)
            && let Some(small) = scanner.small_number()
        {
            return Some(Value::from(small));
        }
        let mut quick = Quick { types, forms: self, scanner: *scanner };
        let value = quick.value(id, 0);
        if quick.is_astray() {
            return next_within(types, id, scanner, 0).ok();
        }
        *scanner = quick.scanner;
        Some(value)
    }

    /// The answer of type `id` that comes next, as [`Forms::next`] reads values.
    #[inline]
    pub fn next_answer(&self, types: &Types, id: TypeId, scanner: &mut Scanner<'_>) -> Option<Observed> {
        self.next(types, id, scanner).map(|value| match value {
            Value::Any => Observed::Any,
            known => Observed::Value(known),
        })
    }
}

struct Quick<'t, 'a> {
    types: &'t Types,
    forms: &'t Forms,
    scanner: Scanner<'a>,
}

impl<'t> Quick<'t, '_> {
    /// A value that so many others are around; anything where it went astray.
    fn value(&mut self, id: TypeId, depth: usize) -> Value {
        let scalar = match self.forms.of(id) {
            _ if depth == MAX_DEPTH => None,
            Form::Data(templates) => return self.data(id, templates, depth),
            Form::Option(of) => return self.option(*of, depth),
            Form::List(of) => return self.list(id, *of, depth),
            Form::Str => self.scanner.plain_string().map(Scalar::str),
            Form::Bytes => self.scanner.plain_string().map(|text| Scalar::bytes(text.as_bytes())),
            Form::Token => self.token(),
            Form::Int => self.scanner.small_number().map(|int| Scalar::Int(Int::small(int))),
            Form::Bool => self.scanner.truth().map(Scalar::Bool),
            Form::Other => None,
        };
        match scalar {
            Some(scalar) => Value::Scalar(scalar),
            None => self.general(id, depth),
        }
    }

    fn token(&mut self) -> Option<Scalar> {
        let token = match self.scanner.plain_string() {
            Some(text) => Token::Text(text.into()),
            None => Token::Number(Int::small(self.scanner.small_number()?)),
        };
        Some(Scalar::Token(token))
    }

    fn option(&mut self, of: TypeId, depth: usize) -> Value {
        if self.scanner.literal("null") {
            return Value::NONE;
        }
        match self.value(of, depth + 1) {
            // Nothing is known, not even whether there is something.
            Value::Any => Value::Any,
            some => Value::some(some),
        }
    }

    fn list(&mut self, id: TypeId, of: TypeId, depth: usize) -> Value {
        if !self.scanner.eat(b'[') {
            return self.general(id, depth);
        }
        let mut elements = Vec::new();
        if self.scanner.eat(b']') {
            return Value::list(elements);
        }
        loop {
            elements.push(self.value(of, depth + 1));
            if !self.scanner.eat(b',') {
                break;
            }
        }
        if !self.scanner.eat(b']') {
            self.go_astray();
        }
        Value::list(elements)
    }

    fn data(&mut self, id: TypeId, templates: &'t [Template], depth: usize) -> Value {
        let found = templates.iter().position(|template| self.scanner.eat_text(&template.begin));
        let Some(tag) = found else { return self.general(id, depth) };
        let gaps = &templates[tag].gaps;
        Value::Data {
            tag: tag as u32,
            fields: if gaps.is_empty() {
                None
            } else {
                Some(gaps.iter().map(|gap| self.field(gap, depth + 1)).collect())
            },
        }
    }

    fn field(&mut self, gap: &Gap, depth: usize) -> Value {
        let value = self.value(gap.of, depth);
        if !self.scanner.eat_text(&gap.behind) {
            self.go_astray();
        }
        value
    }

    /// A value read without its form.
    #[cold]
    fn general(&mut self, id: TypeId, depth: usize) -> Value {
        if self.is_astray() {
            return Value::Absent;
        }
        next_within(self.types, id, &mut self.scanner, depth).unwrap_or_else(|_| {
            self.go_astray();
            Value::Absent
        })
    }

    fn go_astray(&mut self) {
        self.scanner.at = self.scanner.text.len();
    }

    fn is_astray(&self) -> bool {
        self.scanner.at == self.scanner.text.len()
    }
}
