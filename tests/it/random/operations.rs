//! Random operations, type by type: arithmetic, strings, lists, sets, maps, comprehensions.
//!
//! Example, of type `set<string>`: `({v3.lower() for (v3, _) in m2 if (len(v3) > 1)})`.

use super::declarations::Ty;
use super::expressions::Writer;

/// What a loop over a collection binds.
pub fn item(collection: &Ty) -> Option<Ty> {
    match collection {
        Ty::List(inner) | Ty::Set(inner) => Some((**inner).clone()),
        Ty::Map(key, value) => Some(Ty::Tuple(vec![(**key).clone(), (**value).clone()])),
        _ => None,
    }
}

/// Whether a loop can run over a collection in order.
pub fn is_sorted(collection: &Ty) -> bool {
    match collection {
        Ty::List(_) => true,
        Ty::Set(key) | Ty::Map(key, _) => matches!(**key, Ty::Int | Ty::Bool | Ty::Str),
        _ => false,
    }
}

impl Writer<'_> {
    pub fn operation(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        match ty {
            Ty::Int => self.arithmetic(depth),
            Ty::Bool => Some(self.boolean(depth)),
            Ty::Str => self.text(depth),
            Ty::List(inner) => self.list(ty, inner, depth),
            Ty::Set(inner) => self.set(ty, inner, depth),
            Ty::Map(key, value) => self.map(ty, key, value, depth),
            Ty::Struct(i) if self.rng.percent(40) => {
                let (field, field_ty) = self.rng.pick(&self.declarations.structs[*i].fields).clone();
                let base = self.path(ty)?;
                Some(format!("({{ {base} with {field}: {} }})", self.checked(&field_ty, depth)?))
            }
            Ty::Token(_) | Ty::Enum(_) | Ty::Struct(_) | Ty::Option(_) | Ty::Tuple(_) | Ty::Tree => {
                self.construct(ty, depth)
            }
        }
    }

    pub fn arithmetic(&mut self, depth: usize) -> Option<String> {
        Some(match self.rng.below(12) {
            0 => format!(
                "len({})",
                self.variable(|ty| matches!(ty, Ty::List(_) | Ty::Set(_) | Ty::Map(..) | Ty::Str))?.0
            ),
            1 => format!("(-{})", self.checked(&Ty::Int, depth)?),
            2 => format!("len({}.split(\"b\"))", self.path(&Ty::Str)?),
            3 => {
                let name = self.fresh();
                format!("(match {}.to_int() {{ Some({name}) => {name}, None => 0 }})", self.path(&Ty::Str)?)
            }
            4 => {
                let name = self.fresh();
                let value = self.checked(&Ty::Int, depth)?;
                let body = self.within(vec![(name.clone(), Ty::Int)], |w| w.checked(&Ty::Int, depth))?;
                format!("({{ let {name} = {value}; {body} }})")
            }
            _ => {
                let operator = *self.rng.pick(&["+", "+", "+", "-", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.checked(&Ty::Int, depth)?, self.checked(&Ty::Int, depth)?)
            }
        })
    }

    pub fn text(&mut self, depth: usize) -> Option<String> {
        Some(match self.rng.below(5) {
            0 => format!("({} + {})", self.checked(&Ty::Str, depth)?, self.checked(&Ty::Str, 0)?),
            1 => format!("{}.lower()", self.path(&Ty::Str)?),
            2 => format!("{}.to_string()", self.path(&Ty::Int)?),
            3 => {
                let text = self.path(&Ty::Str)?;
                format!("(if (len({text}) >= 1) {{ {text}[0..1] }} else {{ {text} }})")
            }
            _ => self.leaf(&Ty::Str)?,
        })
    }

    pub fn list(&mut self, ty: &Ty, inner: &Ty, depth: usize) -> Option<String> {
        match self.rng.below(6) {
            0 => Some(format!("({} + {})", self.path(ty)?, self.checked(ty, depth)?)),
            1 if *inner == Ty::Int && self.rng.percent(50) => Some(format!("(0..{})", self.rng.below(4))),
            1 if self.rng.percent(30) => {
                let pairs = |t: &Ty| matches!(t, Ty::Map(..)) && is_sorted(t) && item(t).as_ref() == Some(inner);
                Some(format!("{}.to_list()", self.variable(pairs)?.0))
            }
            1 if matches!(inner, Ty::Int | Ty::Str) => {
                let set = self.path(&Ty::Set(Box::new(inner.clone())))?;
                Some(format!("{set}.to_list()"))
            }
            2 => {
                let values = |t: &Ty| matches!(t, Ty::Map(k, v) if **v == *inner && matches!(**k, Ty::Int | Ty::Str));
                Some(format!("{}.values()", self.variable(values)?.0))
            }
            3 => {
                let list = self.path(ty)?;
                Some(format!("(if (len({list}) >= 1) {{ {list}[1..len({list})] }} else {{ {list} }})"))
            }
            4 => {
                let (clauses, bound) = self.clauses(is_sorted)?;
                let element = self.within(bound, |w| {
                    if w.rng.percent(30) { w.checked(inner, 1) } else { w.pure(|w| w.checked(inner, depth)) }
                });
                Some(format!("[{} {clauses}]", element?))
            }
            _ => self.construct(ty, depth),
        }
    }

    pub fn set(&mut self, ty: &Ty, inner: &Ty, depth: usize) -> Option<String> {
        match self.rng.below(6) {
            5 => Some(format!("({} & {})", self.path(ty)?, self.checked(ty, depth)?)),
            0 => Some(format!("({} + {{{}}})", self.path(ty)?, self.checked(inner, depth)?)),
            1 => Some(format!("({} - {{{}}})", self.path(ty)?, self.checked(inner, depth)?)),
            2 => Some(format!("{}.keys()", self.variable(|t| matches!(t, Ty::Map(k, _) if **k == *inner))?.0)),
            3 => {
                let (clauses, bound) = self.clauses(|t| item(t).is_some())?;
                let element = self.within(bound, |w| w.pure(|w| w.checked(inner, depth)))?;
                Some(format!("({{{element} {clauses}}})"))
            }
            _ => self.construct(ty, depth),
        }
    }

    pub fn map(&mut self, ty: &Ty, key: &Ty, value: &Ty, depth: usize) -> Option<String> {
        match self.rng.below(5) {
            3 => Some(format!("({} + {})", self.path(ty)?, self.checked(ty, depth)?)),
            4 => {
                Some(format!("{}.with({}, {})", self.path(ty)?, self.checked(key, depth)?, self.checked(value, depth)?))
            }
            0 => Some(format!("{}.remove({})", self.path(ty)?, self.checked(key, depth)?)),
            1 if self.rng.percent(50) => {
                let (map, Ty::Map(_, old)) = self.variable(|t| matches!(t, Ty::Map(k, _) if **k == *key))? else {
                    return None;
                };
                let (k, v) = (self.fresh(), self.fresh());
                let bound = vec![(k.clone(), key.clone()), (v.clone(), *old)];
                let value = self.within(bound, |w| w.pure(|w| w.checked(value, depth)))?;
                Some(format!("({{{k}: {value} for ({k}, {v}) in {map}}})"))
            }
            1 => {
                let (set, _) = self.variable(|t| matches!(t, Ty::Set(inner) if **inner == *key))?;
                let name = self.fresh();
                let bound = vec![(name.clone(), key.clone())];
                let value = self.within(bound, |w| w.pure(|w| w.checked(value, depth)))?;
                Some(format!("({{{name}: {value} for {name} in {set}}})"))
            }
            _ => self.construct(ty, depth),
        }
    }

    /// `for x in l if p`, and what it binds.
    pub fn clauses(&mut self, over: impl Fn(&Ty) -> bool) -> Option<(String, Vec<(String, Ty)>)> {
        let (collection, ty) = self.variable(over)?;
        let (name, bound) = self.binder(&item(&ty)?);
        let (more, second) = if self.rng.percent(20) { self.second_clause(&bound) } else { Default::default() };
        let bound = [bound, second].concat();
        let filter = self.rng.percent(60).then(|| self.within(bound.clone(), |w| w.pure(|w| w.boolean(1))));
        let filter = filter.map_or(String::new(), |filter| format!(" if {filter}"));
        Some((format!("for {name} in {collection}{more}{filter}"), bound))
    }

    pub fn second_clause(&mut self, bound: &[(String, Ty)]) -> (String, Vec<(String, Ty)>) {
        let list = self.within(bound.to_vec(), |w| w.variable(|ty| matches!(ty, Ty::List(_))));
        let Some((list, Ty::List(inner))) = list else { return Default::default() };
        let (name, bound) = self.binder(&inner);
        (format!(" for {name} in {list}"), bound)
    }

    /// A name, or a tuple of names.
    pub fn binder(&mut self, ty: &Ty) -> (String, Vec<(String, Ty)>) {
        let bound: Vec<(String, Ty)> = match ty {
            Ty::Tuple(types) if self.rng.percent(60) => types.iter().map(|ty| (self.fresh(), ty.clone())).collect(),
            ty => vec![(self.fresh(), ty.clone())],
        };
        let names: Vec<&str> = bound.iter().map(|(name, _)| name.as_str()).collect();
        let written = if names.len() > 1 { format!("({})", names.join(", ")) } else { names.concat() };
        (written, bound)
    }
}
