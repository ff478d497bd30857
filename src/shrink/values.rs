//! Simpler values in requests.
//!
//! The order of simplicity: `None` before `Some`; false before true; fewer elements before more; earlier variants before later
//! ones, for enums inside of a request, as its own variant stays; 0 before 1 before larger numbers before negative ones; shorter
//! texts before longer ones; `a` before other letters; and a value that occurs already before another one. An empty text stays
//! empty, and no other text becomes empty, as the empty text is a special case.
//!
//! A scalar is changed at all of its places, so that equal scalars stay equal. First all values are made simple at once, as most
//! small scripts do not depend on them. A reference becomes a value that occurs nowhere else, if the failure does not need it.

use rustc_hash::FxHashSet;

use super::edit::{asks, with_requests};
use super::search::{Halt, ScriptSearch};
use crate::scalar::{Int, Json, Scalar, Token};
use crate::script::{RequestTemplate, Script, smallest};
use crate::spec::types::{Type, TypeId, Types};
use crate::value::{Map, Value};

impl ScriptSearch<'_> {
    /// Makes values simpler until no single one can be.
    pub(super) fn simplify_values(&mut self) -> Result<(), Halt> {
        self.replace_references()?;
        self.simplify_all()?;
        for (label, ..) in asks(&self.best.clone()).rev() {
            self.simplify_parts(label)?;
        }
        for scalar in scalars(&self.best) {
            self.simplify_scalar(&scalar)?;
        }
        Ok(())
    }

    /// Replaces references, one by one, by values. The scalars of such a value occur nowhere else; its other parts stay as they
    /// were sent.
    fn replace_references(&mut self) -> Result<(), Halt> {
        let references = |script: &Script| asks(script).map(|(.., request)| request.references.len()).sum::<usize>();
        for number in (0..references(&self.best)).rev() {
            let taken: FxHashSet<Scalar> = scalars(&self.best).into_iter().collect();
            let mut before = 0;
            let candidate = with_requests(&self.best, &mut |_, request| {
                let own = number.checked_sub(before).filter(|own| *own < request.references.len());
                before += request.references.len();
                let Some(own) = own else { return request.clone() };
                let mut changed = request.clone();
                let gone = changed.references.remove(own);
                changed.value = renamed_at(&request.value, &gone.at, &mut |scalar| {
                    (1..).map(|number| nth(scalar, number)).find(|name| !taken.contains(name)).unwrap_or(scalar.clone())
                });
                changed
            });
            if number < references(&self.best) {
                self.consider(candidate)?;
            }
        }
        Ok(())
    }

    /// Tries to make everything simple at once: first with all scalars equal, then with scalars as different as they are, then
    /// without changing the parts around them.
    fn simplify_all(&mut self) -> Result<(), Halt> {
        if std::mem::replace(&mut self.all_simplified, true) {
            return Ok(());
        }
        let (types, ty) = (self.spec.types.clone(), self.spec.program.request);
        let bare = with_requests(&self.best, &mut |_, request| {
            let value = bared(&types, ty, &request.value, &mut Vec::new(), request);
            RequestTemplate { value, references: request.references.clone() }
        });
        let found = scalars(&bare);
        let equal = renamed(&bare, &mut simplest);
        if self.consider(equal)? {
            return Ok(());
        }
        let names = distinct(&found);
        let different =
            |scalar: &Scalar| names.iter().find(|(from, _)| from == scalar).map_or(scalar, |(_, to)| to).clone();
        if self.consider(renamed(&bare, &mut { different }))? {
            return Ok(());
        }
        let names = distinct(&scalars(&self.best));
        let different =
            |scalar: &Scalar| names.iter().find(|(from, _)| from == scalar).map_or(scalar, |(_, to)| to).clone();
        let candidate = renamed(&self.best, &mut { different });
        self.consider(candidate).map(|_| ())
    }

    /// Makes the options, lists and variants of a request simpler, one by one.
    fn simplify_parts(&mut self, label: u64) -> Result<(), Halt> {
        let mut at = 0;
        loop {
            let request = asks(&self.best).find(|(own, ..)| *own == label).map(|(_, _, request)| request.clone());
            let Some(request) = request else { return Ok(()) };
            let simpler = simpler(&self.spec.types, self.spec.program.request, &request);
            let Some(simpler) = simpler.into_iter().nth(at) else { return Ok(()) };
            let mut simpler = Some(simpler);
            let candidate = with_requests(&self.best, &mut |own, request| match own == label {
                true => simpler.take().unwrap_or_else(|| request.clone()),
                false => request.clone(),
            });
            at += usize::from(!self.consider(candidate)?);
        }
    }

    /// Makes a scalar simpler at all of its places.
    fn simplify_scalar(&mut self, scalar: &Scalar) -> Result<(), Halt> {
        let simple = simplest(scalar);
        if simple == *scalar || self.replace(scalar, &simple)? {
            return Ok(());
        }
        self.simplify_occurrences(scalar)?;
        match scalar {
            Scalar::Int(int) => self.simplify_int(int, &|int| Scalar::Int(int)),
            Scalar::Token(Token::Number(int)) => self.simplify_int(int, &|int| Scalar::Token(Token::Number(int))),
            Scalar::Str(text) => self.simplify_text(&text.chars().collect::<Vec<_>>(), 'a', &|text| {
                Scalar::Str(text.iter().collect::<String>().into())
            }),
            Scalar::Bytes(octets) => self.simplify_text(octets, b'a', &Scalar::bytes),
            Scalar::Token(Token::Text(_)) => self.simplify_name(scalar),
            Scalar::Bool(_) | Scalar::Client(_) | Scalar::Json(_) => Ok(()),
        }
    }

    /// Makes a scalar the simplest one at single places, if it has several.
    fn simplify_occurrences(&mut self, scalar: &Scalar) -> Result<(), Halt> {
        let count = |script: &Script| {
            let mut count = 0;
            _ = renamed(script, &mut |own| {
                count += usize::from(own == scalar);
                own.clone()
            });
            count
        };
        for at in (0..count(&self.best)).rev() {
            if count(&self.best) < 2 {
                break;
            }
            let mut number = 0;
            let candidate = renamed(&self.best, &mut |own| {
                number += usize::from(own == scalar);
                if own == scalar && number == at + 1 { simplest(own) } else { own.clone() }
            });
            self.consider(candidate)?;
        }
        Ok(())
    }

    /// Tries the simplest scalar of its kind that does not occur yet.
    fn simplify_name(&mut self, scalar: &Scalar) -> Result<(), Halt> {
        let taken: FxHashSet<Scalar> = scalars(&self.best).into_iter().collect();
        let unused = (1..).map(|number| nth(scalar, number)).find(|name| name == scalar || !taken.contains(name));
        match unused {
            Some(name) if is_simpler(&name, scalar) => self.replace(scalar, &name).map(|_| ()),
            _ => Ok(()),
        }
    }

    fn simplify_int(&mut self, int: &Int, made: &dyn Fn(Int) -> Scalar) -> Result<(), Halt> {
        let mut int = int.clone();
        if int.signum() < 0 {
            if self.replace(&made(int.clone()), &made(int.neg()))? {
                int = int.neg();
            } else {
                return Ok(());
            }
        }
        let one = Int::from(1);
        if int == one || self.replace(&made(int.clone()), &made(one.clone()))? {
            return Ok(());
        }
        // Powers of two come first, as most limits are near one.
        let (mut low, mut high) = (0, int.bits());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let power = power_of_two(middle);
            if power >= int || self.replace(&made(int.clone()), &made(power.clone()))? {
                (int, high) = (int.min(power), middle);
            } else {
                low = middle;
            }
        }
        let (mut passes, before) = (power_of_two(low), int.sub(&one));
        if before <= passes || !self.replace(&made(int.clone()), &made(before.clone()))? {
            return Ok(());
        }
        int = before;
        while int.sub(&passes) > one {
            let middle = passes.add(&int.sub(&passes).floor_div(&Int::from(2)));
            if self.replace(&made(int.clone()), &made(middle.clone()))? {
                int = middle;
            } else {
                passes = middle;
            }
        }
        Ok(())
    }

    fn simplify_text<T: Clone + PartialEq>(
        &mut self,
        text: &[T],
        simple: T,
        made: &dyn Fn(&[T]) -> Scalar,
    ) -> Result<(), Halt> {
        let mut text = text.to_vec();
        let filled = vec![simple.clone(); text.len()];
        if self.replace(&made(&text), &made(&filled))? {
            text = filled;
        } else {
            self.simplify_name(&made(&text))?;
        }
        if !scalars(&self.best).contains(&made(&text)) {
            return Ok(());
        }
        let (mut low, mut high) = (1, text.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.replace(&made(&text), &made(&text[..middle]))? {
                text.truncate(middle);
                high = middle;
            } else {
                low = middle;
            }
        }
        for at in 0..text.len().min(8) {
            if text[at] != simple {
                let mut simpler = text.clone();
                simpler[at] = simple.clone();
                if self.replace(&made(&text), &made(&simpler))? {
                    text = simpler;
                }
            }
        }
        Ok(())
    }

    fn replace(&mut self, from: &Scalar, to: &Scalar) -> Result<bool, Halt> {
        let candidate = renamed(&self.best, &mut |scalar| if scalar == from { to.clone() } else { scalar.clone() });
        self.consider(candidate)
    }
}

