//! The requests to the server, and the changes of its files, drawn by a seed, with the tags that were seen.
//!
//! Seven of eight requests are GETs. A third of these has no `If-None-Match`. The others have the tag last seen at the path, its
//! weak or strong twin, an earlier tag, an invented tag, lists of these, and now and then `*`. The rest are changes: a file is
//! created, rewritten to another length or to the same one, or removed. The clock that gives files their times often stands still
//! between two changes, as a second is long for a computer.

use std::time::{Duration, SystemTime};

use mayhap::choice::{ChoiceError, Choices, Random};

use super::exchange::{Answer, Condition, Request, Tag};

/// The files, most of which exist at most times.
const PATHS: [&str; 8] = ["/a", "/b", "/c", "/d", "/e.html", "/f.txt", "/g.png", "/h"];
/// The start of the clock, in seconds since 1970.
const START: u64 = 1_700_000_000;
/// The length that all files stay below, in bytes.
const LENGTHS: usize = 40;
/// The number of tags that are remembered for each path; older ones are not interesting.
const REMEMBERED: usize = 6;
/// The longest list of tags in a header.
const LONGEST_LIST: usize = 4;

/// A file as the workload knows it.
#[derive(Default)]
struct Known {
    /// The length of the file, if it exists.
    length: Option<usize>,
    /// The tags that were seen at the path of the file, the newest last.
    tags: Vec<Tag>,
}

/// The source of requests.
pub struct Workload {
    choices: Random,
    known: [Known; PATHS.len()],
    seconds: u64,
}

impl Workload {
    /// A workload without files and tags.
    pub fn new(seed: u64) -> Workload {
        Workload { choices: Random::new(seed), known: Default::default(), seconds: START }
    }

    /// Draws the next request.
    pub fn next_request(&mut self) -> Result<Request, ChoiceError> {
        let file = self.choices.choose("file", PATHS.len())?;
        let path = PATHS[file].to_owned();
        if self.choices.choose("read or write", 8)? > 0 {
            return Ok(Request::Get { path, if_none_match: self.condition(file)? });
        }
        match (self.known[file].length, self.choices.choose("length or not", 6)?) {
            (Some(_), 0) => Ok(Request::Remove { path }),
            (Some(length), 1 | 2) => self.write(path, length),
            (_, _) => {
                let length = self.choices.choose("length", LENGTHS)?;
                self.write(path, length)
            }
        }
    }

    /// Remembers the tags and lengths in an exchange.
    pub fn learn(&mut self, request: &Request, answer: &Answer) {
        match (request, answer) {
            (Request::Get { path, .. }, Answer::Ok { tag, .. } | Answer::NotModified { tag: Some(tag) }) => {
                remember(&mut self.file(path).tags, tag);
            }
            (Request::Get { .. }, _) => {}
            (Request::Write { path, content, .. }, _) => self.file(path).length = Some(content.len()),
            (Request::Remove { path }, _) => self.file(path).length = None,
        }
    }

    fn file(&mut self, path: &str) -> &mut Known {
        let index = PATHS.iter().position(|known| *known == path).unwrap_or_default();
        &mut self.known[index]
    }

    fn write(&mut self, path: String, length: usize) -> Result<Request, ChoiceError> {
        self.seconds += self.choices.choose("seconds", 3)? as u64;
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(self.seconds);
        let letters: Result<Vec<u8>, ChoiceError> = (0..length).map(|_| self.letter()).collect();
        let content = String::from_utf8_lossy(&letters?).into_owned();
        Ok(Request::Write { path, content, modified })
    }

    fn letter(&mut self) -> Result<u8, ChoiceError> {
        Ok(b'a' + self.choices.choose("letter", 26)? as u8)
    }

    fn condition(&mut self, file: usize) -> Result<Option<Condition>, ChoiceError> {
        let tags = match self.choices.choose("tags", 12)? {
            0..4 => return Ok(None),
            4 => return Ok(Some(Condition::Any)),
            5 => 2 + self.choices.choose("several tags", LONGEST_LIST - 1)?,
            _ => 1,
        };
        let tags: Result<Vec<Tag>, ChoiceError> = (0..tags).map(|_| self.tag(file)).collect();
        Ok(Some(Condition::OneOf(tags?)))
    }

    /// A tag to ask with: mostly the newest one at the path, otherwise an earlier one, one of another path, or an invented one.
    /// One in four is changed between `"x"` and `W/"x"`.
    fn tag(&mut self, file: usize) -> Result<Tag, ChoiceError> {
        let choice = self.choices.choose("kind of tag", 8)?;
        let place = if choice == 7 { self.choices.choose("another file", PATHS.len())? } else { file };
        let seen = self.known[place].tags.len();
        let mut tag = match choice {
            _ if seen == 0 => self.made_up()?,
            0..4 | 7 => self.known[place].tags[seen - 1].clone(),
            4 | 5 => self.known[place].tags[self.choices.choose("seen tag", seen)?].clone(),
            _ => self.made_up()?,
        };
        tag.weak ^= self.choices.choose("weak", 4)? == 0;
        Ok(tag)
    }

    fn made_up(&mut self) -> Result<Tag, ChoiceError> {
        Ok(Tag { weak: false, opaque: format!("made-up-{}", self.choices.choose("made-up tag", 100)?) })
    }
}

/// Makes `tag` the newest one.
fn remember(tags: &mut Vec<Tag>, tag: &Tag) {
    tags.retain(|seen| seen != tag);
    tags.push(tag.clone());
    if tags.len() > REMEMBERED {
        tags.remove(0);
    }
}
