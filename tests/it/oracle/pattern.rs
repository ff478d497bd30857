//! Patterns of the oracle: what fits binds, what does not leaves no trace.
//!
//! Example: `[x, ..rest]` fits `[1, 2, 3]` and binds `x` to 1 and `rest` to `[2, 3]`.

use super::run::Frame;
use super::*;

impl<'a> Frame<'a, '_> {
    /// Matches and keeps the bindings; where it does not fit, keeps none.
    pub fn bind(&mut self, pattern: &'a Pattern, value: &Value, ty: Option<&'a TypeExpr>) -> bool {
        let mark = self.locals.len();
        let fits = self.try_bind(pattern, value, ty);
        self.locals.truncate(if fits { usize::MAX } else { mark });
        fits
    }

    pub fn must_bind(&mut self, pattern: &'a Pattern, value: &Value, ty: Option<&'a TypeExpr>) -> Run<()> {
        if self.bind(pattern, value, ty) { Ok(()) } else { Err(Stop::Fault) }
    }

    pub fn declare(&mut self, name: &'a Name, value: Value, ty: Option<&'a TypeExpr>) -> bool {
        self.locals.push((&name.text, value, ty));
        true
    }

    pub fn try_bind(&mut self, pattern: &'a Pattern, value: &Value, ty: Option<&'a TypeExpr>) -> bool {
        let oracle = self.oracle;
        match &pattern.kind {
            PatternKind::Wildcard => true,
            PatternKind::Name(name) if name.text.starts_with(char::is_uppercase) => *value == Value::unit(&name.text),
            PatternKind::Name(name) => self.declare(name, value.clone(), ty),
            PatternKind::Int(n) => *value == Value::Int(integer(n)),
            PatternKind::Text(text) => value.octets() == Some(&text.octets),
            PatternKind::Bool(b) => *value == Value::Bool(*b),
            PatternKind::Variant { qualifier, name, args } => {
                let Value::Data(variant, values) = value else { return false };
                let types = oracle.fields(ty, qualifier.as_ref().map(|q| q.text.as_str()), variant);
                let part = |i: usize| (&values[&i.to_string()], types.get(i).map(|(_, ty)| *ty));
                *variant == name.text && (0..).zip(args).all(|(i, p)| self.try_bind(p, part(i).0, part(i).1))
            }
            PatternKind::Record { qualifier, name, fields, .. } => {
                let Value::Data(variant, values) = value else { return false };
                let types = oracle.fields(ty, qualifier.as_ref().map(|q| q.text.as_str()), variant);
                let ty = |field: &Name| types.iter().find(|(name, _)| *name == field.text).map(|(_, ty)| *ty);
                let one = |field: &'a FieldPattern| match &field.pattern {
                    Some(pattern) => self.try_bind(pattern, &values[&field.name.text], ty(&field.name)),
                    None => self.declare(&field.name, values[&field.name.text].clone(), ty(&field.name)),
                };
                *variant == name.text && fields.iter().all(one)
            }
            PatternKind::Tuple(patterns) if patterns.len() == 1 => self.try_bind(&patterns[0], value, ty),
            PatternKind::Tuple(patterns) => {
                let parts = value.elements();
                (0..).zip(patterns).all(|(i, p)| self.try_bind(p, &parts[i], oracle.part(ty, i)))
            }
            PatternKind::List { elements, rest, last } => {
                let (values, n) = (value.elements(), elements.len());
                let needed = n + last.len();
                if values.len() < needed || (rest.is_none() && values.len() > needed) {
                    return false;
                }
                let behind = values.len() - last.len();
                let mut each = |(p, v): (&'a Pattern, &Value)| self.try_bind(p, v, oracle.part(ty, 0));
                let fits = elements.iter().zip(&values).chain(last.iter().zip(&values[behind..])).all(&mut each);
                let rest = rest.iter().flatten().filter(|_| fits);
                rest.for_each(|name| _ = self.declare(name, Value::Seq(values[n..behind].to_vec()), ty));
                fits
            }
            PatternKind::Or(patterns) => patterns.iter().any(|p| self.bind(p, value, ty)),
            PatternKind::Error => panic!("a pattern that does not parse"),
        }
    }
}
