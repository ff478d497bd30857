//! What `choose T` ranges over in the oracle: few values of each type, all of them listed.
//!
//! Where a type is infinite, what is listed is a part of it, so a trace that brute force rejects may have an explanation
//! beyond. Who claims one is examined: then `choose` ranges over what is claimed. Example: with integers 0 and 1, lists of
//! at most two elements are `[]`, `[0]`, `[1]`, `[0, 0]`, `[0, 1]`, `[1, 0]`, `[1, 1]`.

use super::*;

/// What `choose T` ranges over where T is infinite. Tokens (and values of the type `json`, which are
/// no different) are not listed: the oracle takes those of the trace, those that the run holds already, and a new one (tokens
/// that no trace mentions are interchangeable: one stands for all).
#[derive(Clone, Debug)]
pub struct Domains {
    pub ints: Vec<BigInt>,
    pub strings: Vec<String>,
    /// The number of values of each type, the first ones, that may be inside of collections.
    pub inside: usize,
    /// The longest lists.
    pub length: usize,
    /// How often a recursive type contains itself.
    pub depth: usize,
    /// After this number of runs, brute force gives up: a test that takes longer than a second or two helps nobody.
    pub runs: usize,
}

impl Domains {
    pub fn of(ints: impl IntoIterator<Item = i64>, strings: &[&str]) -> Domains {
        let strings = strings.iter().map(|&s| s.to_owned()).collect();
        let ints = ints.into_iter().map(BigInt::from).collect();
        Domains { ints, strings, inside: usize::MAX, length: 2, depth: 2, runs: 100_000 }
    }
}

impl Default for Domains {
    fn default() -> Domains {
        Domains::of([], &[])
    }
}

/// Where a domain is listed.
#[derive(Clone)]
struct Listing<'l, 'a> {
    tokens: &'l [Value],
    ints: &'l [BigInt],
    strings: &'l [String],
    /// The declared types around it.
    around: Vec<&'a str>,
}

impl<'l> Listing<'l, '_> {
    /// The same inside of a collection.
    fn inside(&self, limit: usize) -> Self {
        fn first<T>(all: &[T], limit: usize) -> &[T] {
            &all[..all.len().min(limit)]
        }
        let (tokens, ints): (&'l [Value], &'l [BigInt]) = (first(self.tokens, limit), first(self.ints, limit));
        Listing { tokens, ints, strings: first(self.strings, limit), around: self.around.clone() }
    }
}

impl<'a> Frame<'a, '_> {
    /// Every value of a type, among them those with a new token (two, where two may be in one value).
    pub fn domain(&self, ty: &'a TypeExpr) -> Vec<Value> {
        let oracle = self.oracle;
        let Some(claimed) = &oracle.claimed else {
            return self.listed(ty, oracle.domains.ints.clone(), oracle.domains.strings.clone());
        };
        let readable = claimed.iter().filter(|json| oracle.reads(json, Some(ty)));
        let values: BTreeSet<Value> = readable.map(|json| oracle.decode(json, Some(ty))).collect();
        if !values.is_empty() {
            return values.into_iter().collect();
        }
        let (mut ints, mut strings) = (Vec::new(), Vec::new());
        claimed.iter().for_each(|json| scalars(json, &mut ints, &mut strings));
        ints.extend(oracle.domains.ints.iter().cloned());
        strings.extend(oracle.domains.strings.iter().cloned());
        self.listed(ty, ints, strings)
    }

    /// The same, listed once for each type and tokens.
    pub fn listed_once(&self, ty: &'a TypeExpr) -> Rc<Vec<Value>> {
        if self.oracle.claimed.is_some() {
            return Rc::new(self.domain(ty));
        }
        let key = (std::ptr::from_ref(ty) as usize, self.tokens.clone());
        let known = self.oracle.listed.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let all = Rc::new(self.domain(ty));
            self.oracle.listed.borrow_mut().insert(key, all.clone());
            all
        })
    }

    fn listed(&self, ty: &'a TypeExpr, ints: Vec<BigInt>, strings: Vec<String>) -> Vec<Value> {
        let new = (1..).map(|i| Value::Token(format!("\"new {i}\""))).filter(|token| !self.tokens.contains(token));
        let places = if self.oracle.is_token(ty) { 1 } else { 2 };
        let tokens: Vec<Value> = self.tokens.iter().cloned().chain(new.take(places)).collect();
        let listing = Listing { tokens: &tokens, ints: &ints, strings: &strings, around: Vec::new() };
        self.oracle.domain(ty, &listing)
    }
}

