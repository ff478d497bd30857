//! Paths of every shipped specification, run against `mayhap serve` of the same specification.

use crate::shipped::all;

use super::command::{sampled, tested};

const PATHS: &str = "12";
/// The specifications whose paths are not drawn: the handlers of one send what nobody asked for, and those of the others follow paths
/// of unknown length through trees of unknown depth.
const REFUSED: [&str; 3] = ["lease", "posix", "sync"];

/// The numbers before some words.
fn numbers_before(text: &str, words: &str) -> Option<usize> {
    text[..text.find(words)?].rsplit(' ').next()?.parse().ok()
}

#[test]
fn paths_are_taken_by_the_servers_of_their_specifications() {
    let (mut paths, mut certain) = (0, 0);
    for shipped in all().into_iter().filter(|shipped| !REFUSED.contains(&shipped.name.as_str())) {
        let file = format!("specs/{}.may", shipped.name);
        let text = sampled(&[&file, "--seed", "1", "--count", PATHS]);
        let drawn: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).collect();
        let whatever_it_chooses = drawn.iter().filter(|line| !line.ends_with(" runs]")).count();
        let (code, said) = tested(&file, &[], &["--sample", PATHS, "--clients", "1"]);
        assert_eq!(code, Some(0), "{file}: {said}");
        assert!(said.contains(&format!(" in {} run", drawn.len())), "{file}: {said}");
        let taken = numbers_before(&said, " of them taken for certain").unwrap_or(drawn.len());
        assert!(taken >= whatever_it_chooses, "{file}: {whatever_it_chooses} of these paths\n{text}{said}");
        paths += drawn.len();
        certain += whatever_it_chooses;
    }
    println!("{paths} paths, {certain} of them certain");
    assert!(certain > 150 && certain < paths, "{certain} of {paths}");
}
