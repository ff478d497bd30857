//! Ten collections with faults of a kind that collections of Rust have had, and their correct counterparts.

use mayhap::interface::{Interface, InterfaceReport};

/// Describes both instances of a collection: the broken one, and the mended one.
macro_rules! described {
    ($collection:ident, [$($model:tt)+], $broken:ident, $mended:ident, { $($functions:tt)+ }) => {
        #[mayhap::interface(of = $collection<true>, model = $($model)+)]
        pub trait $broken { $($functions)+ }

        #[mayhap::interface(of = $collection<false>, model = $($model)+)]
        pub trait $mended { $($functions)+ }
    };
}

mod lists;
mod maps;

fn checked<I: Interface>(calls: u64) -> InterfaceReport {
    let report = mayhap::check_interface::<I>().values(0..8_u8).calls(calls).check();
    println!("{report}\n");
    report
}

fn is_found<I: Interface>() {
    let report = checked::<I>(500_000);
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(failure.calls <= 6, "{report}");
}

fn passes<I: Interface>() {
    let calls = if std::env::var_os("MAYHAP_LONG").is_some() { 1_000_000 } else { 30_000 };
    let report = checked::<I>(calls);
    assert_eq!(report.failure, None, "{report}");
}

#[test]
fn each_fault_is_found_in_a_few_calls() {
    is_found::<maps::BrokenOpenMap>();
    is_found::<lists::BrokenSieve>();
    is_found::<lists::BrokenDrained>();
    is_found::<maps::BrokenLeaves>();
    is_found::<maps::BrokenLru>();
    is_found::<lists::BrokenRing>();
    is_found::<maps::BrokenSlab>();
    is_found::<maps::BrokenRanges>();
    is_found::<lists::BrokenDistinct>();
    is_found::<lists::BrokenPersistent>();
}

#[test]
fn correct_counterparts_pass() {
    passes::<maps::MendedOpenMap>();
    passes::<lists::MendedSieve>();
    passes::<lists::MendedDrained>();
    passes::<maps::MendedLeaves>();
    passes::<maps::MendedLru>();
    passes::<lists::MendedRing>();
    passes::<maps::MendedSlab>();
    passes::<maps::MendedRanges>();
    passes::<lists::MendedDistinct>();
    passes::<lists::MendedPersistent>();
}
