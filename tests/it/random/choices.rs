//! Random choices: among few values, so that brute force can list them.
//!
//! Example: `(choose v3: int where 0 <= v3 && v3 <= 2 && (v3 != m0))`, `(either m0 or 4)`, `(pick v5 in m2 where (v5 > 0))`.

use super::declarations::{Payload, Ty};
use super::expressions::{Unbounded, Writer};

impl Writer<'_> {
    /// A choice among few values.
    pub fn choice(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if self.choices == 0 {
            return None;
        }
        self.choices -= 1;
        match (self.rng.below(5), ty) {
            (0, _) if let Some(optional) = self.optional(ty) => Some(optional),
            (0 | 1, _) => Some(format!("(either {} or {})", self.checked(ty, depth)?, self.checked(ty, depth)?)),
            (2, _) => self.pick(ty),
            _ => self.choose(ty),
        }
    }

    /// A choice between a constructor without a value and one around any value.
    fn optional(&self, ty: &Ty) -> Option<String> {
        let few = |inner: &&Ty| self.size(inner) <= 8;
        match ty {
            Ty::Option(inner) => {
                let inner = few(&&**inner).then(|| self.declarations.name(inner))?;
                Some(format!("(either None or Some(choose {inner}))"))
            }
            Ty::Enum(at) => {
                let variants = &self.declarations.enums[*at].variants;
                let (none, _) = variants.iter().find(|(_, payload)| matches!(payload, Payload::Unit))?;
                let (some, inner) = variants.iter().find_map(|(name, payload)| match payload {
                    Payload::Tuple(types) => Some((name, types.first().filter(|_| types.len() == 1).filter(few)?)),
                    Payload::Unit | Payload::Record(_) => None,
                })?;
                Some(format!("(either {some}(choose {}) or {none})", self.declarations.name(inner)))
            }
            _ => None,
        }
    }

    pub fn pick(&mut self, ty: &Ty) -> Option<String> {
        let collection = |t: &Ty| matches!(t, Ty::List(inner) | Ty::Set(inner) if **inner == *ty);
        let over = match self.variable(collection) {
            Some((name, _)) => name,
            None if *ty == Ty::Int => format!("{}..{}", self.rng.between(-1, 1), self.rng.between(1, 3)),
            None => return None,
        };
        if self.rng.percent(50) {
            return Some(format!("(pick {over})"));
        }
        let name = self.fresh();
        let condition = self.within(vec![(name.clone(), ty.clone())], |w| w.pure(|w| w.boolean(1)));
        Some(format!("(pick {name} in {over} where {condition})"))
    }

    pub fn choose(&mut self, ty: &Ty) -> Option<String> {
        let name = self.fresh();
        let written = self.declarations.name(ty);
        let bound = match ty {
            Ty::Int if self.unbounded == Unbounded::Allowed => return Some("(choose int)".to_owned()),
            Ty::Int => {
                let low = self.rng.between(-2, 2);
                format!("{low} <= {name} && {name} <= {}", low + self.rng.between(0, 3))
            }
            Ty::Str => format!("({name} == \"a\" || {name} == \"ab\")"),
            _ if self.size(ty) > 8 => return None,
            Ty::Token(_) => "true".to_owned(),
            _ if self.rng.percent(50) => return Some("choose".to_owned()),
            _ => return Some(format!("(choose {written})")),
        };
        if matches!(ty, Ty::Token(_)) && self.rng.percent(30) {
            return Some(format!("(choose {written})"));
        }
        let more = self.within(vec![(name.clone(), ty.clone())], |w| w.pure(|w| w.boolean(1)));
        Some(match self.rng.below(2) {
            0 => format!("(choose {name}: {written} where {bound})"),
            _ => format!("(choose {name}: {written} where {bound} && {more})"),
        })
    }

    /// How many values a choice of the type has, about; much where there is no bound.
    pub fn size(&self, ty: &Ty) -> usize {
        let many = |types: &[Ty]| types.iter().map(|ty| self.size(ty)).fold(1, usize::saturating_mul);
        let fields = |fields: &[(String, Ty)]| many(&fields.iter().map(|(_, ty)| ty.clone()).collect::<Vec<_>>());
        match ty {
            Ty::Bool => 2,
            Ty::Token(_) => 3,
            Ty::Option(inner) => self.size(inner).saturating_add(1),
            Ty::Tuple(types) => many(types),
            Ty::Struct(i) => fields(&self.declarations.structs[*i].fields),
            Ty::Enum(i) => {
                let sizes = self.declarations.enums[*i].variants.iter().map(|(_, payload)| match payload {
                    Payload::Unit => 1,
                    Payload::Tuple(types) => many(types),
                    Payload::Record(record) => fields(record),
                });
                sizes.fold(0, usize::saturating_add)
            }
            Ty::Int | Ty::Str | Ty::List(_) | Ty::Set(_) | Ty::Map(..) | Ty::Tree => usize::MAX,
        }
    }
}