/// The integers and strings in a value.
fn scalars(json: &Json, ints: &mut Vec<BigInt>, strings: &mut Vec<String>) {
    match json {
        Json::Number(n) => ints.extend(n.to_string().parse::<BigInt>().ok().filter(|n| !ints.contains(n))),
        Json::String(s) if !strings.contains(s) => strings.push(s.clone()),
        Json::Array(items) => items.iter().for_each(|item| scalars(item, ints, strings)),
        Json::Object(pairs) => pairs.iter().for_each(|(key, value)| {
            scalars(&Json::String(key.clone()), ints, strings);
            scalars(value, ints, strings);
        }),
        Json::Null | Json::Bool(_) | Json::String(_) => (),
    }
}

impl<'a> Oracle<'a> {
    fn domain(&self, ty: &'a TypeExpr, listing: &Listing<'_, 'a>) -> Vec<Value> {
        let inside = || listing.inside(self.domains.inside);
        match self.kind(ty) {
            TypeKind::Option(inner) => {
                let some = self.domain(inner, listing).into_iter().map(|v| Value::variant("Some", vec![v]));
                [Value::unit("None")].into_iter().chain(some).collect()
            }
            TypeKind::Tuple(types) => {
                product(types.iter().map(|ty| self.domain(ty, listing))).map(Value::Seq).collect()
            }
            TypeKind::Set(element) => self.partial_maps(self.domain(element, &inside()), &[Value::Unit]),
            TypeKind::Map(key, value) => {
                self.partial_maps(self.domain(key, &inside()), &self.spread(self.domain(value, &inside())))
            }
            TypeKind::List(element) => self.lists(&self.spread(self.domain(element, &inside()))),
            TypeKind::Name(name) => match name.text.as_str() {
                "int" => listing.ints.iter().cloned().map(Value::Int).collect(),
                "bool" => vec![Value::Bool(false), Value::Bool(true)],
                "string" => listing.strings.iter().cloned().map(Value::Str).collect(),
                "bytes" => listing.strings.iter().map(|s| Value::Bytes(s.clone().into_bytes())).collect(),
                "json" => listing.tokens.to_vec(),
                name => self.named_domain(name, listing),
            },
            TypeKind::Error => panic!("the oracle has no domain for this type"),
        }
    }

    fn named_domain(&self, name: &'a str, listing: &Listing<'_, 'a>) -> Vec<Value> {
        if listing.around.iter().filter(|around| **around == name).count() >= self.domains.depth {
            return Vec::new();
        }
        let mut inner = listing.clone();
        inner.around.push(name);
        let data = |name: &str, fields: Vec<(String, &'a TypeExpr)>| {
            let (names, types): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            let values = product(types.into_iter().map(|ty| self.domain(ty, &inner)));
            let data = values.map(|v| Value::Data(name.to_owned(), names.iter().cloned().zip(v).collect()));
            data.collect::<Vec<_>>()
        };
        match self.item(name) {
            Some(ItemKind::Token(_)) => listing.tokens.iter().filter(|token| token.is_plain()).cloned().collect(),
            Some(ItemKind::Struct { name, fields, .. }) => data(&name.text, record(fields)),
            Some(ItemKind::Enum { variants, .. }) => {
                variants.iter().flat_map(|v| data(&v.name.text, payload(v))).collect()
            }
            _ => panic!("the oracle has no domain for {name}"),
        }
    }

    /// As many of the values as there may be inside of a collection, from all over.
    fn spread(&self, values: Vec<Value>) -> Vec<Value> {
        let every = values.len().div_ceil(self.domains.inside.max(1)).max(1);
        values.into_iter().step_by(every).collect()
    }

    fn lists(&self, elements: &[Value]) -> Vec<Value> {
        let of_length = |n: usize| product((0..n).map(|_| elements.to_vec())).map(Value::Seq);
        (0..=self.domains.length).flat_map(of_length).collect()
    }

    fn partial_maps(&self, keys: Vec<Value>, values: &[Value]) -> Vec<Value> {
        let slots = keys.iter().map(|_| [None].into_iter().chain(values.iter().cloned().map(Some)).collect());
        let with = |v: Vec<Option<Value>>| keys.iter().cloned().zip(v).filter_map(|(k, v)| Some((k, v?))).collect();
        product(slots).map(|v| Value::Map(with(v))).collect()
    }
}

fn product<T: Clone>(parts: impl Iterator<Item = Vec<T>>) -> impl Iterator<Item = Vec<T>> {
    let extend = |all: Vec<Vec<T>>, part: Vec<T>| {
        all.iter().flat_map(|v| part.iter().map(move |x| [&v[..], std::slice::from_ref(x)].concat())).collect()
    };
    parts.fold(vec![Vec::new()], extend).into_iter()
}
