//! The command `mayhap`; see [`mayhap::cli`].

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    mayhap::cli::main()
}
