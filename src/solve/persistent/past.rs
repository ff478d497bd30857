//! Pasts: persistent lists, latest entry first, whose copies share their older entries.
//!
//! For example if one copy of `a, b` goes on with `c` and another one with `d`, they share `a, b`.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A persistent list, latest entry first.
#[derive(Debug)]
pub struct Past<T> {
    last: Option<Arc<Link<T>>>,
}

#[derive(Debug)]
struct Link<T> {
    entry: T,
    before: Option<Arc<Link<T>>>,
}

/// The links that were moved onto another past: by the address of the old link, the past that ends with the new one.
#[derive(Debug)]
pub struct Moved<T>(FxHashMap<*const Link<T>, Past<T>>);

impl<T> Clone for Past<T> {
    fn clone(&self) -> Past<T> {
        Past { last: self.last.clone() }
    }
}

impl<T> Default for Past<T> {
    fn default() -> Past<T> {
        Past { last: None }
    }
}

impl<T> Default for Moved<T> {
    fn default() -> Moved<T> {
        Moved(FxHashMap::default())
    }
}

impl<T> Moved<T> {
    /// The number of links that were moved.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl<T> Past<T> {
    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        self.last = Some(Arc::new(Link { entry, before: self.last.take() }));
    }

    /// All entries, latest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.links().map(|link| &link.entry)
    }

    fn links(&self) -> impl Iterator<Item = &Arc<Link<T>>> {
        std::iter::successors(self.last.as_ref(), |link| link.before.as_ref())
    }

    /// The longest past that all of these go on from.
    #[must_use]
    pub fn shared(pasts: &[&Past<T>]) -> Past<T> {
        let Some((first, others)) = pasts.split_first() else { return Past::default() };
        if others.is_empty() {
            return (*first).clone();
        }
        let links: Vec<&Arc<Link<T>>> = first.links().collect();
        let places: FxHashMap<_, _> = links.iter().enumerate().map(|(at, link)| (Arc::as_ptr(link), at)).collect();
        let (mut visited, mut shared) = (FxHashSet::default(), 0);
        for other in others {
            let mut met = links.len();
            for link in other.links().map(Arc::as_ptr) {
                if let Some(at) = places.get(&link) {
                    met = *at;
                    break;
                }
                if !visited.insert(link) {
                    met = 0; // where it leads was seen before
                    break;
                }
            }
            shared = shared.max(met);
        }
        Past { last: links.get(shared).map(|link| (*link).clone()) }
    }

    /// The entries after a past that this one goes on from, latest first.
    pub fn since<'p>(&'p self, past: &'p Past<T>) -> impl Iterator<Item = &'p T> {
        self.links_since(past).map(|link| &link.entry)
    }

    fn links_since<'p>(&'p self, past: &'p Past<T>) -> impl Iterator<Item = &'p Arc<Link<T>>> {
        let end = past.last.as_ref().map(Arc::as_ptr);
        self.links().take_while(move |link| Some(Arc::as_ptr(link)) != end)
    }
}

impl<T: Clone> Past<T> {
    /// The past in which the entries after `from` come after `to` instead. Pasts that shared links share the moved links, too.
    #[must_use]
    pub fn moved(&self, from: &Past<T>, to: &Past<T>, moved: &mut Moved<T>) -> Past<T> {
        let (mut new, mut left) = (to.clone(), Vec::new());
        for link in self.links_since(from) {
            if let Some(known) = moved.0.get(&Arc::as_ptr(link)) {
                new = known.clone();
                break;
            }
            left.push(link);
        }
        for link in left.into_iter().rev() {
            new.push(link.entry.clone());
            moved.0.insert(Arc::as_ptr(link), new.clone());
        }
        new
    }
}

/// Long pasts are freed without recursion.
impl<T> Drop for Past<T> {
    fn drop(&mut self) {
        let mut next = self.last.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.before.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Moved, Past};

    fn past(entries: &str) -> Past<char> {
        let mut past = Past::default();
        entries.chars().for_each(|entry| past.push(entry));
        past
    }

    fn text(past: &Past<char>) -> String {
        past.iter().collect()
    }

    fn longer(past: &Past<char>, entries: &str) -> Past<char> {
        let mut longer = past.clone();
        entries.chars().for_each(|entry| longer.push(entry));
        longer
    }

    #[test]
    fn what_several_share_is_found_and_changed_once() {
        let shared = past("ab");
        let [left, right] = [longer(&shared, "cd"), longer(&shared, "e")];
        let further = longer(&left, "f");
        assert_eq!(text(&Past::shared(&[&left, &right, &further])), "ba");
        assert_eq!(text(&Past::shared(&[&further, &left])), "dcba");
        assert_eq!(text(&Past::shared(&[&further, &left, &past("x")])), "");
        assert_eq!(text(&Past::shared(&[&shared, &right])), "ba");
        assert_eq!(text(&Past::shared(&[&right])), "eba");
        let (other, mut moved) = (past("z"), Moved::default());
        let all = [&left, &right, &further].map(|past| text(&past.moved(&shared, &other, &mut moved)));
        assert_eq!((all, moved.count()), (["dcz", "ez", "fdcz"].map(str::to_owned), 4));
        assert_eq!(further.since(&shared).collect::<String>(), "fdc");
    }

    #[test]
    fn a_long_past_is_freed() {
        let mut long = Past::default();
        (0..1_000_000).for_each(|entry| long.push(entry));
        let copy = long.clone();
        drop(long);
        assert_eq!(copy.iter().count(), 1_000_000);
    }
}
