//! A specification from its file or its text, with the name of a protocol and with values of constants.
//!
//! `Spec::options().set("FRESH", false).from_file("kv.may")` is what `mayhap check kv.may --set FRESH=false` reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::json;
use crate::spec::load::Text;
use crate::spec::{Selection, Spec, SpecError, Tasks};

/// The most bytes of a specification: positions in it have 32 bits, and nobody writes that much by hand.
const LARGEST: u64 = 1 << 28;

impl Spec {
    /// Compiles a specification that uses no other file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_text(text: &str) -> Result<Arc<Spec>, SpecError> {
        Selection::default().from_text(text)
    }

    /// Compiles the specification in a file. The files that it uses stand beside it: `use tags;` reads `tags.may`.
    ///
    /// ```
    /// use mayhap::{Spec, Validator};
    /// let spec = Spec::from_file("specs/counter.may")?;
    /// assert!(Validator::new(&spec).verdict().is_accept());
    /// let missing = Spec::from_file("specs/missing.may").unwrap_err();
    /// assert!(missing.to_string().starts_with("error: specs/missing.may: cannot read: "));
    /// # Ok::<(), mayhap::error::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, or everything that is wrong with it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Arc<Spec>, SpecError> {
        Selection::default().from_file(path)
    }

    /// Options for a specification: which protocol of a file is meant, and values of constants.
    ///
    /// ```
    /// use mayhap::Spec;
    /// let text = "const LIMIT: int = 2;
    ///     protocol low { request int; response bool; on q { reply q < LIMIT; } }
    ///     protocol high { request int; response bool; on q { reply q >= LIMIT; } }";
    /// let spec = Spec::options().named("high").set("LIMIT", 7).from_text(text)?;
    /// let mut validator = mayhap::Validator::new(&spec);
    /// assert!(validator.observe(&5, &false)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn options() -> Selection {
        Selection::default()
    }
}

impl Selection {
    /// The machine or protocol with this name, of a file with several.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Selection {
        self.name = Some(name.into());
        self
    }

    /// Another value of a constant: a value that serialises to JSON, such as `false`, `3`, `"a"` or a vector.
    #[must_use]
    pub fn set(mut self, constant: impl Into<String>, value: impl Serialize) -> Selection {
        // What does not serialise is no value of the language either: its text is refused where the constant is set.
        let text = json::line(&value).unwrap_or_else(|why| why.to_string());
        self.set.push((constant.into(), text));
        self
    }

    /// Admits what servers do over a network only: `close`, `send`, and handlers that wait for others. Such a specification is one for
    /// `mayhap::test`, whose clients have connections, and for sessions over a network.
    ///
    /// ```
    /// use mayhap::Spec;
    /// let text = "protocol p { request int; response int; on q from c { if q == 0 { close c; return; } reply q; } }";
    /// assert!(Spec::from_text(text).is_err());
    /// assert!(Spec::options().over_networks().from_text(text).is_ok());
    /// ```
    #[must_use]
    pub fn over_networks(mut self) -> Selection {
        self.tasks = Tasks::Either;
        self
    }

    /// Compiles a specification that uses no other file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_text(&self, text: &str) -> Result<Arc<Spec>, SpecError> {
        let text = Text { name: "specification".to_owned(), text: text.to_owned() };
        Spec::compile(text, &mut |name| Err(format!("`{name}` cannot be used from a text")), self)
    }

    /// Compiles the specification in a file. The files that it uses stand beside it.
    ///
    /// # Errors
    /// The file cannot be read, or everything that is wrong with it.
    pub fn from_file(&self, path: impl AsRef<Path>) -> Result<Arc<Spec>, SpecError> {
        let path = path.as_ref();
        let first = read(path).map_err(SpecError::unread)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        Spec::compile(first, &mut |name| read(&directory.join(format!("{name}.may"))), self)
    }
}

fn read(path: &Path) -> Result<Text, String> {
    let name = path.display().to_string();
    let unread = |cause: &io::Error| format!("{name}: cannot read: {}", reason(cause));
    let file = File::open(path).map_err(|cause| unread(&cause))?;
    if file.metadata().is_ok_and(|data| data.is_dir()) {
        return Err(format!("{name}: this is a directory, expected a file"));
    }
    let text = text(&name, file)?;
    Ok(Text { name, text })
}

/// The text of a specification with a name that messages show.
///
/// # Errors
/// The input cannot be read, is too large, or is not UTF-8; the message has one line.
pub fn text(name: &str, input: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|cause| format!("{name}: cannot read: {}", reason(&cause)))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{name}: this file is larger than {LARGEST} bytes, the limit for specifications"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("{name}:{line}: this file is not valid UTF-8")
    })
}

/// The cause of an error of the system without its number.
#[must_use]
pub fn reason(cause: &io::Error) -> String {
    let text = cause.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
