//! The command line of `mayhap new`, as data.
//!
//! `mayhap new --openapi api.yaml --path /users` parses to [`NewArguments`] with one path.

use clap::Args;
use std::path::PathBuf;

/// The help on `mayhap new` beside its options.
pub const NEW_HELP: &str = "\
Examples:
  mayhap new --openapi examples/service/openapi.yaml > notes.may
  mayhap new --openapi api.json --path /users --path /teams > users.may
  mayhap test notes.may --sut http://127.0.0.1:8080 --start 'python3 examples/service/notes.py 8080'

The description is OpenAPI 3 or Swagger 2.0, as JSON or YAML. The specification has a type for each
schema, a request for each operation, an answer for each status and content, and an `http` block
with their forms. It says nothing yet of what the service remembers: each handler allows every
answer that the description names. `mayhap test` then finds answers that are not described. To find
more, write what each request does.

An id that the service makes up becomes a token, so that requests use ids that answers had. What the
language cannot say is left out, with a comment at its place.

Exit codes: 0, or 2 if the description cannot be read.";

/// `mayhap new`
#[derive(Args, Debug)]
pub struct NewArguments {
    /// The OpenAPI description of the service; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub openapi: PathBuf,
    /// Take only operations whose path begins so (can be repeated)
    #[arg(long = "path", value_name = "PREFIX")]
    pub paths: Vec<String>,
}
