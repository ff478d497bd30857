//! Writes under hidden keys of few values, spread over these: what each entry is depends on which key it was.
//!
//! `{1: a, 2: b}` with `c` written under #1, which is 1 or 2, is `{1: if #1 == 1 { c } else { a }, 2: if #1 == 1 { b } else { c }}`.

use std::sync::Arc;

use super::Map;
use super::entry::{Entry, Write};
use crate::scalar::Scalar;
use crate::term::{Term, Var};
use crate::value::{Truth, Value, merge};

/// The map without writes that wait, if each of these is under a known key or a variable of which a function tells all values;
/// `None` if one is not, or nothing waits.
#[must_use]
pub fn spread(map: &Map, values: &mut dyn FnMut(Var) -> Option<Vec<Scalar>>) -> Option<Map> {
    if map.0.pending.is_empty() || map.0.symbolic > 0 || map.0.base.is_some() {
        return None;
    }
    let mut spread = map.clone();
    let contents = Arc::make_mut(&mut spread.0);
    (contents.pending, contents.is_eager) = (Vec::new(), false);
    for Write { key, entry, .. } in &map.0.pending {
        match key {
            Value::Term(term) => {
                for value in values(term.as_var()?)? {
                    let condition = Term::eq(term, &Term::constant(value.clone()));
                    let key = Value::Scalar(value);
                    let before = spread.0.entries.get(&key).cloned();
                    spread.set_in_place(&key, either(&condition, entry.as_ref(), before.as_ref()));
                }
            }
            known if known.is_known() => spread.set_in_place(known, entry.clone()),
            _ => return None,
        }
    }
    Some(spread)
}

/// One entry if a condition holds, else another one.
fn either(condition: &Term, then: Option<&Entry>, otherwise: Option<&Entry>) -> Option<Entry> {
    let there = |entry: Option<&Entry>| entry.map_or(Truth::Known(false), Entry::truth);
    let is = Truth::of(condition.clone());
    let presence = is.clone().and(there(then)).or(is.not().and(there(otherwise)));
    if presence == Truth::Known(false) {
        return None;
    }
    let value = |entry: Option<&Entry>| entry.map_or(Value::Absent, |entry| entry.value.clone());
    Some(Entry::when(presence, merge(condition, value(then), value(otherwise))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Sort, numbers};

    const KEYS: u64 = 3;

    fn values(_: Var) -> Option<Vec<Scalar>> {
        Some((0..KEYS as i64).map(Scalar::int).collect())
    }

    /// The map under values of the variables 0 to 2.
    fn under(map: &Map, world: [i64; 3]) -> Vec<(i64, i64)> {
        let mut of = |var: Var| Some(Scalar::int(world[var.id as usize]));
        let mut substituted = |term: &Term| Some(Term::constant(term.eval(&mut of)?));
        let known = crate::value::Substitution::everywhere(&mut substituted).apply(&Value::Map(map.clone()));
        let Value::Map(map) = known.unwrap_or_else(|| Value::Map(map.clone())) else { panic!("no map") };
        let number = |value: &Value| value.as_term().and_then(|term| term.as_int()?.to_i64()).unwrap();
        let entries = map.entries().unwrap();
        entries.into_iter().map(|(key, entry)| (number(key), number(&entry.value))).collect()
    }

    #[test]
    fn a_map_with_spread_writes_is_the_same_map() {
        let mut random = numbers(8);
        let mut waited = 0;
        for _ in 0..200 {
            let mut map = Map::default();
            for _ in 0..1 + random(6) {
                let key = match random(2) {
                    0 => Value::from(random(KEYS) as i64),
                    _ => Value::Term(Term::var(Var { id: random(3), sort: Sort::Int })),
                };
                let entry = (random(4) > 0).then(|| Entry::always(Value::from(random(9) as i64)));
                map.set_in_place(&key, entry);
            }
            let Some(spread) = spread(&map, &mut values) else { continue };
            waited += 1;
            assert!(spread.0.pending.is_empty());
            for world in 0..27 {
                let world = [world % 3, world / 3 % 3, world / 9];
                assert_eq!(under(&spread, world), under(&map, world), "{map:?} under {world:?}");
            }
        }
        assert!(waited > 50, "{waited}");
    }
}
