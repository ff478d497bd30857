//! Links from a place of the specification to its line on the page.
//!
//! In `only 3 was possible (ids.may:7: …)` the words `ids.may:7` become a link.

use maud::{Markup, html};

use super::super::{SpecPlace, SpecText};

/// The files that the page shows, each with the number of its lines.
pub(super) struct Links {
    files: Vec<(String, usize)>,
}

impl Links {
    pub(super) fn new(texts: &[SpecText]) -> Links {
        Links { files: texts.iter().map(|text| (text.file.clone(), text.text.lines().count())).collect() }
    }

    /// The link to a place; `None` if the page does not show its line.
    pub(super) fn to(&self, place: &SpecPlace) -> Option<String> {
        let at = self.files.iter().position(|(file, lines)| *file == place.file && place.line <= *lines as u64)?;
        Some(format!("#{}", line_id(at, place.line)))
    }

    /// A line of text with its places as links.
    pub(super) fn linked(&self, text: &str) -> Markup {
        match self.first_place(text) {
            Some((before, place, after)) => html! {
                (before) a href=[self.to(&place)] { (place) } (self.linked(after))
            },
            None => html! { (text) },
        }
    }

    /// The number of a line as a link.
    pub(super) fn numbered(&self, place: &SpecPlace) -> Markup {
        html! { a href=[self.to(place)] { "line " (place.line) } }
    }

    /// The first place in a text whose line the page shows, with the text before and after it.
    fn first_place<'t>(&self, text: &'t str) -> Option<(&'t str, SpecPlace, &'t str)> {
        let found = self.files.iter().flat_map(|(file, _)| text.match_indices(file.as_str()));
        let place = |(at, file): (usize, &'t str)| {
            let number = text[at + file.len()..].strip_prefix(':')?;
            let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            let place = SpecPlace { file: file.into(), line: number[..digits].parse().ok()? };
            self.to(&place).map(|_| (&text[..at], place, &number[digits..]))
        };
        found.filter_map(place).min_by_key(|(before, ..)| before.len())
    }
}

/// The anchor of a line of the file with this number.
pub(super) fn line_id(file: usize, line: u64) -> String {
    format!("s{file}L{line}")
}
