//! Drawing values: every unbounded choice is a few bounded ones (a size, then a value).

use crate::choice::{ChoiceError, Choices, Label, label};
use crate::process::{Choice, Fresh};
use crate::scalar::{Int, Json, Scalar, Sort, Token};
use crate::spec::{Type, TypeId, Types};
use crate::value::{self, Presence, Value};

/// The ranges that integers are drawn from, each from the first to below the second.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ranges {
    /// Integers in requests.
    pub request: Option<(i64, i64)>,
    /// Integers that the server chooses.
    pub choose: Option<(i64, i64)>,
}

/// Which values are drawn, besides integers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Variety {
    /// Many, some of them more often than others: for a random client.
    #[default]
    Wide,
    /// Few, to visit them all: a text is `a` or `b`, a collection has at most one element.
    Small,
}

/// The weights of small, negative, middling and large integers.
const KINDS: [u64; 4] = [5, 1, 1, 1];

/// All of a request.
pub(super) const REQUEST: &str = "request";

/// The name of what is being drawn, for the labels of choices.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The name of what it is for, then the fields down to the part at hand.
    path: String,
    /// The place at which the specification chooses, in words; empty for a request.
    line: String,
}

/// Draws values, and remembers which tokens there are.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub(super) ranges: Ranges,
    pub(super) variety: Variety,
    /// The number of tokens that there are: t1, t2 …
    pub(super) tokens: usize,
    /// The name of what is being drawn, where choices are to say so.
    pub(super) place: Option<Place>,
}

/// Collections are drawn with fewer elements than this; and where there is small variety.
const ELEMENTS: [usize; 2] = [4, 2];
/// Recursive values are drawn without recursion below this depth; and where there is small variety.
const DEPTH: [usize; 2] = [6, 2];
/// A token that is not new is one of so many last ones.
const RECENT: usize = 8;
/// Strings are drawn from this many letters; and where there is small variety.
const LETTERS: [usize; 2] = [6, 2];

/// Arrays and objects of JSON are drawn so deep.
const JSON_DEPTH: usize = 2;
/// The weights with which a JSON value is null, a truth value, a number, a string, an array and an object.
const JSON_KINDS: [u64; 6] = [1, 1, 2, 3, 1, 2];

type Drawn<T> = Result<T, ChoiceError>;

impl Drawing {
    pub(super) fn new(ranges: Ranges, variety: Variety) -> Drawing {
        let place = (variety == Variety::Small).then(Place::default);
        Drawing { ranges, variety, tokens: 0, place }
    }

    /// The bound for wide or for small variety.
    pub(super) fn bound(&self, [wide, small]: [usize; 2]) -> usize {
        match self.variety {
            Variety::Wide => wide,
            Variety::Small => small,
        }
    }

    /// Notes the tokens of a request, so that none is made twice.
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

    /// Variables whose numbers are those of tokens that are not there yet: a model names its tokens after its variables.
    pub(super) fn fresh(&self) -> Fresh {
        Fresh { last: self.tokens as u64 }
    }

    /// A request of a type.
    ///
    /// # Errors
    /// Where the source of choices fails.
    pub fn request(&mut self, types: &Types, ty: TypeId, source: &mut dyn Choices) -> Drawn<Value> {
        let range = self.ranges.request;
        self.draw_for(REQUEST, "");
        self.value(types, ty, range, self.bound(DEPTH), source)
    }

