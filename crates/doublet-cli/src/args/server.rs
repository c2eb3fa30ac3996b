//! The arguments of commands that speak to a running `doublet serve`, as typed.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct ServerArguments {
    /// Ask a running `doublet serve`, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// File that holds the token [default: what DOUBLET_TOKEN holds in the environment]
    #[arg(long, value_name = "FILE", requires = "server")]
    pub(crate) token_file: Option<PathBuf>,
    /// Certificates (PEM) to trust instead of the public authorities
    #[arg(long, value_name = "FILE", requires = "server")]
    pub(crate) ca: Option<PathBuf>,
}

/// All that stands on the command line without an option, where the first is no directory because `--server` is given.
pub(crate) fn positional(first: Option<&Path>, others: &[String]) -> Result<Vec<String>> {
    let mut all = Vec::with_capacity(others.len() + 1);
    if let Some(first) = first {
        let text = first.to_str();
        let text = text.ok_or_else(|| anyhow!("`{}` is not UTF-8", first.display()))?;
        all.push(text.to_owned());
    }
    all.extend_from_slice(others);
    Ok(all)
}
