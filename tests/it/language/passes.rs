//! Each pass of the compiler by itself: a small handler, its code as it comes to the pass, and what the pass makes of it.
//!
//! `tests/data/passes.txt` has them all, in the order in which they run; `BLESS=1` writes the code anew.

use crate::golden::golden;
use crate::judge::{root, text};
use mayhap::Spec;
use mayhap::details::Selection;
use mayhap::spec::{Code, load::Text, passes};

/// The code of the handler after the first passes, by its positions.
fn code(program: &str, passes: usize) -> String {
    let first = Text { name: "spec.may".to_owned(), text: program.to_owned() };
    let selection = Selection { code: Code::First(passes), ..Selection::default() };
    let spec = Spec::compile(first, &mut |name| Err(format!("there is no {name}")), &selection)
        .unwrap_or_else(|error| panic!("{error}\n{program}"));
    let code = &spec.program.functions[spec.program.serve as usize].code;
    code.iter().enumerate().map(|(at, op)| format!("{at:4}  {op}\n")).collect()
}

#[test]
fn each_pass_does_what_it_is_for() {
    let file = "tests/data/passes.txt";
    let (head, sections) =
        text(file).split_once("\n== ").map(|(head, rest)| (head.to_owned(), rest.to_owned())).expect("sections");
    let mut written = head;
    let mut names = Vec::new();
    for section in sections.split("\n== ") {
        let (name, rest) = section.split_once('\n').expect("a program behind its name");
        let program = rest.split("\n-- ").next().unwrap_or_default().trim();
        let number =
            passes().iter().position(|pass| *pass == name).unwrap_or_else(|| panic!("there is no pass {name}"));
        let [before, after] = [number, number + 1].map(|passes| code(program, passes));
        assert_ne!(before, after, "{name} does nothing with\n{program}");
        written += &format!("\n== {name}\n{program}\n-- before\n{before}-- after\n{after}");
        names.push(name);
    }
    assert_eq!(names, passes(), "each pass has an example, in their order");
    golden(&root().join(file), &written);
}