    /// A request of the form of another one: with other scalars; what is in a map or set stays.
    pub(super) fn of_form(&mut self, request: &Value, source: &mut dyn Choices) -> Drawn<Value> {
        Ok(match request {
            Value::Scalar(Scalar::Int(_)) => {
                Value::Scalar(Scalar::Int(Int::from(self.integer(self.ranges.request, &KINDS, source)?)))
            }
            Value::Scalar(Scalar::Bool(_)) => Value::Scalar(self.scalar(Sort::Bool, source)?),
            Value::Scalar(Scalar::Str(_)) => Value::Scalar(self.scalar(Sort::Str, source)?),
            Value::Scalar(Scalar::Bytes(_)) => Value::Scalar(self.scalar(Sort::Bytes, source)?),
            Value::Scalar(Scalar::Client(_)) => Value::Scalar(self.scalar(Sort::Client, source)?),
            Value::Scalar(Scalar::Json(_)) => Value::Scalar(self.scalar(Sort::Json, source)?),
            Value::Scalar(Scalar::Token(_)) => Value::Scalar(self.token(source)?),
            Value::Data { tag, .. } => {
                let fields = request.fields().iter().map(|field| self.of_form(field, source));
                Value::data(*tag, fields.collect::<Drawn<Vec<_>>>()?)
            }
            Value::List(list) => {
                Value::list(list.iter().map(|element| self.of_form(element, source)).collect::<Drawn<Vec<_>>>()?)
            }
            Value::Map(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => request.clone(),
            Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Any | Value::Absent => request.clone(),
        })
    }

    /// The value of a choice; `None` where there is none to choose.
    pub(super) fn choice(&mut self, types: &Types, choice: &Choice, source: &mut dyn Choices) -> Drawn<Option<Value>> {
        let range = self.ranges.choose;
        match choice {
            Choice::Type(ty) => self.value(types, *ty, range, self.bound(DEPTH), source).map(Some),
            Choice::Alternatives(2) => Ok(Some(Value::from(source.choose(self.label("either"), 2)? == 0))),
            Choice::Alternatives(n) => {
                Ok(Some(Value::from(source.choose(self.label("alternative"), *n as usize)? as i64)))
            }
            Choice::Range(from, to) => self.between(from, to, source),
            Choice::Element(over, _) => {
                let elements = value::elements(over).unwrap_or_default();
                let there: Vec<&Value> =
                    elements.iter().filter(|(presence, _)| *presence == Presence::Always).map(|(_, e)| e).collect();
                if there.is_empty() {
                    return Ok(None);
                }
                Ok(Some(there[source.choose(self.label("element"), there.len())?].clone()))
            }
        }
    }

    /// A value for a symbol of a sort: as where the server chooses one, but no large integer, as it may be the length of
    /// what is shown later.
    pub(super) fn scalar(&mut self, sort: Sort, source: &mut dyn Choices) -> Drawn<Scalar> {
        Ok(match sort {
            Sort::Bool => Scalar::Bool(source.choose(self.label("bool"), 2)? == 1),
            Sort::Int => Scalar::Int(Int::from(self.integer(self.ranges.choose, &KINDS[..3], source)?)),
            Sort::Str => Scalar::str(&self.letters(source)?),
            Sort::Bytes => Scalar::Bytes(self.letters(source)?.as_bytes().into()),
            Sort::Client => Scalar::Client(source.choose(self.label("client"), 4)? as u64),
            Sort::Json => Scalar::Json(Json::of_canonical(&self.json(JSON_DEPTH, source)?)),
            Sort::Token(_) => self.token(source)?,
        })
    }

    fn value(
        &mut self,
        types: &Types,
        ty: TypeId,
        range: Option<(i64, i64)>,
        depth: usize,
        source: &mut dyn Choices,
    ) -> Drawn<Value> {
        Ok(match types.get(ty) {
            Type::Unit | Type::Error => Value::UNIT,
            Type::Int => Value::Scalar(Scalar::Int(Int::from(self.integer(range, &KINDS, source)?))),
            Type::Bool => Value::Scalar(self.scalar(Sort::Bool, source)?),
            Type::Str => Value::Scalar(self.scalar(Sort::Str, source)?),
            Type::Bytes => Value::Scalar(self.scalar(Sort::Bytes, source)?),
            Type::Client => Value::Scalar(self.scalar(Sort::Client, source)?),
            Type::Json => Value::Scalar(self.scalar(Sort::Json, source)?),
            Type::Token(token) => Value::Scalar(self.scalar(Sort::Token(*token), source)?),
            Type::Option(inner) => {
                if depth == 0 || source.choose(self.label("option"), 2)? == 0 {
                    Value::NONE
                } else {
                    Value::some(self.value(types, *inner, range, depth - 1, source)?)
                }
            }
            Type::Tuple(_) | Type::Struct(_) => self.fields(types, (ty, 0), range, depth, source)?,
            Type::Enum(at) => {
                let tag = self.variant(types, *at as usize, depth, source)?;
                let name = &types.enums[*at as usize].variants[tag].name;
                self.variant_of(name, |drawing| drawing.fields(types, (ty, tag as u32), range, depth, source))?
            }
            Type::List(of) => Value::list(self.several(types, *of, range, depth, source)?),
            Type::Set(of) => {
                let elements = self.several(types, *of, range, depth, source)?;
                Value::Map(value::Map::of(elements.into_iter().map(|element| (element, Value::UNIT))))
            }
            Type::Map(key, of) => {
                let mut entries = Vec::new();
                for (at, key) in self.several(types, *key, range, depth, source)?.into_iter().enumerate() {
                    let draw =
                        |drawing: &mut Drawing| drawing.value(types, *of, range, depth.saturating_sub(1), source);
                    entries.push((key, self.part(Some("value"), at, draw)?));
                }
                Value::Map(value::Map::of(entries))
            }
        })
    }

    /// A variant; deep inside, one without recursion.
    fn variant(&self, types: &Types, at: usize, depth: usize, source: &mut dyn Choices) -> Drawn<usize> {
        let variants = &types.enums[at].variants;
        let flat = |tag: &usize| {
            let recursive = |ty: &Type| matches!(ty, Type::Enum(inner) if *inner as usize == at);
            variants[*tag].fields.iter().all(|field| types.find(field.1, &mut |ty| recursive(ty)).is_none())
        };
        let possible: Vec<usize> = match depth {
            0 => (0..variants.len()).filter(flat).collect(),
            _ => (0..variants.len()).collect(),
        };
        if possible.is_empty() {
            return source.choose(self.label("variant"), variants.len());
        }
        Ok(possible[source.choose(self.label("variant"), possible.len())?])
    }

    fn fields(
        &mut self,
        types: &Types,
        (ty, tag): (TypeId, u32),
        range: Option<(i64, i64)>,
        depth: usize,
        source: &mut dyn Choices,
    ) -> Drawn<Value> {
        let fields = types.fields(ty, tag).into_iter().enumerate();
        let drawn = fields.map(|(at, (name, ty))| {
            self.part(name, at, |drawing| drawing.value(types, ty, range, depth.saturating_sub(1), source))
        });
        Ok(Value::data(tag, drawn.collect::<Drawn<Vec<Value>>>()?))
    }

    /// Draws the number of elements that a collection has.
    pub(super) fn count(&self, source: &mut dyn Choices) -> Drawn<usize> {
        source.choose(self.label("elements"), self.bound(ELEMENTS))
    }

    fn several(
        &mut self,
        types: &Types,
        of: TypeId,
        range: Option<(i64, i64)>,
        depth: usize,
        source: &mut dyn Choices,
    ) -> Drawn<Vec<Value>> {
        let count = if depth == 0 { 0 } else { self.count(source)? };
        (0..count).map(|at| self.part(None, at, |drawing| drawing.value(types, of, range, depth - 1, source))).collect()
    }

    /// A token that there is, or a new one.
    fn token(&mut self, source: &mut dyn Choices) -> Drawn<Scalar> {
        // Half of the tokens are new, as long as there are few; the others are among the last ones.
        let recent = self.tokens.min(RECENT);
        let mut weights = [1; RECENT + 1];
        weights[recent] = recent as u64 + 1;
        let drawn = source.weighted(self.label("token"), &weights[..=recent])?;
        let number = if drawn < recent { self.tokens - drawn } else { self.tokens + 1 };
        self.tokens = self.tokens.max(number);
        Ok(Scalar::Token(Token::Text(format!("t{number}").into())))
    }

    /// The canonical text of a JSON value, with arrays and objects down to a depth.
    fn json(&self, depth: usize, source: &mut dyn Choices) -> Drawn<String> {
        if self.variety == Variety::Small {
            return Ok(["null", "\"a\""][source.choose(self.label("json"), 2)?].into());
        }
        Ok(match source.weighted(self.label("kind of json"), &JSON_KINDS[..if depth == 0 { 4 } else { 6 }])? {
            0 => "null".into(),
            1 => ["false", "true"][source.choose(self.label("bool"), 2)?].into(),
            2 => ["0", "1", "2", "-1", "0.5", "1.5"][source.choose(self.label("number"), 6)?].into(),
            3 => format!("\"{}\"", self.letters(source)?),
            4 => format!("[{}]", self.parts(["", ""], depth, source)?),
            _ => format!("{{{}}}", self.parts(["\"a\": ", "\"b\": "], depth, source)?),
        })
    }

    /// Some of the values behind these texts, the first ones.
    fn parts(&self, before: [&str; 2], depth: usize, source: &mut dyn Choices) -> Drawn<String> {
        let count = source.choose(self.label("elements"), before.len() + 1)?;
        let part = |before: &&str| Ok(format!("{before}{}", self.json(depth - 1, source)?));
        let parts: Vec<String> = before[..count].iter().map(part).collect::<Drawn<_>>()?;
        Ok(parts.join(", "))
    }

    fn letters(&self, source: &mut dyn Choices) -> Drawn<String> {
        let letters = self.bound(LETTERS);
        let length = match self.variety {
            Variety::Wide => 1 + source.weighted(self.label("length of a text"), &[7, 1])?,
            Variety::Small => 1,
        };
        (0..length).map(|_| Ok(char::from(b'a' + source.choose(self.label("letter"), letters)? as u8))).collect()
    }

    fn between(&self, from: &Value, to: &Value, source: &mut dyn Choices) -> Drawn<Option<Value>> {
        let (Some(low), Some(high)) = (from.as_int(), to.as_int()) else { return Ok(None) };
        let width = high.sub(low).to_i64().unwrap_or(i64::MAX);
        if width <= 0 {
            return Ok(None);
        }
        let drawn = source.choose(self.label("integer in a range"), width as usize)?;
        Ok(Some(Value::Scalar(Scalar::Int(low.add(&Int::from(drawn as i64))))))
    }

    /// An integer in a range, or of one of the first kinds where there is none.
    fn integer(&self, range: Option<(i64, i64)>, kinds: &[u64], source: &mut dyn Choices) -> Drawn<i64> {
        if let Some((low, high)) = range {
            let width = high.saturating_sub(low).max(1);
            return Ok(low + source.choose(self.label("integer in a range"), width as usize)? as i64);
        }
        Ok(match source.weighted(self.label("kind of integer"), kinds)? {
            0 => source.choose(self.label("small integer"), 10)? as i64,
            1 => -1 - source.choose(self.label("negative integer"), 10)? as i64,
            2 => source.choose(self.label("middling integer"), 1000)? as i64,
            _ => source.choose(self.label("large integer"), 1 << 32)? as i64 - (1 << 31),
        })
    }
}

impl Drawing {
    /// Says what is drawn from here on. Where not all choices are visited it does nothing: nobody reads their names.
    pub(super) fn draw_for(&mut self, subject: &str, line: &str) {
        if let Some(place) = &mut self.place {
            *place = Place { path: subject.to_owned(), line: line.to_owned() };
        }
    }

