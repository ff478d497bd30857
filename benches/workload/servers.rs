//! Servers whose answers hide what they did, and servers with constraints on products, weights and texts.
//!
//! `sum` adds up hidden choices, and shows the sum now and then. `walk` moves over hidden places, and answers tell the half.
//! `product` has a hidden width and height, and answers whether their product is at most the given number.

use mayhap::scalar::Scalar;
use mayhap::server::Ranges;
use mayhap::value::Value;

use super::{Workload, workload};

pub const ALIKE: Workload = workload("alike", "tests/data/hidden/alike.may");
pub const LAZY: Workload = workload("lazy", "tests/data/hidden/lazy.may");
pub const DELAYED: Workload = workload("delayed", "tests/data/hidden/delayed.may");
pub const LATE: Workload = workload("late", "tests/data/hidden/late.may");
pub const SUM: Workload = workload("sum", "tests/data/hidden/sum.may");
pub const GAUGE: Workload = Workload { exchanges: 1_000, ..workload("gauge", "tests/data/hidden/gauge.may") };
pub const TWO_COUNTERS: Workload = workload("two_counters", "tests/data/hidden/two_counters.may");
pub const WALK_10: Workload = Workload { size: Some(10), ..workload("walk_10", "tests/data/hidden/walk.may") };
pub const WALK_100: Workload = Workload { size: Some(100), ..workload("walk_100", "tests/data/hidden/walk.may") };
pub const WALK_1000: Workload = Workload { size: Some(1000), ..workload("walk_1000", "tests/data/hidden/walk.may") };
/// Servers that hide their branches.
pub const HIDDEN: &[Workload] = &[ALIKE, LAZY, DELAYED, LATE, SUM, GAUGE, TWO_COUNTERS, WALK_10, WALK_100, WALK_1000];

pub const SLIDING: Workload = Workload { exchanges: 400, ..workload("sliding", "tests/data/hidden/sliding.may") };
pub const SESSIONS: Workload = Workload { exchanges: 400, ..workload("sessions", "tests/data/hidden/sessions.may") };
pub const HEARTBEAT: Workload = Workload { exchanges: 400, ..workload("heartbeat", "tests/data/hidden/heartbeat.may") };
pub const PACE: Workload = Workload { exchanges: 400, ..workload("pace", "tests/data/hidden/pace.may") };
/// Servers with hidden clocks, for which the plain algorithm can follow only short traces.
pub const CLOCKED: &[Workload] = &[SLIDING, SESSIONS, HEARTBEAT, PACE];

/// A server with copies that learn of writes late.
pub const COPIES: Workload = Workload { exchanges: 100, ..workload("copies", "tests/data/hidden/copies.may") };

pub const CACHE: Workload = workload("cache", "tests/data/hidden/cache.may");
pub const STOCK: Workload = workload("stock", "tests/data/hidden/stock.may");
pub const JOBS: Workload = Workload { exchanges: 200, ..workload("jobs", "tests/data/hidden/jobs.may") };
/// Servers with internal steps, which they may take at any time.
pub const STEPPING: &[Workload] = &[CACHE, STOCK, JOBS];

const fn beyond(name: &'static str, file: &'static str, answer: fn(u64) -> (Value, Value), exchanges: u64) -> Workload {
    Workload { answer: Some(answer), exchanges, ..workload(name, file) }
}

pub const PRODUCT: Workload = Workload {
    ranges: Ranges { request: Some((0, 4000)), choose: Some((0, 70)) },
    exchanges: 10_000,
    ..workload("product", "tests/data/beyond/product.may")
};
pub const PRODUCTS: Workload = beyond("products", "tests/data/beyond/products.may", sides, 3_000);
pub const WEIGHTS: Workload = beyond("weights", "tests/data/beyond/weights.may", balance, 10_000);
pub const NAMES: Workload = beyond("names", "tests/data/beyond/names.may", name, 3_000);
pub const JOINED_NAMES: Workload = beyond("joined_names", "tests/data/beyond/joined_names.may", part, 1_000);
pub const CUBES: Workload = beyond("cubes", "tests/data/beyond/cubes.may", cubes, 10_000);
/// Servers with constraints that the store's own tiers cannot all decide.
pub const BEYOND: &[Workload] = &[PRODUCT, PRODUCTS, WEIGHTS, NAMES, JOINED_NAMES, CUBES];

pub const HTTP: Workload = workload("http", "specs/http.may");
pub const TAGS: Workload = beyond("tags", "tests/data/natural/tags.may", tag, 16_000);
/// Servers as one writes them first: what they make is shown later, and differs from all that they made before.
pub const NATURAL: &[Workload] = &[HTTP, TAGS];

/// The sides 7 + n and 30 + m: bounds of their product, their sum, and their difference.
fn sides(line: u64) -> (Value, Value) {
    let (w, h) = (7 + (line % 13) as i64, 30 + (line % 31) as i64);
    let request = Value::data(0, [Value::from(w * h - 3), Value::from(w * h + 5)]);
    (request, Value::data(0, [Value::from(w + h), Value::from(h - w)]))
}

/// The weights 17 and 29.
fn balance(line: u64) -> (Value, Value) {
    let (left, right) = ((line * 7919 % 97) as i64, (line * 104_729 % 89) as i64);
    (Value::data(0, [Value::from(left), Value::from(right)]), Value::from(left * 17 <= right * 29 + 7))
}

/// Three files are put, and then read in another order; every fifth has no tag, every third a weak one.
fn tag(line: u64) -> (Value, Value) {
    let (round, at) = (line / 6, line % 6);
    let file = [0, 1, 2, 1, 0, 2][at as usize];
    let number = round * 3 + file;
    let (path, body) = (Value::str(&format!("p{file}")), Value::Scalar(Scalar::bytes(format!("b{number}").as_bytes())));
    if at < 3 {
        return (Value::data(0, [path, body]), Value::unit(0));
    }
    let opaque = || Value::Scalar(Scalar::token(&format!("v{number}")));
    let tag = || Value::some(Value::data(0, [Value::from((round + file) % 3 == 1), opaque()]));
    let tag = if number.is_multiple_of(5) { Value::NONE } else { tag() };
    (Value::data(1, [path]), Value::data(2, [tag, body]))
}

fn name(line: u64) -> (Value, Value) {
    (Value::str(&format!("k{}", line % 50)), Value::str(&format!("k{0}x{1}-k{0}", line % 50, line % 7)))
}

/// Parts of the name "ada lovelace".
fn part(line: u64) -> (Value, Value) {
    let known = ["ada", "love", "a l", "ace", "eve", "bob", "da", "x", "lo", "cel"];
    let asked = known[(line % 10) as usize];
    (Value::str(asked), Value::from("ada lovelace".contains(asked)))
}

/// One question about cubes, and then only counting.
fn cubes(line: u64) -> (Value, Value) {
    match line {
        1 => (Value::unit(0), Value::from(33)),
        line => (Value::unit(1), Value::from(line as i64 - 1)),
    }
}