fn power_of_two(exponent: u64) -> Int {
    (0..exponent).fold(Int::from(1), |power, _| power.mul(&Int::from(2)))
}

/// The simplest scalar of its kind.
fn simplest(scalar: &Scalar) -> Scalar {
    match scalar {
        Scalar::Bool(known) => Scalar::Bool(*known),
        Scalar::Int(_) => Scalar::Int(Int::from(0)),
        Scalar::Str(text) if text.is_empty() => scalar.clone(),
        Scalar::Bytes(octets) if octets.is_empty() => scalar.clone(),
        Scalar::Client(_) => scalar.clone(),
        Scalar::Json(_) => Scalar::Json(Json::null()),
        Scalar::Str(_) | Scalar::Bytes(_) | Scalar::Token(_) => nth(scalar, 1),
    }
}

/// The n-th scalar of a kind that has names: `a`, `b` … `z`, `aa`; `t1`, `t2`.
fn nth(like: &Scalar, number: usize) -> Scalar {
    let mut text = String::new();
    let mut rest = number;
    while rest > 0 {
        rest -= 1;
        text.insert(0, char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    match like {
        Scalar::Bytes(_) => Scalar::bytes(text.as_bytes()),
        Scalar::Token(Token::Text(_)) => Scalar::token(&format!("t{number}")),
        Scalar::Token(Token::Number(_)) => Scalar::Token(Token::Number(Int::from(number as i64 - 1))),
        Scalar::Int(_) => Scalar::Int(Int::from(number as i64 - 1)),
        Scalar::Str(_) | Scalar::Bool(_) | Scalar::Client(_) | Scalar::Json(_) => Scalar::Str(text.into()),
    }
}

/// Tests whether one scalar is simpler than another one of its kind.
fn is_simpler(one: &Scalar, other: &Scalar) -> bool {
    let shown = |scalar: &Scalar| match scalar {
        Scalar::Str(text) | Scalar::Token(Token::Text(text)) => (text.chars().count(), text.to_string().into_bytes()),
        Scalar::Bytes(octets) => (octets.len(), octets.to_vec()),
        _ => (0, Vec::new()),
    };
    shown(one) < shown(other)
}

/// A simple scalar for each of these. Different scalars stay different, and numbers keep their order.
fn distinct(found: &[Scalar]) -> Vec<(Scalar, Scalar)> {
    let mut names = Vec::new();
    let mut counts = [0_usize; 3];
    let mut numbers: Vec<&Int> = found.iter().filter_map(Scalar::as_int).filter(|int| int.signum() >= 0).collect();
    numbers.sort();
    for scalar in found {
        let kind = match scalar {
            Scalar::Str(text) if !text.is_empty() => 0,
            Scalar::Bytes(octets) if !octets.is_empty() => 1,
            Scalar::Token(_) => 2,
            Scalar::Int(int) => {
                let rank = numbers.iter().position(|other| *other == int);
                names.extend(rank.map(|rank| (scalar.clone(), Scalar::Int(Int::from(rank as i64)))));
                continue;
            }
            _ => continue,
        };
        counts[kind] += 1;
        names.push((scalar.clone(), nth(scalar, counts[kind])));
    }
    names
}

/// The scalars in the requests of a script, in order, without truth values and without those of references.
fn scalars(script: &Script) -> Vec<Scalar> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for (_, _, request) in asks(script) {
        let mut visit = |scalar: &Scalar| {
            if !matches!(scalar, Scalar::Bool(_)) && seen.insert(scalar.clone()) {
                found.push(scalar.clone());
            }
            scalar.clone()
        };
        mapped(&request.value, &mut Vec::new(), request, &mut visit);
    }
    found
}

/// The script with its scalars replaced.
fn renamed(script: &Script, name: &mut dyn FnMut(&Scalar) -> Scalar) -> Script {
    with_requests(script, &mut |_, request| RequestTemplate {
        value: mapped(&request.value, &mut Vec::new(), request, name),
        references: request.references.clone(),
    })
}

/// The value with the scalar at a place replaced, if it is of a kind that has names.
fn renamed_at(value: &Value, at: &[usize], name: &mut dyn FnMut(&Scalar) -> Scalar) -> Value {
    let Some(Value::Scalar(scalar)) = at.iter().try_fold(value, |part, index| part.fields().get(*index)) else {
        return value.clone();
    };
    match scalar {
        Scalar::Token(_) => replaced(value, at, &mut || Value::Scalar(name(scalar))),
        _ => value.clone(),
    }
}

/// The value with its scalars replaced, except for those of references.
fn mapped(
    value: &Value,
    at: &mut Vec<usize>,
    request: &RequestTemplate,
    name: &mut dyn FnMut(&Scalar) -> Scalar,
) -> Value {
    if request.references.iter().any(|reference| reference.at == *at) {
        return value.clone();
    }
    let mut within = |index: usize, part: &Value| {
        at.push(index);
        let part = mapped(part, at, request, name);
        at.pop();
        part
    };
    match value {
        Value::Scalar(scalar) => Value::Scalar(name(scalar)),
        Value::Data { tag, .. } => {
            let fields: Vec<Value> =
                value.fields().iter().enumerate().map(|(index, part)| within(index, part)).collect();
            Value::data(*tag, fields)
        }
        Value::List(list) => {
            Value::list(list.iter().enumerate().map(|(index, part)| within(index, part)).collect::<Vec<_>>())
        }
        Value::Map(map) => {
            let entries = map.entries().unwrap_or_default();
            let values: Vec<Value> =
                entries.iter().enumerate().map(|(index, (_, entry))| within(index, &entry.value)).collect();
            let keys = entries.iter().map(|(key, _)| mapped(key, &mut vec![usize::MAX], request, name));
            let renamed = Map::of(keys.zip(values));
            // Equal keys would lose an entry.
            if renamed.bound() == entries.len() { Value::Map(renamed) } else { value.clone() }
        }
        other => other.clone(),
    }
}

/// The value with all options `None` and all truth values false, except for parts with references.
fn bared(types: &Types, ty: TypeId, value: &Value, at: &mut Vec<usize>, request: &RequestTemplate) -> Value {
    let has_references = request.references.iter().any(|reference| reference.at.starts_with(at));
    match (types.get(ty), value) {
        (Type::Option(_), _) if !has_references => Value::NONE,
        (Type::Bool, _) if !has_references => Value::from(false),
        (_, Value::Data { tag, .. }) => {
            let types_of = types.fields(ty, *tag);
            let fields = value.fields().iter().zip(&types_of).enumerate().map(|(index, (part, (_, of)))| {
                at.push(index);
                let part = bared(types, *of, part, at, request);
                at.pop();
                part
            });
            Value::data(*tag, fields.collect::<Vec<_>>())
        }
        _ => value.clone(),
    }
}

/// The requests that are simpler by one step: an option, list, set or map with less in it, an earlier variant, or false.
fn simpler(types: &Types, ty: TypeId, request: &RequestTemplate) -> Vec<RequestTemplate> {
    let mut found = Vec::new();
    parts(types, ty, &request.value, &mut Vec::new(), &mut |at, part, ty| {
        for (value, removed) in simpler_parts(types, ty, part, at.is_empty()) {
            let references = request.references.iter().filter_map(|reference| {
                let Some(inner) = reference.at.strip_prefix(at).filter(|inner| !inner.is_empty()) else {
                    // A reference at this place is removed, and one elsewhere stays.
                    return (reference.at != at).then(|| reference.clone());
                };
                let first = match removed {
                    Removed::Everything => None,
                    Removed::Element(gone) if inner[0] == gone => None,
                    Removed::Element(gone) => Some(inner[0] - usize::from(inner[0] > gone)),
                    Removed::Behind(kept) => Some(inner[0]).filter(|first| *first < kept),
                }?;
                let place = at.iter().copied().chain([first]).chain(inner[1..].iter().copied());
                Some(crate::script::PlacedReference { at: place.collect(), to: reference.to.clone() })
            });
            let references = references.collect();
            let mut value = Some(value);
            let value = replaced(&request.value, at, &mut || value.take().unwrap_or(Value::NONE));
            found.push(RequestTemplate { value, references });
        }
    });
    found
}

/// The values of a type that are simpler than this one: the simplest of all first, then the values that are simpler by one step. Here
/// earlier variants of the whole value, and empty texts, count as simpler, too.
#[cfg(feature = "proptest")]
pub(super) fn simpler_requests(types: &Types, ty: TypeId, value: &Value) -> Vec<Value> {
    let mut found = vec![simplest_request(types, ty)];
    found.extend(simpler_by_a_step(types, ty, value));
    found.retain(|simpler| simpler != value);
    found
}

/// The simplest value of a type.
#[cfg(feature = "proptest")]
pub fn simplest_request(types: &Types, ty: TypeId) -> Value {
    let mut value = smallest(types, ty);
    while let Some(simpler) = simpler_by_a_step(types, ty, &value).into_iter().next() {
        value = simpler;
    }
    value
}

#[cfg(feature = "proptest")]
fn simpler_by_a_step(types: &Types, ty: TypeId, value: &Value) -> Vec<Value> {
    let request = RequestTemplate { value: value.clone(), references: Vec::new() };
    let mut found = Vec::new();
    if let Type::Enum(_) = types.get(ty) {
        found.extend(simpler_parts(types, ty, value, false).into_iter().map(|(simpler, _)| simpler));
    }
    found.extend(simpler(types, ty, &request).into_iter().map(|simpler| simpler.value));
    let mut count = 0;
    mapped(value, &mut Vec::new(), &request, &mut |scalar| {
        count += 1;
        scalar.clone()
    });
    let nth_scalar = |at: usize, to: Option<&Scalar>| {
        let (mut number, mut found) = (0, None);
        let changed = mapped(value, &mut Vec::new(), &request, &mut |scalar| {
            number += 1;
            if number != at + 1 {
                return scalar.clone();
            }
            found = Some(scalar.clone());
            to.unwrap_or(scalar).clone()
        });
        (found, changed)
    };
    for at in 0..count {
        let scalar = nth_scalar(at, None).0;
        let simpler = scalar.iter().flat_map(simpler_scalars);
        found.extend(simpler.map(|simpler| nth_scalar(at, Some(&simpler)).1));
    }
    found.retain(|simpler| simpler != value);
    found
}

/// The scalars that are simpler than this one, the simplest first.
#[cfg(feature = "proptest")]
fn simpler_scalars(scalar: &Scalar) -> Vec<Scalar> {
    match scalar {
        Scalar::Int(int) => nearer_to_zero(int).into_iter().map(Scalar::Int).collect(),
        Scalar::Token(Token::Number(int)) => {
            nearer_to_zero(int).into_iter().map(|int| Scalar::Token(Token::Number(int))).collect()
        }
        Scalar::Str(text) => {
            let simpler = simpler_texts(&text.chars().collect::<Vec<_>>(), 'a');
            simpler.into_iter().map(|text| Scalar::Str(text.into_iter().collect::<String>().into())).collect()
        }
        Scalar::Bytes(octets) => simpler_texts(octets, b'a').into_iter().map(|octets| Scalar::bytes(&octets)).collect(),
        Scalar::Token(Token::Text(_)) => vec![nth(scalar, 1)],
        Scalar::Client(_) => vec![Scalar::Client(1)],
        Scalar::Json(_) => vec![Scalar::Json(Json::null())],
        // They are parts of a value, as options are.
        Scalar::Bool(_) => Vec::new(),
    }
}

/// For a negative number the positive one, and then 0, half of the number, three quarters and so on.
#[cfg(feature = "proptest")]
fn nearer_to_zero(int: &Int) -> Vec<Int> {
    let (mut found, size) = (Vec::new(), int.abs());
    if int.signum() < 0 {
        found.push(size.clone());
    }
    let mut gap = size.clone();
    while !gap.is_zero() {
        let nearer = size.sub(&gap);
        found.push(if int.signum() < 0 { nearer.neg() } else { nearer });
        gap = gap.floor_div(&Int::from(2));
    }
    found
}

/// Shorter texts, then the text with simple letters only, and then with one simple letter.
#[cfg(feature = "proptest")]
fn simpler_texts<T: Copy + PartialEq>(text: &[T], simple: T) -> Vec<Vec<T>> {
    let mut found = Vec::new();
    let mut gap = text.len();
    while gap > 0 {
        found.push(text[..text.len() - gap].to_vec());
        gap /= 2;
    }
    if text.iter().any(|letter| *letter != simple) {
        found.push(vec![simple; text.len()]);
    }
    for at in (0..text.len().min(8)).filter(|at| text[*at] != simple) {
        let mut simpler = text.to_vec();
        simpler[at] = simple;
        found.push(simpler);
    }
    found
}

/// The elements of a part that a simpler part does not have.
#[derive(Clone, Copy)]
enum Removed {
    Everything,
    Element(usize),
    Behind(usize),
}

fn simpler_parts(types: &Types, ty: TypeId, part: &Value, is_request: bool) -> Vec<(Value, Removed)> {
    match (types.get(ty), part) {
        (Type::Option(_), Value::Data { tag: 1, .. }) => vec![(Value::NONE, Removed::Everything)],
        (Type::Bool, Value::Scalar(Scalar::Bool(true))) => vec![(Value::from(false), Removed::Everything)],
        (Type::List(_), Value::List(list)) => {
            fewer(list.len(), &|kept| Value::list(kept.iter().map(|at| list[*at].clone())))
        }
        (Type::Set(_) | Type::Map(..), Value::Map(map)) => {
            let entries = map.entries().unwrap_or_default();
            let with = |kept: &[usize]| {
                Value::Map(Map::of(kept.iter().map(|at| (entries[*at].0.clone(), entries[*at].1.value.clone()))))
            };
            fewer(entries.len(), &with)
        }
        (Type::Enum(_), Value::Data { tag, .. }) if !is_request => {
            let own = types.fields(ty, *tag);
            let earlier = (0..*tag).map(|earlier| {
                let fields = types.fields(ty, earlier);
                let is_alike = fields.iter().map(|(_, of)| *of).eq(own.iter().map(|(_, of)| *of));
                let values: Vec<Value> = match is_alike {
                    true => part.fields().to_vec(),
                    false => fields.iter().map(|(_, of)| smallest(types, *of)).collect(),
                };
                (Value::data(earlier, values), Removed::Everything)
            });
            // A variant with values of its own type may be larger than a later variant, and so on for ever.
            let is_recursive = types.is_recursive(ty);
            let least = Some(smallest(types, ty)).filter(|least| is_recursive && size(least) < size(part));
            let is_finite = |(earlier, _): &(Value, Removed)| !is_recursive || size(earlier) <= size(part);
            least.map(|least| (least, Removed::Everything)).into_iter().chain(earlier.filter(is_finite)).collect()
        }
        _ => Vec::new(),
    }
}

/// The number of parts of a value, with the value itself.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::List(list) => list.iter().map(size).sum::<usize>(),
        Value::Map(map) => {
            map.entries().unwrap_or_default().iter().map(|(key, entry)| size(key) + size(&entry.value)).sum()
        }
        _ => value.fields().iter().map(size).sum(),
    }
}

