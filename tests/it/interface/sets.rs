//! Sets as sorted lists, with laws and a model.

use std::collections::BTreeSet;

use mayhap::interface::InterfaceFinding;

/// A set whose union forgets that its operands share elements, if `BROKEN`.
#[derive(Clone, Debug)]
pub struct SortedList<const BROKEN: bool>(Vec<u8>);

#[mayhap::interface(model = BTreeSet<u8>, BROKEN = false)]
impl<const BROKEN: bool> SortedList<BROKEN> {
    pub fn new() -> Self {
        SortedList(Vec::new())
    }

    pub fn insert(&mut self, x: u8) -> bool {
        let place = self.0.binary_search(&x);
        if let Err(at) = place {
            self.0.insert(at, x);
        }
        place.is_err()
    }

    #[model(|(a, b)| a.union(b).copied().collect::<BTreeSet<u8>>())]
    pub fn union(self, other: &Self) -> Self {
        let mut all = [self.0, other.0.clone()].concat();
        all.sort_unstable();
        all.dedup();
        SortedList(all)
    }

    #[requires(!self.is_empty())]
    #[model(|set| *set.iter().next().unwrap())]
    pub fn least(&self) -> u8 {
        self.0[0]
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[law]
    fn is_sorted(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0] < pair[1])
    }
}

#[test]
fn a_correct_set_passes() {
    let report = mayhap::check_interface::<SortedList<false>>().values(0..8_u8).calls(20_000).check();
    assert_eq!(report.failure, None, "{report}");
    assert!(report.calls >= 20_000 && report.refused > 0, "{report}");
    let report = mayhap::check_interface::<SortedList<false>>().values(0..3_u8).exhaustive(3).check();
    println!("{report}");
    assert!(report.to_string().starts_with("SortedList<false>: all "), "{report}");
}

/// A set whose union has elements twice.
pub struct Doubled(Vec<u8>);

#[mayhap::interface]
impl Doubled {
    pub fn new() -> Doubled {
        Doubled(Vec::new())
    }

    pub fn insert(&mut self, x: u8) {
        if let Err(at) = self.0.binary_search(&x) {
            self.0.insert(at, x);
        }
    }

    pub fn union(mut self, other: &Doubled) -> Doubled {
        self.0.extend(&other.0);
        self.0.sort_unstable();
        self
    }

    #[law]
    fn is_sorted(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0] < pair[1])
    }
}

#[test]
fn a_broken_union_is_shrunk() {
    let report = mayhap::check_interface::<Doubled>().values(0..8_u8).check();
    println!("{report}");
    let failure = report.failure.expect("a law is broken");
    assert_eq!(failure.finding, InterfaceFinding::Law { law: "is_sorted", why: String::new() });
    assert_eq!(
        failure.program,
        "let mut doubled1 = Doubled::new();\ndoubled1.insert(0);\nlet doubled2 = Doubled::new();\n\
         let doubled3 = doubled2.union(&doubled1);\nlet doubled4 = doubled1.union(&doubled3);\nassert!(Doubled::is_sorted(&doubled4));\n"
    );
}
