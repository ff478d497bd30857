//! Mistakes that a reverse proxy plants in a served specification are found.
//!
//! With `MAYHAP_LONG`, all of them with five seeds, each in ten seconds, and the requests and seconds that it took are printed. `MAYHAP_BIN`
//! names another build of the command.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::command::place;
use crate::http::planted::{Plant, start};
use crate::sut::free_port;

/// The end of a test: the requests until a violation was found, the seconds that they took, the seconds in all, and what was said.
struct Ended {
    found: Option<(u64, f64, f64)>,
    said: String,
}

/// Tests a served specification behind a proxy, for ten seconds at most.
fn ended(plant: Option<Plant>, seed: u64, more: &[&str]) -> Ended {
    let program = std::env::var("MAYHAP_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_mayhap").to_owned());
    let server = format!("127.0.0.1:{}", free_port());
    let address = start(plant, server.clone());
    let start = format!("exec {program} serve specs/http.may --http {server} --seed {seed}");
    let regressions = place(&format!("http planted {plant:?} {seed}"));
    _ = std::fs::remove_dir_all(&regressions);
    let (seed, ready) = (seed.to_string(), format!("tcp:{server}"));
    let mut command = Command::new(&program);
    command.args(["test", "specs/http.may", "--sut", &address, "--start", &start, "--ready", &ready, "--seed", &seed]);
    command.args(["--shrink-time", "0", "--regressions"]).arg(&regressions).args(more);
    let begun = Instant::now();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let requests = said.split("violation after ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    let asking = said.lines().find_map(|line| line.split_once(" s, ")?.0.parse().ok());
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{plant:?}: {said}");
    Ended { found: requests.zip(asking).map(|(requests, asking)| (requests, asking, seconds)), said }
}

#[test]
fn mistakes_that_a_proxy_plants_are_found() {
    let none = ended(None, 1, &["--requests", "100", "--clients", "1"]);
    assert!(none.found.is_none(), "{}", none.said);
    for plant in [Plant::ShortBody, Plant::StatusOff, Plant::AlteredByte] {
        let ended = ended(Some(plant), 1, &["--time", "60", "--clients", "1"]);
        assert!(ended.found.is_some(), "{plant:?}: {}", ended.said);
    }
}

#[test]
fn each_mistake_is_found_in_ten_seconds() {
    if std::env::var_os("MAYHAP_LONG").is_none() {
        return;
    }
    let only = std::env::var("MAYHAP_ONLY").unwrap_or_default();
    let mut table = String::new();
    for clients in ["1", "3"] {
        for plant in [None].into_iter().chain(Plant::ALL.map(Some)) {
            // One client has nobody to race with.
            let is_alone = plant == Some(Plant::Race) && clients == "1";
            if is_alone || !format!("{plant:?}").contains(&only) {
                continue;
            }
            let ends = (1..=5).map(|seed| ended(plant, seed, &["--time", "10", "--clients", clients]).found);
            let cells = ends.map(|found| {
                found.map_or("-".to_owned(), |(n, asking, seconds)| format!("{n} in {asking} s of {seconds:.1} s"))
            });
            // Writing into a string cannot fail.
            _ = writeln!(table, "{clients} clients {plant:?}: {}", cells.collect::<Vec<String>>().join(", "));
            eprintln!("{}", table.lines().last().unwrap_or_default());
        }
    }
    assert!(!table.lines().any(|line| line.contains("None") != line.ends_with("-, -, -, -, -")), "{table}");
}
