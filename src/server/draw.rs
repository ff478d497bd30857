//! Random values: each unbounded choice is made by a few bounded ones (a size, then a value).

use std::sync::Arc;

use super::listed::{ListedValues, PlaceList};
use crate::choice::{ChoiceError, Choices, Label, label};
use crate::process::{Choice, Fresh};
use crate::scalar::{Int, Json, Scalar, Sort, Token};
use crate::spec::generation::field_name;
use crate::spec::types::VariantDef;
use crate::spec::{Type, TypeId, Types};
use crate::value::{self, Presence, Value};

/// The ranges that integers are drawn from, each with the first integer, and the first one after it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ranges {
    /// The range of integers in requests.
    pub request: Option<(i64, i64)>,
    /// The range of integers that the server chooses.
    pub choose: Option<(i64, i64)>,
}

/// The variety of drawn values, except for integers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Variety {
    /// Many values, some more often than others, for a random client.
    #[default]
    Wide,
    /// Few values, so that all can be visited: a text is `a` or `b`, and a collection has at most one element.
    Small,
}

/// The weights of small, negative, medium and large integers.
const KINDS: [u64; 4] = [5, 1, 1, 1];

/// The name of a whole request in the labels of choices.
pub(super) const REQUEST: &str = "request";

/// The name of the value that is being drawn, for the labels of choices.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelPath {
    /// The subject, and then the fields down to the current part.
    path: String,
    /// The line of the specification at which the choice is made; empty for a request.
    line: String,
}

/// The rules by which values are drawn, and the existing tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    pub(super) ranges: Ranges,
    pub(super) variety: Variety,
    /// The number of existing tokens: t1, t2 …
    pub(super) tokens: usize,
    /// The name of the value that is being drawn; `None` if the labels of choices need none.
    pub(super) naming: Option<LabelPath>,
    /// The values that are listed for the fields of requests; `None` before the first request.
    pub(super) listed: Option<Arc<ListedValues>>,
    /// True if parts of answers that nobody has looked at are drawn, instead of being the simplest.
    pub(super) draws_unseen: bool,
    /// The field that is being drawn, as in `Note.due`; `None` in a choice of the server.
    pub(super) field: Option<String>,
}

/// The number of elements that a collection stays below, with wide and with small variety.
const ELEMENTS: [usize; 2] = [4, 2];
/// The depth below which values have no recursion, with wide and with small variety.
const DEPTH: [usize; 2] = [6, 2];
/// The number of last tokens from which a token that is not new is drawn.
const RECENT: usize = 8;
/// The number of letters that strings are drawn from, with wide and with small variety.
const LETTERS: [usize; 2] = [6, 2];

/// The most levels of arrays and objects in a drawn JSON value.
const JSON_DEPTH: usize = 2;
/// The weights of the kinds of JSON values: null, truth value, number, string, array, object.
const JSON_KINDS: [u64; 6] = [1, 1, 2, 3, 1, 2];

type Drawn<T> = Result<T, ChoiceError>;

impl Drawing {
    pub(super) fn new(ranges: Ranges, variety: Variety) -> Drawing {
        let naming = (variety == Variety::Small).then(LabelPath::default);
        Drawing { ranges, variety, naming, ..Drawing::default() }
    }

    /// The bound for the variety of this drawing.
    pub(super) fn bound(&self, [wide, small]: [usize; 2]) -> usize {
        match self.variety {
            Variety::Wide => wide,
            Variety::Small => small,
        }
    }

    /// Counts the tokens of a request as existing, so that none of them is made again.
    pub(super) fn see(&mut self, value: &Value) {
        match value {
            Value::Scalar(Scalar::Token(Token::Text(text))) => {
                if let Some(number) = text.strip_prefix('t').and_then(|rest| rest.parse::<usize>().ok())
                    && number <= self.tokens + 1
                {
                    self.tokens = self.tokens.max(number);
                }
            }
            Value::Data { .. } => value.fields().iter().for_each(|field| self.see(field)),
            Value::List(list) => list.iter().for_each(|element| self.see(element)),
            _ => {}
        }
    }

