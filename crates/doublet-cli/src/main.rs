//! The program `doublet`.

use std::process::ExitCode;

use doublet_cli::Console;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1).collect();
    let console = Console::terminal(Vec::new(), arguments);
    ExitCode::from(doublet_cli::main(&console))
}
