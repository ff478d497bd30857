//! A program that is printed compiles as it is, and fails.

use std::fs;
use std::process::Command;

use crate::command::place;

#[path = "../../data/interface/plain.rs"]
mod plain;

#[mayhap::interface(of = plain::Token<u8>)]
trait Tokens {
    fn start() -> Self;
    fn optional(self) -> Option<Self>;
    fn checked(&self) -> Result<Self, String>;
    fn listed(&self) -> Vec<(char, Self)>;
    fn paired(self, x: i8) -> (i8, Option<Self>);
    fn asked(&mut self, f: impl Fn(u8) -> bool);
    fn labelled(&mut self, text: &str, name: String);
    fn joined(self, others: Vec<Self>) -> Self;
    fn sliced(&mut self, numbers: &[i8]);
    fn lent(&mut self) -> &Self;
    #[law]
    fn holds(&self) -> bool;
}

#[test]
fn a_printed_program_compiles_and_fails() {
    let report = mayhap::check_interface::<Tokens>().calls(1_000_000).check();
    println!("{report}");
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    let directory = place("printed");
    fs::create_dir_all(&directory).unwrap();
    let (source, program) = (directory.join("main.rs"), directory.join("main"));
    let plain = include_str!("../../data/interface/plain.rs");
    let lines: String = failure.program.lines().map(|line| format!("    {line}\n")).collect();
    fs::write(&source, format!("#![allow(unused)]\nmod plain {{\n{plain}}}\n\nfn main() {{\n{lines}}}\n")).unwrap();
    let built = Command::new("rustc").args(["--edition", "2024", "-o"]).arg(&program).arg(&source).output().unwrap();
    assert!(built.status.success(), "{report}\n{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success() && said.contains("assertion failed: plain::Token::<u8>::holds"), "{report}\n{said}");
}
