//! The arguments of `completions` and `man`, which tell shells and readers of manuals what the other commands take.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Write a script that completes commands, options and their values in a shell
#[derive(Debug, Args)]
#[command(
    after_help = "The script goes to standard output; put it where the shell looks for such.

Examples:
  doublet completions bash > ~/.local/share/bash-completion/completions/doublet
  doublet completions zsh > ~/.zfunc/_doublet                with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  doublet completions fish > ~/.config/fish/completions/doublet.fish"
)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}

/// Write manual pages, made of what `--help` says
#[derive(Debug, Args)]
#[command(
    after_help = "Without DIR the page of `doublet` itself goes to standard output. Pages of the same name in DIR are written over.

Examples:
  doublet man ~/.local/share/man/man1          then: man doublet-dedup
  doublet man | man -l -"
)]
pub(crate) struct ManArguments {
    /// Directory for one page a command; it is made if it is not there
    pub(crate) dir: Option<PathBuf>,
}
