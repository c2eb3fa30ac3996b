//! Running a tool: all its settings on one half, each judged.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::choose::Worth;
use super::grid::Setting;
use super::judge::Judged;
use super::sets::{Half, Kind, Set};
use super::{Tool, Workshop, judge};
use crate::bench::peers::Peer;
use crate::{doublet, workspace};

const SCRIPT: &str = "benchmarks/peers/labelled_run.py";

/// The verdicts on a half, for all settings in order.
pub(crate) fn worth(
    workshop: &Workshop,
    tool: Tool,
    set: &Set,
    half: &Half,
    settings: &[Setting],
) -> Result<Worth> {
    let name = half.texts.file_stem().context("a half without a name")?;
    let folder = workshop
        .folder
        .join(format!("{}-{}", tool.name(), name.display()));
    doublet::clear(&folder)?;
    std::fs::create_dir_all(&folder)?;
    let told = folder.join("eval");
    let lowest_of = |setting: &Setting| setting.has_scores.then_some(setting.lowest);
    if tool == Tool::Doublet && set.kind == Kind::Labels {
        let judge = |setting: &Setting| {
            let judged = (Judged::Options(&setting.options), told.as_path());
            judge::judge(&workshop.doublet, set, half, judged, lowest_of(setting))
        };
        return settings.iter().map(judge).collect();
    }
    let found = match tool {
        Tool::Doublet => run_doublet(workshop, half, settings, &folder)?,
        Tool::Peer(peer) => run_peer(workshop, peer, half, settings, &folder)?,
    };
    let mut worth = Worth::new();
    for (setting, found) in settings.iter().zip(found) {
        let tidied = found.with_extension("tidy.tsv");
        judge::tidy(&found, half, &tidied)?;
        let judged = (Judged::Pairs(&tidied), told.as_path());
        let lowest = lowest_of(setting);
        worth.push(judge::judge(&workshop.doublet, set, half, judged, lowest)?);
    }
    doublet::clear(&folder)?;
    Ok(worth)
}

fn run_doublet(
    workshop: &Workshop,
    half: &Half,
    settings: &[Setting],
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for (number, setting) in settings.iter().enumerate() {
        let output = folder.join(format!("{number}.jsonl"));
        let lowest = format!("{:.2}", setting.lowest);
        let mut options: Vec<&str> = setting.options.iter().map(String::as_str).collect();
        options.extend(["--threshold", &lowest]);
        workshop
            .doublet
            .program("pairs", &half.texts, &output, &options)
            .measure()?;
        found.push(output);
    }
    Ok(found)
}

/// All settings of one lowest threshold in one process, for starting one takes longer than most settings do.
fn run_peer(
    workshop: &Workshop,
    peer: Peer,
    half: &Half,
    settings: &[Setting],
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    let python = workshop.pythons.get(peer.environment());
    let python = python.with_context(|| format!("{} has no environment", peer.name()))?;
    let mut words: Vec<(f64, &str)> = settings
        .iter()
        .map(|setting| (setting.lowest, setting.options[0].as_str()))
        .collect();
    words.sort_by(|a, b| a.0.total_cmp(&b.0));
    for part in words.chunk_by(|a, b| a.0 == b.0) {
        let output = Command::new(python)
            .arg(workspace::root().join(SCRIPT))
            .arg(peer.name())
            .arg(&half.texts)
            .arg(folder)
            .arg(part[0].0.to_string())
            .args(part.iter().map(|(_, word)| word))
            .output()
            .with_context(|| format!("cannot start `{}`", python.display()))?;
        ensure!(
            output.status.success(),
            "{} failed on `{}`: {}",
            peer.name(),
            half.texts.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let path = |setting: &Setting| folder.join(format!("{}.tsv", setting.options[0]));
    Ok(settings.iter().map(path).collect())
}