    /// A source of variables whose numbers no token has, as a model names its tokens after its variables.
    pub(super) fn fresh(&self) -> Fresh {
        Fresh { last: self.tokens as u64 }
    }

    /// Draws for a request.
    pub(super) fn asking<'d>(&'d mut self, types: &'d Types, source: &'d mut dyn Choices) -> Draws<'d> {
        Draws { range: self.ranges.request, drawing: self, types, source, asks: true }
    }

    /// Draws for a choice of the server.
    pub(super) fn choosing<'d>(&'d mut self, types: &'d Types, source: &'d mut dyn Choices) -> Draws<'d> {
        Draws { range: self.ranges.choose, drawing: self, types, source, asks: false }
    }

    /// Names the value that is drawn next, if the labels of choices need names.
    pub(super) fn draw_for(&mut self, subject: &str, line: &str) {
        if let Some(naming) = &mut self.naming {
            *naming = LabelPath { path: subject.to_owned(), line: line.to_owned() };
        }
    }

    /// The label of a choice: `what`, after the name of the value.
    pub(super) fn label(&self, what: Label) -> Label {
        let Some(LabelPath { path, line }) = &self.naming else { return what };
        let text = match what {
            "elements" | "option" => format!("{path}: {what}{line}"),
            _ => format!("{path}{line}"),
        };
        label(&text).unwrap_or(what)
    }
}

/// Draws values of a specification's types.
pub(super) struct Draws<'d> {
    drawing: &'d mut Drawing,
    types: &'d Types,
    /// The range that integers are drawn from.
    range: Option<(i64, i64)>,
    source: &'d mut dyn Choices,
    /// Set if a request is drawn.
    asks: bool,
}

