//! Random conditions and patterns, with what they bind.
//!
//! Example: `(m1 is Some(v4) && (any v5 in m2: (v5 == v4)))` binds `v4`.

use super::declarations::{Payload, STRINGS, Ty};
use super::expressions::Writer;
use super::operations::item;

impl Writer<'_> {
    /// A condition, and what is in scope where it holds.
    pub fn condition(&mut self, depth: usize) -> (String, Vec<(String, Ty)>) {
        let subject = |ty: &Ty| !matches!(ty, Ty::Set(_) | Ty::Map(..));
        if self.rng.percent(30)
            && let Some((subject, ty)) = self.variable(subject)
        {
            let (pattern, bound) = self.pattern(&ty, 2);
            let more = self.within(bound.clone(), |w| w.boolean(depth.min(1)));
            return (format!("({subject} is {pattern} && {more})"), bound);
        }
        (self.boolean(depth), Vec::new())
    }

    /// A truth value, in brackets.
    pub fn boolean(&mut self, depth: usize) -> String {
        for _ in 0..4 {
            if let Some(e) = self.attempt_boolean(depth) {
                return e;
            }
        }
        self.path(&Ty::Bool).unwrap_or_else(|| self.rng.percent(70).to_string())
    }

    pub fn attempt_boolean(&mut self, depth: usize) -> Option<String> {
        let deeper = depth.checked_sub(1);
        Some(match self.rng.below(if deeper.is_some() { 16 } else { 8 }) {
            0..=2 => {
                let operator = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let (left, right) = (self.path(&Ty::Int)?, self.checked(&Ty::Int, depth.min(1))?);
                let right = if left == right { self.leaf(&Ty::Int)? } else { right };
                format!("({left} {operator} {right})")
            }
            3 | 4 => {
                let (left, ty) = self.variable(|ty| *ty != Ty::Int)?;
                let operator = if self.rng.percent(60) { "==" } else { "!=" };
                let right = self.checked(&ty, depth.min(1)).filter(|right| *right != left)?;
                format!("({left} {operator} {right})")
            }
            5 => {
                let (collection, Ty::List(inner) | Ty::Set(inner)) =
                    self.variable(|ty| matches!(ty, Ty::List(_) | Ty::Set(_)))?
                else {
                    return None;
                };
                format!("({} in {collection})", self.path(&inner)?)
            }
            6 => {
                let (map, Ty::Map(key, _)) = self.variable(|ty| matches!(ty, Ty::Map(..)))? else { return None };
                format!("{map}.contains({})", self.checked(&key, 0)?)
            }
            7 => self.path(&Ty::Bool)?,
            8 => format!("(!{})", self.boolean(deeper?)),
            9 => format!("({} && {})", self.boolean(deeper?), self.boolean(deeper?)),
            10 => format!("({} || {})", self.boolean(deeper?), self.boolean(deeper?)),
            11 => {
                let method = *self.rng.pick(&["contains", "starts_with", "ends_with"]);
                format!("{}.{method}({})", self.path(&Ty::Str)?, self.checked(&Ty::Str, 0)?)
            }
            12 => self.condition(deeper?).0,
            13 => {
                let (set, ty) = self.variable(|ty| matches!(ty, Ty::Set(_)))?;
                let operator = *self.rng.pick(&["<=", "<", ">=", ">"]);
                let other = self.checked(&ty, depth.min(1)).filter(|other| *other != set)?;
                format!("({set} {operator} {other})")
            }
            14 => {
                let (list, ty) = self.variable(|ty| matches!(ty, Ty::List(_)))?;
                format!("{list}.starts_with({})", self.checked(&ty, depth.min(1))?)
            }
            _ => self.quantified(deeper?)?,
        })
    }

    pub fn quantified(&mut self, depth: usize) -> Option<String> {
        let (collection, ty) = self.variable(|ty| item(ty).is_some())?;
        let ((name, bound), quantifier) = (self.binder(&item(&ty)?), *self.rng.pick(&["any", "all"]));
        let body = self.within(bound, |w| w.unchoosing(|w| w.boolean(depth)));
        Some(format!("({quantifier} {name} in {collection}: {body})"))
    }

    /// A pattern and what it binds.
    pub fn pattern(&mut self, ty: &Ty, depth: usize) -> (String, Vec<(String, Ty)>) {
        if depth == 0 || self.rng.percent(20) {
            return match self.rng.below(3) {
                0 => ("_".to_owned(), Vec::new()),
                _ => {
                    let name = self.fresh();
                    (name.clone(), vec![(name, ty.clone())])
                }
            };
        }
        match ty {
            Ty::Int => (self.rng.pick(&["0", "1", "2", "-1", "0 | 1"]).to_string(), Vec::new()),
            Ty::Bool => (self.rng.pick(&["true", "false"]).to_string(), Vec::new()),
            Ty::Str => (format!("\"{}\"", self.rng.pick(&STRINGS)), Vec::new()),
            Ty::Option(_) if self.rng.percent(40) => ("None".to_owned(), Vec::new()),
            Ty::Option(inner) => self.patterns("Some(", &[(**inner).clone()], ")", depth),
            Ty::Tuple(types) => self.patterns("(", types, ")", depth),
            Ty::List(inner) => match self.rng.below(5) {
                3 => self.patterns("[.., ", &[(**inner).clone()], "]", depth),
                4 => {
                    let (first, before) = self.pattern(inner, depth - 1);
                    let (last, after) = self.pattern(inner, depth - 1);
                    let rest = self.fresh();
                    let bound = [before, vec![(rest.clone(), ty.clone())], after].concat();
                    (format!("[{first}, ..{rest}, {last}]"), bound)
                }
                0 => ("[]".to_owned(), Vec::new()),
                1 => self.patterns("[", &[(**inner).clone()], "]", depth),
                _ => {
                    let rest = self.fresh();
                    let (pattern, mut bound) = self.patterns("[", &[(**inner).clone()], &format!(", ..{rest}]"), depth);
                    bound.push((rest, ty.clone()));
                    (pattern, bound)
                }
            },
            Ty::Struct(i) => {
                let declared = self.declarations.structs[*i].clone();
                self.record_pattern(&declared.name, &declared.fields, depth)
            }
            Ty::Tree if self.rng.percent(40) => ("Leaf".to_owned(), Vec::new()),
            Ty::Tree => self.patterns("Node(", &[Ty::Tree, Ty::Int, Ty::Tree], ")", depth),
            Ty::Enum(i) => {
                let (name, payload) = self.rng.pick(&self.declarations.enums[*i].variants).clone();
                let name = format!("{}{name}", self.qualifier(*i));
                match payload {
                    Payload::Unit => (name, Vec::new()),
                    Payload::Tuple(types) => self.patterns(&format!("{name}("), &types, ")", depth),
                    Payload::Record(fields) => self.record_pattern(&name, &fields, depth),
                }
            }
            Ty::Token(_) | Ty::Set(_) | Ty::Map(..) => self.pattern(ty, 0),
        }
    }

    pub fn patterns(&mut self, open: &str, types: &[Ty], close: &str, depth: usize) -> (String, Vec<(String, Ty)>) {
        let (patterns, bound): (Vec<String>, Vec<_>) = types.iter().map(|ty| self.pattern(ty, depth - 1)).unzip();
        (format!("{open}{}{close}", patterns.join(", ")), bound.concat())
    }

    /// Always in brackets: it may stand in the head of an `if`.
    pub fn record_pattern(&mut self, name: &str, fields: &[(String, Ty)], depth: usize) -> (String, Vec<(String, Ty)>) {
        let (patterns, bound): (Vec<String>, Vec<_>) = fields.iter().map(|(_, ty)| self.pattern(ty, depth - 1)).unzip();
        let named: Vec<String> =
            fields.iter().zip(patterns).map(|((f, _), pattern)| format!("{f}: {pattern}")).collect();
        (format!("({name} {{ {} }})", named.join(", ")), bound.concat())
    }
}
