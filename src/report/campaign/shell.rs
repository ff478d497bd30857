//! Words of a command as they are typed in a shell: `a b` is `'a b'`.

use super::visible::visible;

/// A text as one word of a shell command, quoted if need be. What would act on a terminal is escaped, as commands may be written
/// by somebody else.
#[must_use]
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+:@%,=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", visible(text).replace('\'', r"'\''")),
    }
}

/// The command that runs a script once more, with options that are typed already.
#[must_use]
pub fn replay(file: &str, options: &str) -> String {
    let words = ["mayhap replay", &word(file), options];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_if_need_be() {
        for (text, typed) in
            [("a/b-1.may", "a/b-1.may"), ("a b'c", r"'a b'\''c'"), ("", "''"), ("$(x)\u{7}", r"'$(x)\u{7}'")]
        {
            assert_eq!(word(text), typed);
        }
        assert_eq!(replay("a b", "--sut h:1"), "mayhap replay 'a b' --sut h:1");
    }
}
