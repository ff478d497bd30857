//! Collections of other crates, described from outside, with models of the standard library.

use std::collections::BTreeMap;

use mayhap::interface::Interface;

fn passes<I: Interface>(calls: u64) {
    let report = mayhap::check_interface::<I>().calls(calls).check();
    println!("{report}");
    assert_eq!(report.failure, None, "{report}");
}

#[mayhap::interface(of = im::OrdMap<u8, u8>, model = BTreeMap<u8, u8>)]
trait OrdMaps {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    fn remove(&mut self, key: &u8) -> Option<u8>;
    fn get(&self, key: &u8) -> Option<&u8>;
    fn len(&self) -> usize;
    #[list((&u8, &u8))]
    fn iter(&self) -> im::ordmap::Iter<'_, u8, u8>;
    #[model(|map| map.first_key_value())]
    fn least(&self) -> Option<(&u8, &u8)> {
        self.get_min().map(|(key, value)| (key, value))
    }
    fn clone(&self) -> Self;
    #[model(|(a, b)| { let mut all = b; all.extend(a); all })]
    fn union(self, other: Self) -> Self;
    #[model(|(map, key)| { let after = map.range(key..).filter(|(other, _)| **other != key).map(|(k, v)| (*k, *v)).collect(); let before = map.range(..key).map(|(k, v)| (*k, *v)).collect(); (before, after) })]
    fn parts(&self, key: u8) -> (Self, Self) {
        self.split(&key)
    }
}

#[test]
fn im_ord_map() {
    passes::<OrdMaps>(50_000);
}