/// Collections with fewer elements: none, the first half, all but one.
fn fewer(count: usize, with: &dyn Fn(&[usize]) -> Value) -> Vec<(Value, Removed)> {
    let all: Vec<usize> = (0..count).collect();
    let mut found = Vec::new();
    if count > 0 {
        found.push((with(&[]), Removed::Everything));
    }
    if count > 3 {
        found.push((with(&all[..count / 2]), Removed::Behind(count / 2)));
    }
    if count > 1 {
        found.extend((0..count).rev().map(|gone| {
            let kept: Vec<usize> = all.iter().copied().filter(|at| *at != gone).collect();
            (with(&kept), Removed::Element(gone))
        }));
    }
    found
}

/// Visits the parts of a value, outer ones first.
fn parts(
    types: &Types,
    ty: TypeId,
    value: &Value,
    at: &mut Vec<usize>,
    visit: &mut dyn FnMut(&[usize], &Value, TypeId),
) {
    visit(at, value, ty);
    let mut within = |index: usize, of: TypeId, part: &Value| {
        at.push(index);
        parts(types, of, part, at, visit);
        at.pop();
    };
    match (types.get(ty), value) {
        (Type::List(of), Value::List(list)) => {
            list.iter().enumerate().for_each(|(index, part)| within(index, *of, part))
        }
        (Type::Map(_, of), Value::Map(map)) => {
            let entries = map.entries().unwrap_or_default();
            entries.iter().enumerate().for_each(|(index, (_, entry))| within(index, *of, &entry.value));
        }
        (_, Value::Data { tag, .. }) => {
            let fields = types.fields(ty, *tag);
            let typed = fields.iter().zip(value.fields()).enumerate();
            typed.for_each(|(index, ((_, of), part))| within(index, *of, part));
        }
        _ => {}
    }
}

/// The value with the part at a place replaced.
fn replaced(value: &Value, at: &[usize], part: &mut dyn FnMut() -> Value) -> Value {
    let Some((first, rest)) = at.split_first() else { return part() };
    match value {
        Value::List(list) => {
            let changed = list.iter().enumerate().map(|(index, own)| match index == *first {
                true => replaced(own, rest, part),
                false => own.clone(),
            });
            Value::list(changed.collect::<Vec<_>>())
        }
        Value::Map(map) => {
            let entries = map.entries().unwrap_or_default();
            let changed = entries.iter().enumerate().map(|(index, (key, entry))| match index == *first {
                true => ((*key).clone(), replaced(&entry.value, rest, part)),
                false => ((*key).clone(), entry.value.clone()),
            });
            Value::Map(Map::of(changed.collect::<Vec<_>>()))
        }
        _ => match value.fields().get(*first) {
            Some(own) => value.with_fields(&[(*first as u32, replaced(own, rest, part))]),
            None => value.clone(),
        },
    }
}
