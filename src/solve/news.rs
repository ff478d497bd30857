//! The variables that were solved for last, so that what was just read or written is compared only with these.
//!
//! After the unification with an answer gave `#7` the value `"a"`, an entry that has `#7` in it is rewritten, and one that has
//! `#3` is left alone.

use smallvec::SmallVec;

use crate::term::{Term, Var};

/// The most that are told apart.
const FEW: usize = 6;

/// The numbers of the first variables that were solved for since this was cleared; one more than [`FEW`], if they were more.
#[derive(Clone, Default)]
pub(super) struct News(SmallVec<[u64; FEW + 1]>);

impl News {
    pub(super) fn add(&mut self, var: Var) {
        if self.0.len() <= FEW {
            self.0.push(var.id);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Tests whether one of the variables that were solved for may occur in a term.
    pub(super) fn touch(&self, term: &Term) -> bool {
        self.0.len() > FEW || term.any_var(&mut |var| self.0.contains(&var.id))
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
