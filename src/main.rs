//! The command `mayhap`; see [`mayhap::cli`].

fn main() -> std::process::ExitCode {
    mayhap::cli::main()
}
