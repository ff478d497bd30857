//! Systems that write files: synchronizers and file systems, driven by the adapters of the examples in scratch folders.

mod posix;
mod sync;

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::command::run;

/// Tests a system by a specification, in requests one after another; `more` are further options.
fn test(spec: &str, sut: &str, regressions: &Path, more: &[&str]) -> Output {
    _ = fs::remove_dir_all(regressions);
    let sut = format!("stdio:exec {sut}");
    let given = ["test", spec, "--sut", &sut, "--net", "sync", "--clients", "1"];
    let arguments = [&given[..], &["--regressions", regressions.to_str().unwrap()], more].concat();
    run(&arguments, "")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
