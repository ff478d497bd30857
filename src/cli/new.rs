//! `mayhap new`: a first specification of a service, from its OpenAPI description.
//!
//! `mayhap new --openapi openapi.yaml > service.may` writes types, the `http` block, and handlers that allow every answer.

use super::arguments::new_arguments::NewArguments;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::{failed, load};
use mayhap::diagnostic::{Diagnostic, Sources};
use mayhap::openapi::{DescriptionText, specification};
use mayhap::spec::load::Text;

pub fn run(options: &NewArguments, terminal: &mut Terminal) -> Exit {
    let text = match files::read_text(&options.openapi) {
        Ok(text) => text,
        Err(why) => return failed(terminal, &why),
    };
    let shown = files::shown(&options.openapi);
    let base = options.openapi.file_name().filter(|_| !files::is_stdin(&options.openapi));
    let name = base.map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let mut sources = Sources::default();
    let file = sources.add(&shown, &text);
    let described = DescriptionText { name: &name, text: &text, file, paths: &options.paths };
    match specification(described) {
        Ok(text) => written(text, terminal),
        Err(flaw) => {
            load::report(&sources, &[*flaw], terminal);
            failed(terminal, &format!("{shown}: this description cannot be read"))
        }
    }
}

/// Prints a specification without errors. If it has errors, this is reported as a bug of this command.
fn written(text: String, terminal: &mut Terminal) -> Exit {
    let mut sources = Sources::default();
    let text = Text { name: "specification".to_owned(), text };
    let (loaded, mut findings) =
        mayhap::spec::load::load(text.clone(), &mut |_| Err("no such file".into()), &mut sources);
    findings.extend(loaded.check().1);
    terminal.print(&text.text);
    if findings.iter().any(Diagnostic::is_error) {
        load::report(&sources, &findings, terminal);
        return failed(
            terminal,
            "the specification has mistakes, which is a mistake in `mayhap new`; correct them by hand",
        );
    }
    Exit::Fine
}
