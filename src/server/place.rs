//! The names of choices where all of them are visited: what each is for, and its line in the specification.
//!
//! The third choice of a run may be `Put.value`, a part of the request, or `n (line 16)`, which is `n := choose int;` there.

use super::draw::Drawing;
use crate::choice::{Label, label};

/// All of a request.
pub(super) const REQUEST: &str = "request";

/// What is being drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The name of what it is for, then the fields down to the part at hand.
    path: String,
    /// Where the specification chooses, in words; empty for a request.
    line: String,
}

impl Drawing {
    /// What is drawn from here on is for this; where not all choices are visited, nobody reads their names.
    pub(super) fn draw_for(&mut self, subject: &str, line: &str) {
        if let Some(place) = &mut self.place {
            *place = Place { path: subject.to_owned(), line: line.to_owned() };
        }
    }

    /// The name of a choice, of which `what` is known.
    pub(super) fn label(&self, what: Label) -> Label {
        let Some(Place { path, line }) = &self.place else { return what };
        let text = match what {
            "elements" | "option" => format!("{path}: {what}{line}"),
            _ => format!("{path}{line}"),
        };
        label(&text).unwrap_or(what)
    }

    /// Draws the parts of a variant: what they are parts of has its name, if it is the request.
    pub(super) fn variant_of<T>(&mut self, name: &str, draw: impl FnOnce(&mut Drawing) -> T) -> T {
        match &mut self.place {
            Some(place) if place.path == REQUEST => {
                name.clone_into(&mut place.path);
                let drawn = draw(self);
                self.draw_for(REQUEST, "");
                drawn
            }
            Some(_) | None => draw(self),
        }
    }

    /// Draws a part, which has this name or stands at this position.
    pub(super) fn part<T>(&mut self, name: Option<&str>, at: usize, draw: impl FnOnce(&mut Drawing) -> T) -> T {
        let Some(place) = &mut self.place else { return draw(self) };
        let length = place.path.len();
        place.path.push_str(&name.map_or_else(|| format!(".{at}"), |name| format!(".{name}")));
        let drawn = draw(self);
        self.place.iter_mut().for_each(|place| place.path.truncate(length));
        drawn
    }
}
