//! One target, run for a while.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use super::figures::Figures;

/// Memory for temporary files, where there is such a place: laws write and read many.
const MEMORY: &str = "/dev/shm";

/// Run a target from its seeds, its findings and the corpus of earlier runs.
pub(super) fn run(fuzz: &Path, binaries: &Path, target: &str, seconds: u64) -> Result<Figures> {
    let (corpus, artifacts) = (
        fuzz.join("corpus").join(target),
        fuzz.join("artifacts").join(target),
    );
    for directory in [&corpus, &artifacts] {
        make(directory)?;
    }
    let temporary = Temporary::new(target)?;
    let log = artifacts.join("log");
    let mut command = Command::new(binaries.join(target));
    command.arg(&corpus);
    let others = ["seeds", "findings"].map(|kind| fuzz.join(kind).join(target));
    command.args(others.iter().filter(|directory| directory.is_dir()));
    let dictionary = fuzz.join("dictionaries").join(format!("{target}.dict"));
    if dictionary.is_file() {
        command.arg(format!("-dict={}", dictionary.display()));
    }
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.arg(format!("-max_total_time={seconds}"));
    // An input that takes so long, or asks for so much at once, is a finding too.
    command.args(["-timeout=60", "-rss_limit_mb=2048", "-malloc_limit_mb=512"]);
    command.args(["-print_final_stats=1", "-verbosity=1"]);
    command.env("TMPDIR", &temporary.0);
    // Large buffers that come and go would be kept by the allocator between small ones that stay, and look like a leak.
    command.env("MALLOC_MMAP_THRESHOLD_", "131072");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let start = Instant::now();
    let status = command.stderr(file).status();
    let status = status.with_context(|| format!("cannot start the target {target}"))?;
    let said = std::fs::read(&log).with_context(|| format!("cannot read {}", log.display()))?;
    let said = String::from_utf8_lossy(&said);
    Ok(Figures::of(
        target,
        &said,
        start.elapsed().as_secs(),
        status.success(),
    ))
}

fn make(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make {}", directory.display()))
}

/// A directory for temporary files, removed at the end: a target that ends by a finding leaves its own behind.
struct Temporary(PathBuf);

impl Temporary {
    fn new(target: &str) -> Result<Self> {
        let place = Path::new(MEMORY);
        let place = match place.is_dir() {
            true => place.to_owned(),
            false => std::env::temp_dir(),
        };
        let own = place.join(format!("doublet-fuzz-{}-{target}", std::process::id()));
        make(&own)?;
        Ok(Self(own))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _left = std::fs::remove_dir_all(&self.0);
    }
}
