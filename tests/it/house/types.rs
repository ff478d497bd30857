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

#[test]
fn types_are_seen() {
    let types = ["impl<'a> From<X> for m::Y<'a> {", "impl Z {", "implement();"].map(implemented);
    assert_eq!(types, [Some("Y".to_owned()), Some("Z".to_owned()), None]);
}
