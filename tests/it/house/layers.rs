//! The modules that a line of code names.
//!
//! `use crate::{term, value::Value};` names two.

/// The modules that `crate::…` paths on a line name, also in `use crate::{a, b::c}`.
pub fn named(line: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let whole_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let rest = &line[at + "crate::".len()..];
        if !whole_word {
            continue;
        }
        let group = rest.strip_prefix('{').map(|group| group.split(',').map(str::trim).collect());
        for path in group.unwrap_or_else(|| vec![rest]) {
            let word: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            modules.extend((!word.is_empty()).then_some(word));
        }
    }
    modules
}

#[test]
fn lines_name_modules() {
    assert_eq!(named("use crate::{term, value::Value, self};"), ["term", "value", "self"]);
    assert_eq!(named("pub(in crate::spec) fn f(x: crate::term::Term)"), ["spec", "term"]);
}