    /// The name of a choice, of which `what` is known.
    pub(super) fn label(&self, what: Label) -> Label {
        let Some(Place { path, line }) = &self.place else { return what };
        let text = match what {
            "elements" | "option" => format!("{path}: {what}{line}"),
            _ => format!("{path}{line}"),
        };
        label(&text).unwrap_or(what)
    }

    /// Draws the parts of a variant: what they are parts of has its name, if it is the request.
    pub(super) fn variant_of<T>(&mut self, name: &str, draw: impl FnOnce(&mut Drawing) -> T) -> T {
        match &mut self.place {
            Some(place) if place.path == REQUEST => {
                name.clone_into(&mut place.path);
                let drawn = draw(self);
                self.draw_for(REQUEST, "");
                drawn
            }
            Some(_) | None => draw(self),
        }
    }

    /// Draws a part, which has this name or stands at this position.
    pub(super) fn part<T>(&mut self, name: Option<&str>, at: usize, draw: impl FnOnce(&mut Drawing) -> T) -> T {
        let Some(place) = &mut self.place else { return draw(self) };
        let length = place.path.len();
        place.path.push_str(&name.map_or_else(|| format!(".{at}"), |name| format!(".{name}")));
        let drawn = draw(self);
        self.place.iter_mut().for_each(|place| place.path.truncate(length));
        drawn
    }
}
