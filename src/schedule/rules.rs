//! The rules that leave out orders of service, each with a switch: exact, so they change speed only.
//!
//! Tests compare the search without a rule, or without any, with trying all orders. The rules are those of
//! `proofs-notes/schedules.md`.

/// The rules that a search follows; what is left without any is: just in time, lookahead, and no configuration twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderRules {
    /// A request that is answered as it was, and changes nothing in any state in which it is, is served at once.
    pub at_once: bool,
    /// A request that changes nothing here was perhaps served.
    pub perhaps: bool,
    /// A configuration that another one covers is left out.
    pub covering: bool,
    /// Of two equal requests the one whose answer is seen first is served first.
    pub equal: bool,
    /// A configuration in which an answer can never come any more is dropped.
    pub never_again: bool,
    /// A request without an answer that changes nothing is left out.
    pub without_effect: bool,
    /// A request that others overwrite, so that it makes no difference whether it was served before, perhaps was.
    pub absorption: bool,
    /// Keys that have nothing to do with each other are judged one by one.
    pub keys: bool,
    /// Texts that no answer shows, and that nothing else tells apart, are one.
    pub unseen: bool,
    /// The number of ways between states that are looked up before the solver is asked what holds in every state; and the work that is done
    /// without coming further before the search jumps back from dead ends.
    pub patience: u64,
    /// The number of events that are kept, at least, of a history that is judged while it happens. What explains all of these is only looked
    /// for where what explained them does not explain the next one.
    pub kept: usize,
}

/// Less is found out sooner by trying than by asking.
const PATIENCE: u64 = 4_000;

impl Default for OrderRules {
    fn default() -> OrderRules {
        OrderRules { patience: PATIENCE, ..OrderRules::each(true) }
    }
}

impl OrderRules {
    /// All rules, or none; nothing is too little to ask for.
    #[must_use]
    pub fn each(on: bool) -> OrderRules {
        OrderRules {
            at_once: on,
            perhaps: on,
            covering: on,
            equal: on,
            never_again: on,
            without_effect: on,
            absorption: on,
            keys: on,
            unseen: on,
            patience: 0,
            kept: 0,
        }
    }

    /// The rules that leave out no order in which the server may have failed (proofs-notes/schedules.md, *Failing orders*).
    #[must_use]
    pub fn failing(self) -> OrderRules {
        OrderRules { at_once: self.at_once, equal: self.equal, ..OrderRules::each(false) }
    }

    /// The rules whose numbers are bits of a word.
    #[must_use]
    pub fn of_bits(bits: u32) -> OrderRules {
        let is_on = |number: u32| bits >> number & 1 == 1;
        OrderRules {
            at_once: is_on(0),
            perhaps: is_on(1),
            covering: is_on(2),
            equal: is_on(3),
            never_again: is_on(4),
            without_effect: is_on(5),
            absorption: is_on(6),
            keys: is_on(7),
            unseen: is_on(8),
            patience: 0,
            kept: 0,
        }
    }
}
