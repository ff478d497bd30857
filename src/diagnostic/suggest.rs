//! The suggestion of "did you mean": the known name that is nearest to an unknown one.
//!
//! `suggest("respose", ["request", "response"])` is `Some("response")`; `suggest("x", ["abc"])` is `None`.

/// The largest number of bytes of a name that is compared: comparing takes time in the product of the lengths.
const LONGEST: usize = 100;

/// The candidate that the writer of `name` probably meant: one that differs only in case, else the one with the fewest edits, which must be
/// at most a third of its letters. Among equally near ones, the first.
#[must_use]
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let candidates = candidates.into_iter().filter(|candidate| candidate.len() <= LONGEST && *candidate != name);
    let near = candidates.filter_map(|candidate| Some((distance(name, candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

fn distance(name: &str, candidate: &str) -> Option<usize> {
    if name.to_lowercase() == candidate.to_lowercase() {
        return Some(0);
    }
    let edits = strsim::damerau_levenshtein(name, candidate);
    let longest = name.chars().count().max(candidate.chars().count());
    if edits <= longest.max(3) / 3 { Some(edits) } else { None }
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn the_nearest_name_is_suggested() {
        let cases: [(&str, &[&str], Option<&str>); 6] = [
            ("respose", &["request", "response"], Some("response")),
            ("notfound", &["Found", "NotFound"], Some("NotFound")),
            ("x", &["abc"], None),
            ("kye", &["value", "key"], Some("key")),
            ("key", &["key"], None),
            ("a", &[], None),
        ];
        for (name, candidates, expected) in cases {
            assert_eq!(suggest(name, candidates.iter().copied()), expected, "{name}");
        }
    }
}
