//! A script as a test in Rust: `mayhap replay FILE --export rust`.

use mayhap::report::campaign::rust::raw_string;
use mayhap::script::Script;
use mayhap::spec::Spec;
use std::path::Path;
use std::sync::Arc;

/// The test for a script that was read from a file, with the specification at `path`.
pub fn rust(spec: &Arc<Spec>, file: &Path, path: &Path, script: &Script) -> String {
    let text = script.write(spec);
    let script_text = raw_string(&text);
    let cause = script.header.cause.as_deref().unwrap_or("a script of requests");
    format!(
        "/// {cause}\n\
         #[test]\n\
         fn {name}() {{\n    \
             let spec = mayhap::Spec::from_text(include_str!({file:?})).expect(\"a specification\");\n    \
             let script = {script_text};\n    \
             // Your system: a value that implements `mayhap::Sut`, a new one for each run.\n    \
             mayhap::test(&spec).replay(script, || todo!());\n\
         }}\n",
        name = name(path),
        file = file.display().to_string(),
    )
}

/// The name of the test function: `48-put-nocontent.ndjson` gives `regression_48_put_nocontent`.
fn name(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("regression_{}", stem.chars().map(letter).collect::<String>())
}
