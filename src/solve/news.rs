//! The variables that were solved for of late, so that what was just read or written is not compared with all that is known.
//!
//! After the unification with an answer gave `#7` the value `"a"`, an entry that has `#7` in it is rewritten, and one that has
//! `#3` is left alone.

use smallvec::SmallVec;

use crate::term::{Term, Var};

/// So many are told apart.
const FEW: usize = 6;

/// Variables that were solved for since this was cleared.
#[derive(Clone, Default)]
pub(super) struct News {
    /// The numbers of the first few.
    few: SmallVec<[u64; FEW]>,
    /// Set where more variables were solved for than there is room for in `few`.
    more: bool,
}

impl News {
    pub(super) fn add(&mut self, var: Var) {
        match self.few.len() {
            FEW => self.more = true,
            _ => self.few.push(var.id),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.few.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.more = false;
    }

    /// Tests whether one of the variables that were solved for may occur in a term.
    pub(super) fn touch(&self, term: &Term) -> bool {
        self.more || term.any_var(&mut |var| self.few.contains(&var.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;

    #[test]
    fn what_is_new_touches_what_mentions_it() {
        let var = |id| Var { id, sort: Sort::Int };
        let sum = |a, b| Term::var(var(a)).add(&Term::var(var(b)));
        let mut news = News::default();
        assert!(news.is_empty() && !news.touch(&sum(1, 2)));
        for id in 1..=FEW as u64 {
            news.add(var(id));
            assert!(news.touch(&sum(id, 90)) && !news.touch(&sum(id + 1, 90)) && !news.is_empty());
        }
        news.add(var(80));
        assert!(news.touch(&sum(80, 90)) && news.touch(&sum(81, 90)), "beyond the few each may be touched");
        news.clear();
        assert!(news.is_empty() && !news.touch(&sum(1, 80)));
    }
}
