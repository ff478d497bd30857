//! Feasible paths: drawn uniformly, each once, with inputs that take them.

mod command;
mod graphs;
mod shipped;

#[path = "../../../examples/uniform_paths.rs"]
mod uniform_paths;

#[test]
fn the_picture_of_uniform_paths_is_up_to_date() {
    let kept = std::fs::read_to_string("docs/uniform_paths.svg").unwrap();
    assert_eq!(kept, uniform_paths::picture(), "`cargo run --example uniform_paths > docs/uniform_paths.svg` draws it");
}
