//! The division of a text into lines of a width, which a drawing has to do itself.

/// Divides a text into lines of at most `width` characters. Breaks it at spaces, unless that makes a line too short.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest: Vec<char> = line.trim_end().chars().collect();
        while rest.len() > width {
            let space = rest[width / 2..=width].iter().rposition(|c| *c == ' ');
            let end = space.map_or(width, |at| width / 2 + at);
            let after = rest.split_off(end);
            lines.push(rest.into_iter().collect());
            rest = after.into_iter().skip(usize::from(space.is_some())).collect();
        }
        lines.push(rest.into_iter().collect());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_spaces_or_where_they_are_full() {
        assert_eq!(wrapped("only NotFound was possible", 14), ["only NotFound", "was possible"]);
        assert_eq!(wrapped("aaaaaaaaaaaaaaaaaaaa", 8), ["aaaaaaaa", "aaaaaaaa", "aaaa"]);
        assert_eq!(wrapped("a\nb", 8), ["a", "b"]);
    }
}
