//! Constants set from outside: `--set SIZE=100` replaces the value of `const SIZE`, and is checked like it.
//!
//! `--set Item.price=[5]` sets ``const `Item.price` ``. A map may be written as in JSON, whose keys are strings:
//! `--set 'START={"0": 10}'` sets a `map<int, int>`.

use super::load::Loaded;
use crate::diagnostic::{Diagnostic, Sources, Span, suggest};
use crate::scalar::Int;
use crate::syntax::ast::{Expr, ExprKind, File, ItemKind, TypeExpr, TypeKind};
use crate::syntax::parse;

impl Loaded {
    /// Replaces the values of constants by texts; the diagnostics are about unknown names and malformed values.
    pub fn set(&mut self, values: &[(String, String)], sources: &mut Sources) -> Vec<Diagnostic> {
        values.iter().flat_map(|(name, text)| self.set_one(name, text, sources)).collect()
    }

    fn set_one(&mut self, name: &str, text: &str, sources: &mut Sources) -> Vec<Diagnostic> {
        let name = name.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(name);
        // Names such as `Item.price`, which are no words of the language, stand between backquotes.
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let shown = if is_word { name.to_owned() } else { format!("`{name}`") };
        let written = format!("const {shown}: int = {text};");
        let file = sources.add("--set", &written);
        let parsed = parse(&written, file, self.next);
        self.next = parsed.next;
        if !parsed.diagnostics.is_empty() {
            return parsed.diagnostics;
        }
        let Some(new) = value_of(parsed.file) else {
            let place = Span { file, start: 0, end: written.len() as u32 };
            return vec![Diagnostic::error(place, "expected one value")];
        };
        match self.constant(name) {
            Some((ty, old)) => {
                *old = numbered(new, ty);
                Vec::new()
            }
            None => {
                let place = Span { file, start: 6, end: 6 + shown.len() as u32 };
                let report = Diagnostic::error(place, format!("there is no constant `{name}`"));
                let names = self.constant_names();
                vec![match (suggest(name, names.iter().map(String::as_str)), names.is_empty()) {
                    (Some(near), _) => report.help(format!("did you mean `{near}`?")),
                    (None, true) => {
                        report.help("the specification has no constants: `const NAME: T = e;` declares one")
                    }
                    (None, false) => report.help(format!("there are: {}", names.join(", "))),
                }]
            }
        }
    }

    fn constant(&mut self, wanted: &str) -> Option<(&TypeExpr, &mut Expr)> {
        self.files.iter_mut().flat_map(|file| &mut file.items).find_map(|item| match &mut item.kind {
            ItemKind::Const { name, ty, value } if name.text == wanted => Some((&*ty, value)),
            _ => None,
        })
    }

    fn constant_names(&self) -> Vec<String> {
        let items = self.files.iter().flat_map(|file| &file.items);
        items
            .filter_map(|item| match &item.kind {
                ItemKind::Const { name, .. } => Some(name.text.clone()),
                _ => None,
            })
            .collect()
    }
}

/// The expression with integer keys instead of strings of digits, if the type is a map from integers.
fn numbered(mut expr: Expr, ty: &TypeExpr) -> Expr {
    expr.kind = match (expr.kind, &ty.kind) {
        (ExprKind::Map(entries), TypeKind::Map(key, of)) => {
            let is_int = matches!(&key.kind, TypeKind::Name(name) if name.text == "int");
            let entry = |(key, value): (Expr, Expr)| {
                let digits = match &key.kind {
                    ExprKind::Text(text) if is_int => str::from_utf8(&text.octets).ok().and_then(Int::parse),
                    _ => None,
                };
                let is_literal = |number: &Int| *number >= Int::from(0);
                let kind = digits.filter(is_literal).map_or(key.kind, ExprKind::Int);
                (Expr { kind, ..key }, numbered(value, of))
            };
            ExprKind::Map(entries.into_iter().map(entry).collect())
        }
        (kind, _) => kind,
    };
    expr
}

/// The value of the single constant of a file.
fn value_of(mut file: File) -> Option<Expr> {
    match (file.items.pop()?.kind, file.items.is_empty()) {
        (ItemKind::Const { value, .. }, true) => Some(value),
        _ => None,
    }
}
