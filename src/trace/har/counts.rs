//! The numbers of entries of a HAR file, by what became of them, and the note on those that are not judged.

/// The numbers of entries of a HAR file that were read, and that were skipped, by reason.
#[derive(Clone, Default, Debug)]
pub struct HarCounts {
    /// All entries.
    pub entries: u64,
    /// Entries at other URLs.
    pub elsewhere: u64,
    /// Entries that were answered from a cache.
    pub cached: u64,
    /// Entries that the server refused for now (429).
    pub refused: u64,
    /// Entries whose content was not recorded, so that the answer is unknown.
    pub without_content: u64,
    /// Entries whose request has content that was not recorded.
    pub unknown_requests: u64,
    /// Entries that were answered with 304, though the file shows the content in the client's cache.
    pub revalidated: u64,
    /// Entries whose answer is none of the specification, so that it is not known what they did.
    pub unlisted: u64,
    /// Foreign entries, which match no line of the `http` block.
    pub foreign: u64,
    /// Foreign entries that may have changed the state of the service.
    pub changing: u64,
    /// The first foreign entry.
    pub(super) first_foreign: Option<String>,
    /// The first entry whose answer is none of the specification.
    pub(super) first_unlisted: Option<String>,
}

impl HarCounts {
    /// A sentence about the entries that are not judged, or only in part, if there are any.
    #[must_use]
    pub fn passed_over(&self) -> Option<String> {
        let entries = |n: u64| if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") };
        let none = if self.foreign == 1 { "is no request" } else { "are no requests" };
        let first = self.first_foreign.as_deref().unwrap_or_default();
        let parts = [
            (self.elsewhere, format!("{} at other URLs", entries(self.elsewhere))),
            (self.cached, format!("{} from a cache", entries(self.cached))),
            (self.refused, format!("{} refused with 429", entries(self.refused))),
            (self.foreign, format!("{} that {none} of the specification ({first})", entries(self.foreign))),
        ];
        let mut said: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, what)| what).collect();
        if !said.is_empty() {
            said = vec![format!("passed over {}", said.join(", "))];
        }
        if self.changing > 0 {
            let (these, may) =
                (entries(self.changing), "may have changed something that the specification says nothing of");
            said.push(format!("{these} of those {may}: what comes after is judged from any state"));
        }
        if self.without_content > 0 {
            said.push(format!("the answers of {} have no content and are not known", entries(self.without_content)));
        }
        if self.unknown_requests > 0 {
            said.push(format!("the content of the requests of {} is not known", entries(self.unknown_requests)));
        }
        if self.revalidated > 0 {
            let these = entries(self.revalidated);
            said.push(format!(
                "the answers of {these} are shown from a cache that was validated (304) and are not known"
            ));
        }
        if self.unlisted > 0 {
            let (these, first) = (entries(self.unlisted), self.first_unlisted.as_deref().unwrap_or_default());
            let what = "are none of the specification: it is not known what these requests did";
            said.push(format!("the answers of {these} {what} ({first})"));
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}
