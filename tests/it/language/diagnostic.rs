//! Rendering: the right line and column, and no panic, whatever the text and the place.

use mayhap::diagnostic::{Colour, Diagnostic, FileId, Sources, Span};
use proptest::prelude::*;

fn span(start: usize, end: usize) -> Span {
    Span { file: FileId(0), start: start as u32, end: end as u32 }
}

/// Renders an error "m" with the label "here" at a place of a file "f".
fn rendered(text: &str, start: usize, end: usize) -> String {
    let mut sources = Sources::default();
    sources.add("f", text);
    sources.render(&Diagnostic::error(span(start, end), "m").label("here"), Colour::Never)
}

/// `lines` are what follows the title.
fn check(text: &str, start: usize, end: usize, lines: &str) {
    let expected = format!("error: m\n{}\n", lines.trim_start_matches('\n').trim_end());
    assert_eq!(rendered(text, start, end), expected);
}

#[test]
fn places_are_marked() {
    check("a\nbcd\n", 3, 5, "\n --> f:2:2\n  |\n2 | bcd\n  |  ^^ here");
    check("", 0, 0, "\n --> f:1:1\n  |\n1 |\n  | ^ here");
    check("ab", 2, 2, "\n --> f:1:3\n  |\n1 | ab\n  |   ^ here");
    check("ab\n", 3, 3, "\n --> f:2:1\n  |\n2 |\n  | ^ here");
    check("ab\r\ncd\r\n", 4, 6, "\n --> f:2:1\n  |\n2 | cd\n  | ^^ here");
    check("\tab", 1, 2, "\n --> f:1:2\n  |\n1 |     ab\n  |     ^ here");
    check("日本x", 6, 7, "\n --> f:1:3\n  |\n1 | 日本x\n  |     ^ here");
    check("a\0b", 2, 3, "\n --> f:1:3\n  |\n1 | a␀b\n  |   ^ here");
    check("f(\n  1;\n", 1, 99, "\n --> f:1:2\n  |\n1 | f(\n  |  ^ here");
}

#[test]
fn long_lines_are_cut_around_the_place() {
    for length in [150, 1_000, 5_000, 1_000_000] {
        let text = format!("{}!{}", "é".repeat(length), "z".repeat(length));
        let shown = rendered(&text, 2 * length, 2 * length + 1);
        assert!(shown.contains(&format!(" f:1:{}\n", length + 1)), "{shown}");
        assert!(shown.contains("é!z"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() < 140), "{shown}");
    }
}

#[test]
fn several_places_are_shown_together() {
    let mut sources = Sources::default();
    let first = sources.add("one.may", "token T;\n\n\n\ntoken T;\n");
    let second = sources.add("two.may", "use one;\n");
    let place = |file, start, end| Span { file, start, end };
    let finding = Diagnostic::warning(place(first, 18, 19), "declared twice")
        .label("again")
        .also(place(first, 6, 7), "first")
        .also(place(second, 4, 7), "read from here")
        .help("rename one");
    let expected = "\
warning: declared twice
 --> one.may:5:7
  |
1 | token T;
  |       - first
...
5 | token T;
  |       ^ again
  |
 ::: two.may:1:5
  |
1 | use one;
  |     --- read from here
  |
  = help: rename one
";
    assert_eq!(sources.render(&finding, Colour::Never), expected);
    assert!(sources.render(&finding, Colour::Always).contains("\u{1b}["));
}

proptest! {
    #[test]
    fn rendering_never_panics(text in ".{0,60}\n?(\t|\r\n|.){0,40}", start in 0usize..200, length in 0usize..100) {
        rendered(&text, start, start + length);
        rendered(&text.repeat(60), start * 20, start * 20 + length);
    }
}
