//! `--resume` and `--checkpoint`: what is kept of a run on the way, and where.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use doublet::batch::CheckpointOptions;
use doublet::read::is_stream;

use super::CommonArguments;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct ResumeArguments {
    /// Continue a run that was interrupted; give the same options and files
    #[arg(long)]
    resume: bool,
    /// Keep the state of the run at the end of a stage if there were so many seconds of work; 0: at the end of every stage
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    checkpoint: u64,
}

impl ResumeArguments {
    /// Whether an interrupted run is to be continued.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.resume
    }

    /// What is kept of a run that has this directory for it.
    pub(crate) fn resolve(
        &self,
        common: &CommonArguments,
        directory: Option<PathBuf>,
    ) -> Result<Option<CheckpointOptions>> {
        let mut inputs = common.inputs.iter().chain(&common.against);
        if let Some(stream) = inputs.find(|input| self.resume && is_stream(input)) {
            let name = match stream.as_str() {
                "-" => "standard input (`-`)".to_owned(),
                pipe => format!("`{pipe}`"),
            };
            bail!(
                "`--resume` cannot read {name} a second time: give files, or run without `--resume`"
            );
        }
        if self.resume && directory.is_none() {
            bail!(
                "`--resume` continues a run that writes to a file, and nothing is kept of others: give `--output`, or run without `--resume`"
            );
        }
        let after = Duration::from_secs(self.checkpoint);
        Ok(directory.map(|directory| CheckpointOptions::new(directory, self.resume, after)))
    }

    /// What is kept of a run that writes to a file: in a directory beside it. For standard output and devices nothing is.
    pub(crate) fn beside(
        &self,
        common: &CommonArguments,
        output: Option<&Path>,
    ) -> Result<Option<CheckpointOptions>> {
        let file = output.filter(|path| {
            let special = path.metadata().is_ok_and(|data| !data.is_file());
            path.as_os_str() != "-" && !special
        });
        // A name that is passed over where a directory is read.
        let directory = file.and_then(|path| {
            let mut name = std::ffi::OsString::from(".");
            name.push(path.file_name()?);
            name.push(".unfinished");
            Some(path.with_file_name(name))
        });
        self.resolve(common, directory)
    }
}
