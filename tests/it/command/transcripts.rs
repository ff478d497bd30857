//! Commands and what they print, as data: the files of `tests/data/command`.
//!
//! `== NAME` begins a file that the commands below it may name as `@NAME`; `$ ARGUMENTS` is a command, `< LINE` a line of its input
//! (`<*3 LINE` three of them, `<| TEXT` without a line feed), `? CODE` its exit code where that is not 0, `> PART` what its output
//! contains, with `\n` for a line feed, and `! PART` what it does not contain. Each command ends soon.

use std::fs;
use std::time::{Duration, Instant};

use crate::command::{place, run};
use crate::judge::text;

/// Longer than a command takes, even of an unoptimised build.
const SOON: Duration = Duration::from_secs(30);

#[derive(Default)]
struct Command {
    arguments: Vec<String>,
    input: String,
    code: i32,
    parts: Vec<String>,
    absent: Vec<String>,
}

impl Command {
    fn check(&self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let begun = Instant::now();
        let output = run(&arguments, &self.input);
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(self.code), "{arguments:?}: {said}");
        self.parts.iter().for_each(|part| assert!(said.contains(part), "{arguments:?}: {part:?} is not in:\n{said}"));
        self.absent.iter().for_each(|part| assert!(!said.contains(part), "{arguments:?}: {part:?} is in:\n{said}"));
        assert!(!said.contains("panicked") && begun.elapsed() < SOON, "{arguments:?}: {:?}, {said}", begun.elapsed());
    }
}

/// The words of a command, of which one may stand in quotes.
fn words(line: &str, directory: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    quoted.map(|word| word.strip_prefix('@').map_or(word.clone(), |name| format!("{directory}/{name}"))).collect()
}

fn check(name: &str) {
    let directory = place(name);
    fs::create_dir_all(&directory).unwrap();
    let (mut file, mut command): (Option<(String, String)>, Option<Command>) = (None, None);
    let transcript = text(format!("tests/data/command/{name}.txt"));
    for line in transcript.lines().chain(["#"]) {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if matches!(mark, "#" | "==" | "$") {
            let (written, ended) = (file.take(), command.take());
            written.into_iter().for_each(|(name, text)| fs::write(directory.join(name), text).unwrap());
            ended.iter().for_each(Command::check);
        }
        match (mark, file.as_mut(), command.as_mut()) {
            ("==", ..) => file = Some((rest.to_owned(), String::new())),
            ("$", ..) => {
                let arguments = words(rest, directory.to_str().unwrap());
                command = Some(Command { arguments, ..Command::default() });
            }
            ("#", ..) => {}
            (_, Some((_, text)), _) => *text += &format!("{line}\n"),
            ("<", _, Some(command)) => command.input += &format!("{rest}\n"),
            ("<|", _, Some(command)) => command.input += rest,
            ("?", _, Some(command)) => command.code = rest.parse().unwrap(),
            (">", _, Some(command)) => command.parts.push(rest.replace("\\n", "\n")),
            ("!", _, Some(command)) => command.absent.push(rest.replace("\\n", "\n")),
            ("", ..) => {}
            (_, _, Some(command)) => {
                let times = mark.strip_prefix("<*").and_then(|times| times.parse().ok());
                command.input += &format!("{rest}\n").repeat(times.unwrap_or_else(|| panic!("{line}")));
            }
            _ => panic!("{line}"),
        }
    }
}

#[test]
fn usage() {
    check("usage");
}

#[test]
fn validate() {
    check("validate");
}

#[test]
fn convert() {
    check("convert");
}

#[test]
fn elle() {
    check("elle");
}

#[test]
fn rejections() {
    check("rejections");
}

#[test]
fn explore() {
    check("explore");
}

#[test]
fn networks() {
    check("networks");
}

#[test]
fn restarts() {
    check("restarts");
}

#[test]
fn mutants() {
    check("mutate");
}

#[test]
fn growing() {
    check("growing");
}

#[test]
fn new() {
    check("new");
}
