//! The types that a file has code of.
//!
//! `impl<'a> From<X> for m::Y<'a> {` is code of `Y`.

/// The type that an `impl` block on a line is of: of `impl<'a> From<X> for m::Y<'a> {` it is `Y`.
pub fn implemented(line: &str) -> Option<String> {
    let rest = line.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<']))?;
    let mut depth = 0;
    let mut text = String::new();
    for c in rest.replace("->", "").chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '{' => break,
            c if depth == 0 => text.push(c),
            _ => {}
        }
    }
    let path = text.rsplit(" for ").next()?.split_whitespace().next()?.to_owned();
    path.rsplit("::").next().map(|name| name.trim_start_matches('&').to_owned())
}

/// The type that a line declares; an alias only where it stands by itself, not in an `impl` or a trait.
pub fn declared(line: &str) -> Option<&str> {
    let words = line.trim_start().trim_start_matches("pub ");
    let words = words.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")).map_or(words, |(_, rest)| rest);
    let (kind, rest) = words.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "union"].contains(&kind) || (kind == "type" && !line.starts_with(' '));
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| is_type && name.starts_with(char::is_uppercase))
}

#[test]
fn types_are_seen() {
    let types = ["impl<'a> From<X> for m::Y<'a> {", "impl Z {", "implement();"].map(implemented);
    assert_eq!(types, [Some("Y".to_owned()), Some("Z".to_owned()), None]);
    let names =
        ["pub(super) struct A<'a> {", "enum B {", "    type C = u8;", "pub type D = u8;", "struct();"].map(declared);
    assert_eq!(names, [Some("A"), Some("B"), None, Some("D"), None]);
}
