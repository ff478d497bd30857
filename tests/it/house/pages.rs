//! What the pages for readers show is what happens: every file they show is written, every command of theirs is run.
//!
//! The blocks of a page are told apart by the words after their three backquotes. `may NAME.may` and `json NAME.ndjson`
//! are files, as are those of other languages with a name; `may in PATH` is a part of one that is there, `console` holds
//! commands (`$ …`) with what they print, both streams; `console PROGRAM` does where there is such a program. `$ cat NAME`
//! makes the file where there is none. `$SERVER` is the address of a small HTTP server, a new one for each page. With
//! BLESS=1 the output that is shown is written anew.

use crate::http::Kept;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages, with whether they may have blocks of other kinds.
const PAGES: &[(&str, Others)] = &[
    ("docs/tutorial.md", Others::No),
    ("docs/HOWTO.md", Others::No),
    ("docs/rejections.md", Others::No),
    ("README.md", Others::Yes),
];

#[derive(Clone, Copy, PartialEq)]
enum Others {
    Yes,
    No,
}

/// Where the commands of a page are run.
struct Scratch {
    directory: PathBuf,
    server: Kept,
}

impl Scratch {
    /// An empty directory, but for the specifications that are shipped.
    fn new(page: &str) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(page.replace('/', "-"));
        _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        std::os::unix::fs::symlink(root("specs"), path.join("specs")).unwrap();
        Scratch { directory: path, server: Kept::start() }
    }

    fn write(&self, name: &str, lines: &[&str]) {
        std::fs::write(self.directory.join(name), lines.join("\n") + "\n").unwrap();
    }

    /// What a command prints.
    fn run(&self, command: &str) -> String {
        let built = Path::new(env!("CARGO_BIN_EXE_mayhap")).parent().unwrap();
        let path = format!("{}:{}", built.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(&self.directory).env("PATH", path);
        // A proxy of this machine has no business with a server on it.
        shell.env("SERVER", self.server.address()).env("no_proxy", "*");
        String::from_utf8(shell.stdin(std::process::Stdio::null()).output().unwrap().stdout).unwrap()
    }

    /// The lines of a block of commands, with what they print now.
    fn console(&self, block: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rest = block;
        while let [command, after @ ..] = rest {
            let command = command.strip_prefix("$ ").unwrap_or_else(|| panic!("`{command}` is no command"));
            let length = after.iter().take_while(|line| !line.starts_with("$ ")).count();
            let (shown, left) = after.split_at(length);
            if let Some(name) = command.strip_prefix("cat ").filter(|name| !self.directory.join(name).exists()) {
                self.write(name, shown);
            }
            lines.push(format!("$ {command}"));
            lines.extend(self.run(command).lines().map(|line| line.trim_end().to_owned()));
            rest = left;
        }
        lines
    }
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Whether the lines of `part` stand in the file one after another, however far they are indented.
fn is_part_of(part: &[&str], file: &str) -> bool {
    let text = std::fs::read_to_string(root(file)).unwrap();
    let whole: Vec<&str> = text.lines().map(str::trim).collect();
    let part: Vec<&str> = part.iter().map(|line| line.trim()).collect();
    whole.windows(part.len()).any(|lines| lines == part)
}

/// Whether there is such a program; says so if not, which is an error with `CI=true`.
fn is_here(page: &str, program: &str) -> bool {
    let is_here = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_here {
        let ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(!ci, "{page}: there is no `{program}`");
        // Not println!, which tests that pass do not show.
        _ = writeln!(std::io::stdout(), "skipped: {page}: there is no `{program}`");
    }
    is_here
}

/// The page as it should be.
fn replayed(page: &str, text: &str, others: Others) -> String {
    let scratch = Scratch::new(page);
    let mut lines = text.lines();
    let mut out = Vec::new();
    while let Some(line) = lines.next() {
        out.push(line.to_owned());
        let Some(kind) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind.split(' ').collect::<Vec<_>>()[..] {
            ["console"] => out.extend(scratch.console(&block)),
            ["console", program] if is_here(page, program) => out.extend(scratch.console(&block)),
            ["console", _] => out.extend(block.iter().map(|line| (*line).to_owned())),
            ["may", "in", file] => {
                assert!(is_part_of(&block, file), "{page}: this is no part of {file}:\n{}", block.join("\n"));
                out.extend(block.iter().map(|line| (*line).to_owned()));
            }
            ["may" | "json" | "python" | "javascript" | "sh" | "yaml", name] => {
                scratch.write(name, &block);
                out.extend(block.iter().map(|line| (*line).to_owned()));
            }
            _ => {
                assert!(others == Others::Yes, "{page}: a block `{kind}`, which nothing checks");
                out.extend(block.iter().map(|line| (*line).to_owned()));
            }
        }
        out.push("```".to_owned());
    }
    out.join("\n") + "\n"
}

fn check(page: &str, others: Others) {
    let text = std::fs::read_to_string(root(page)).unwrap();
    let now = replayed(page, &text, others);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(root(page), now).unwrap();
        return;
    }
    for (number, (shown, is)) in text.lines().zip(now.lines()).enumerate() {
        assert_eq!(shown, is, "{page}:{}: shown, and what it is now (BLESS=1 rewrites it)", number + 1);
    }
    assert_eq!(text.lines().count(), now.lines().count(), "{page}: as many lines (BLESS=1 rewrites it)");
}

#[test]
fn the_pages_show_what_happens() {
    for (page, others) in PAGES {
        check(page, *others);
    }
}

#[test]
fn no_command_is_said_to_be_missing() {
    let text = std::fs::read_to_string(root("README.md")).unwrap();
    let (_, section) = text.split_once("\n## What is not there yet\n").expect("the section");
    let section = section.split("\n## ").next().unwrap();
    assert!(!section.contains("`mayhap "), "a command that is not there is not offered: {section}");
}

#[test]
fn a_wrong_page_is_noticed() {
    let page = "```json t.ndjson\n{\"q\": 1, \"a\": 1}\n```\n```console\n$ mayhap validate specs/cmp_set.may t.ndjson\nwrong\n$ cat new\nits content\n$ cat new\nsomething else\n```\n";
    let right = page.replace("wrong", "t.ndjson: accept (1 event)").replace("something else", "its content");
    assert_eq!(replayed("a wrong page", page, Others::No), right);
    assert!(!is_part_of(&["on q {", "reply 2;"], "specs/cmp_set.may"));
    assert!(is_part_of(&["var n: int = 0;", "", "on q {"], "specs/cmp_set.may"));
}
