//! Names in a specification, made from the names in a description.
//!
//! For example `list-user_notes` becomes `ListUserNotes`; a second one becomes `ListUserNotes2`.

use rustc_hash::FxHashSet;

/// The name of a type or variant: `CamelCase`.
pub fn camel(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    let name: String = words.map(capital).collect();
    if name.starts_with(|c: char| !c.is_alphabetic()) { format!("N{name}") } else { name }
}

/// The name of a field or a protocol: the letters and digits of `text`, with `_` for all else.
pub fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    match name.chars().next() {
        None => "value".to_owned(),
        Some(first) if !first.is_alphabetic() => format!("n{name}"),
        Some(_) => name,
    }
}

/// The letters and digits of a name in lower case, which are equal for `noteId`, `note_id` and `NoteID`.
pub fn alike(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Tests whether a text can be a name in backquotes.
pub fn can_be_name(text: &str) -> bool {
    !text.is_empty() && text != "_" && !text.contains(|c: char| c == '`' || c.is_control())
}

/// The names that are taken already.
#[derive(Default, Debug)]
pub struct TakenNames(FxHashSet<String>);

impl TakenNames {
    /// A set in which these names are taken.
    pub fn of(names: &[&str]) -> TakenNames {
        TakenNames(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// Takes a name. If it is taken already, appends the ending, and then a number if necessary.
    pub fn take_or(&mut self, wanted: &str, ending: &str) -> String {
        let other = if self.0.contains(wanted) { format!("{wanted}{ending}") } else { wanted.to_owned() };
        self.take(&other)
    }

    /// Takes a name; if it is taken already, appends a number.
    pub fn take(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|number: u32| format!("{wanted}{number}"));
        let free = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !self.0.contains(name));
        let name = free.unwrap_or_default();
        self.0.insert(name.clone());
        name
    }
}

/// The first line of a description, cut to a width.
pub fn one_line(text: &str, width: usize) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_start_matches(['#', '*', ' ']);
    let words: Vec<&str> =
        line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    if line.chars().count() <= width {
        return Some(line).filter(|line| !line.is_empty());
    }
    let cut: String = line.chars().take(width - 1).collect();
    let end = cut.rfind(' ').filter(|end| *end > width / 2).unwrap_or(cut.len());
    Some(format!("{}…", cut[..end].trim_end_matches([' ', ',', '.', ';', ':'])))
}