impl Draws<'_> {
    fn choose(&mut self, what: Label, arity: usize) -> Drawn<usize> {
        self.source.choose(self.drawing.label(what), arity)
    }

    fn weighted(&mut self, what: Label, weights: &[u64]) -> Drawn<usize> {
        self.source.weighted(self.drawing.label(what), weights)
    }

    /// Draws a request of a type.
    pub fn request(&mut self, ty: TypeId) -> Drawn<Value> {
        self.drawing.draw_for(REQUEST, "");
        self.of_type(ty)
    }

    /// Draws a value of a type, as for a choice of the server.
    pub fn of_type(&mut self, ty: TypeId) -> Drawn<Value> {
        self.value(ty, self.drawing.bound(DEPTH))
    }

    /// Draws a request of the same form as another one of a type, with other scalars. Maps and sets stay as they are.
    pub fn of_form(&mut self, ty: TypeId, request: &Value) -> Drawn<Value> {
        if let Some(listed) = self.listed(ty)? {
            return Ok(listed);
        }
        let types = self.types;
        Ok(match request {
            Value::Scalar(Scalar::Int(_)) => Value::Scalar(self.integer(&KINDS)?),
            Value::Scalar(scalar) => Value::Scalar(self.scalar(scalar.sort())?),
            Value::Data { tag, .. } => {
                let typed = types.fields(ty, *tag).into_iter().zip(request.fields()).enumerate();
                let fields =
                    typed.map(|(at, ((_, of), part))| self.field(ty, *tag, at, |draws| draws.of_form(of, part)));
                Value::data(*tag, fields.collect::<Drawn<Vec<_>>>()?)
            }
            Value::List(list) => {
                let of = if let Type::List(of) = types.get(ty) { *of } else { ty };
                Value::list(list.iter().map(|element| self.of_form(of, element)).collect::<Drawn<Vec<_>>>()?)
            }
            Value::Map(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => request.clone(),
            Value::Unknown(_) | Value::Any | Value::Absent => request.clone(),
        })
    }

    /// Draws the value of a choice; `None` if there is nothing to choose from.
    pub fn choice(&mut self, choice: &Choice) -> Drawn<Option<Value>> {
        match choice {
            Choice::Type(ty) => self.of_type(*ty).map(Some),
            Choice::Alternatives(2) => Ok(Some(Value::from(self.choose("either", 2)? == 0))),
            Choice::Alternatives(n) => Ok(Some(Value::from(self.choose("alternative", *n as usize)? as i64))),
            Choice::Range(from, to) => self.between(from, to),
            Choice::Element(over, _) => {
                let elements = value::elements(over).unwrap_or_default();
                let there: Vec<&Value> =
                    elements.iter().filter(|(presence, _)| *presence == Presence::Always).map(|(_, e)| e).collect();
                if there.is_empty() {
                    return Ok(None);
                }
                Ok(Some(there[self.choose("element", there.len())?].clone()))
            }
        }
    }

    /// Draws a value for a symbol of a sort, as for a choice of the server, but no large integer, as it may be the length of a
    /// list that is shown later.
    pub fn scalar(&mut self, sort: Sort) -> Drawn<Scalar> {
        Ok(match sort {
            Sort::Bool => Scalar::Bool(self.choose("bool", 2)? == 1),
            Sort::Int => self.integer(&KINDS[..3])?,
            Sort::Str => Scalar::str(&self.letters()?),
            Sort::Bytes => Scalar::Bytes(self.letters()?.as_bytes().into()),
            Sort::Client => Scalar::Client(self.choose("client", 4)? as u64),
            Sort::Json => Scalar::Json(Json::of_canonical(&self.json(JSON_DEPTH)?)),
            Sort::Token(_) => self.token()?,
        })
    }

    /// Draws a value that is listed for the field, if there are such values of a type.
    fn listed(&mut self, ty: TypeId) -> Drawn<Option<Value>> {
        let Some(lists) = self.drawing.listed.as_ref().filter(|_| self.asks) else { return Ok(None) };
        let listed = lists.values(self.types, self.drawing.field.as_deref(), ty);
        let Some(PlaceList { values, .. }) = listed else { return Ok(None) };
        Ok(Some(values[self.choose("listed value", values.len())?].clone()))
    }

    /// Draws a field of a struct or a variant of this type; a part of an option stays in its field.
    fn field<T>(&mut self, ty: TypeId, tag: u32, at: usize, draw: impl FnOnce(&mut Self) -> T) -> T {
        let is_listed = self.drawing.listed.as_ref().is_some_and(|listed| !listed.is_empty());
        if !is_listed || matches!(self.types.get(ty), Type::Option(_)) {
            return draw(self);
        }
        let name = field_name(self.types, ty, tag, at);
        let before = self.drawing.field.replace(name);
        let drawn = draw(self);
        self.drawing.field = before;
        drawn
    }

    fn value(&mut self, ty: TypeId, depth: usize) -> Drawn<Value> {
        let types = self.types;
        if let Some(listed) = self.listed(ty)? {
            return Ok(listed);
        }
        Ok(match types.get(ty) {
            Type::Unit | Type::Error => Value::UNIT,
            Type::Int => Value::Scalar(self.integer(&KINDS)?),
            Type::Bool => Value::Scalar(self.scalar(Sort::Bool)?),
            Type::Str => Value::Scalar(self.scalar(Sort::Str)?),
            Type::Bytes => Value::Scalar(self.scalar(Sort::Bytes)?),
            Type::Client => Value::Scalar(self.scalar(Sort::Client)?),
            Type::Json => Value::Scalar(self.scalar(Sort::Json)?),
            Type::Token(token) => Value::Scalar(self.scalar(Sort::Token(*token))?),
            Type::Option(_) if depth == 0 || self.choose("option", 2)? == 0 => Value::NONE,
            Type::Option(inner) => Value::some(self.value(*inner, depth - 1)?),
            Type::Tuple(_) | Type::Struct(_) => self.fields(ty, 0, depth)?,
            Type::Enum(at) => {
                let variants = &types.enums[*at as usize].variants;
                let tag = self.variant(ty, *at, variants, depth)?;
                self.variant_of(&variants[tag].name, |draws| draws.fields(ty, tag as u32, depth))?
            }
            Type::List(of) => Value::list(self.several(*of, depth)?),
            Type::Set(of) => {
                let elements = self.several(*of, depth)?;
                Value::Map(value::Map::of(elements.into_iter().map(|element| (element, Value::UNIT))))
            }
            Type::Map(key, of) => {
                let field = self.drawing.field.take();
                let keys = self.several(*key, depth)?.into_iter().enumerate();
                self.drawing.field = field;
                let draw = |draws: &mut Self| draws.value(*of, depth.saturating_sub(1));
                let entries = keys.map(|(at, key)| Ok((key, self.part(Some("value"), at, draw)?)));
                Value::Map(value::Map::of(entries.collect::<Drawn<Vec<_>>>()?))
            }
        })
    }

    /// Draws a variant of an enum. Deep inside of a value it is one without recursion.
    fn variant(&mut self, ty: TypeId, at: u32, variants: &[VariantDef], depth: usize) -> Drawn<usize> {
        let types = self.types;
        let flat = |tag: &usize| {
            let recursive = |ty: &Type| matches!(ty, Type::Enum(inner) if *inner == at);
            variants[*tag].fields.iter().all(|field| types.find(field.1, &mut |ty| recursive(ty)).is_none())
        };
        let mut possible: Vec<usize> = (0..variants.len()).filter(|tag| depth > 0 || flat(tag)).collect();
        if possible.is_empty() {
            possible.extend(0..variants.len());
        }
        if let Some(lists) = self.drawing.listed.as_ref().filter(|lists| self.asks && lists.weighs()) {
            let weights: Vec<u64> = possible.iter().map(|tag| lists.weight(ty, *tag as u32)).collect();
            if weights.iter().any(|weight| *weight > 0) {
                return Ok(possible[self.weighted("variant", &weights)?]);
            }
        }
        Ok(possible[self.choose("variant", possible.len())?])
    }

    fn fields(&mut self, ty: TypeId, tag: u32, depth: usize) -> Drawn<Value> {
        let fields = self.types.fields(ty, tag).into_iter().enumerate();
        let drawn = fields.map(|(at, (name, of))| {
            self.field(ty, tag, at, |draws| draws.part(name, at, |draws| draws.value(of, depth.saturating_sub(1))))
        });
        Ok(Value::data(tag, drawn.collect::<Drawn<Vec<Value>>>()?))
    }

    /// Draws the number of elements of a collection.
    pub fn count(&mut self) -> Drawn<usize> {
        self.choose("elements", self.drawing.bound(ELEMENTS))
    }

    fn several(&mut self, of: TypeId, depth: usize) -> Drawn<Vec<Value>> {
        let count = if depth == 0 { 0 } else { self.count()? };
        (0..count).map(|at| self.part(None, at, |draws| draws.value(of, depth - 1))).collect()
    }

    /// Draws an existing token, or a new one.
    fn token(&mut self) -> Drawn<Scalar> {
        // As long as there are few tokens, half of the drawn ones are new. The others are among the last ones.
        let tokens = self.drawing.tokens;
        let recent = tokens.min(RECENT);
        let mut weights = [1; RECENT + 1];
        weights[recent] = recent as u64 + 1;
        let drawn = self.weighted("token", &weights[..=recent])?;
        let number = if drawn < recent { tokens - drawn } else { tokens + 1 };
        self.drawing.tokens = tokens.max(number);
        Ok(Scalar::Token(Token::Text(format!("t{number}").into())))
    }

    /// Draws the canonical text of a JSON value, with arrays and objects down to a depth.
    fn json(&mut self, depth: usize) -> Drawn<String> {
        if self.drawing.variety == Variety::Small {
            return Ok(["null", "\"a\""][self.choose("json", 2)?].into());
        }
        Ok(match self.weighted("kind of json", &JSON_KINDS[..if depth == 0 { 4 } else { 6 }])? {
            0 => "null".into(),
            1 => ["false", "true"][self.choose("bool", 2)?].into(),
            2 => ["0", "1", "2", "-1", "0.5", "1.5"][self.choose("number", 6)?].into(),
            3 => format!("\"{}\"", self.letters()?),
            4 => format!("[{}]", self.parts(["", ""], depth)?),
            _ => format!("{{{}}}", self.parts(["\"a\": ", "\"b\": "], depth)?),
        })
    }

    /// Draws a number of these texts, from the first one on, each followed by a value.
    fn parts(&mut self, before: [&str; 2], depth: usize) -> Drawn<String> {
        let count = self.choose("elements", before.len() + 1)?;
        let part = |before: &&str| Ok(format!("{before}{}", self.json(depth - 1)?));
        Ok(before[..count].iter().map(part).collect::<Drawn<Vec<_>>>()?.join(", "))
    }

    fn letters(&mut self) -> Drawn<String> {
        let letters = self.drawing.bound(LETTERS);
        let length = match self.drawing.variety {
            Variety::Wide => 1 + self.weighted("length of a text", &[7, 1])?,
            Variety::Small => 1,
        };
        (0..length).map(|_| Ok(char::from(b'a' + self.choose("letter", letters)? as u8))).collect()
    }

    fn between(&mut self, from: &Value, to: &Value) -> Drawn<Option<Value>> {
        let (Some(low), Some(high)) = (from.as_int(), to.as_int()) else { return Ok(None) };
        let width = high.sub(low).to_i64().unwrap_or(i64::MAX);
        if width <= 0 {
            return Ok(None);
        }
        let drawn = self.choose("integer in a range", width as usize)?;
        Ok(Some(Value::Scalar(Scalar::Int(low.add(&Int::from(drawn as i64))))))
    }

    /// Draws an integer in the range, or, if there is none, one of the first kinds.
    fn integer(&mut self, kinds: &[u64]) -> Drawn<Scalar> {
        if let Some((low, high)) = self.range {
            let width = high.saturating_sub(low).max(1);
            return Ok(Scalar::int(low + self.choose("integer in a range", width as usize)? as i64));
        }
        Ok(Scalar::int(match self.weighted("kind of integer", kinds)? {
            0 => self.choose("small integer", 10)? as i64,
            1 => -1 - self.choose("negative integer", 10)? as i64,
            2 => self.choose("middling integer", 1000)? as i64,
            _ => self.choose("large integer", 1 << 32)? as i64 - (1 << 31),
        }))
    }

    /// Draws the parts of a variant. In a request, the labels of the parts begin with the name of the variant.
    fn variant_of<T>(&mut self, name: &str, draw: impl FnOnce(&mut Self) -> T) -> T {
        match &mut self.drawing.naming {
            Some(naming) if naming.path == REQUEST => {
                name.clone_into(&mut naming.path);
                let drawn = draw(self);
                self.drawing.draw_for(REQUEST, "");
                drawn
            }
            Some(_) | None => draw(self),
        }
    }

    /// Draws a part, which has this name, or else this position.
    fn part<T>(&mut self, name: Option<&str>, at: usize, draw: impl FnOnce(&mut Self) -> T) -> T {
        let Some(naming) = &mut self.drawing.naming else { return draw(self) };
        let length = naming.path.len();
        naming.path.push_str(&name.map_or_else(|| format!(".{at}"), |name| format!(".{name}")));
        let drawn = draw(self);
        self.drawing.naming.iter_mut().for_each(|naming| naming.path.truncate(length));
        drawn
    }
}
