//! `cargo xtask segment-zh`: every text of a collection cut into words, and nothing else.
//!
//! The least that any method has to do with Chinese before it can compare; `bench` measures it as the peer
//! `jieba-cut`. Lines are read in batches by one thread and parsed and cut by all.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use jieba_rs::Jieba;
use serde_json::Value;

/// Bytes that a thread takes at a time.
const BATCH: usize = 1 << 18;

/// What to cut.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON lines with a `text`
    file: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Cut, and print how many words there were.
pub(crate) fn run(args: &Args) -> Result<()> {
    let jieba = Jieba::new();
    let lines = Mutex::new(open(&args.file)?);
    let words = thread::scope(|scope| {
        let work = || cut_all(&jieba, &lines);
        let workers: Vec<_> = (0..args.threads.max(1))
            .map(|_| scope.spawn(work))
            .collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Result<usize>>| {
            worker.join().ok().context("a thread panicked")?
        };
        workers.into_iter().map(join).sum::<Result<usize>>()
    })?;
    println!("{words} words");
    Ok(())
}

fn open(path: &Path) -> Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

/// Take batches until there are none.
fn cut_all(jieba: &Jieba, lines: &Mutex<impl BufRead>) -> Result<usize> {
    let mut words = 0;
    loop {
        let batch = next_batch(lines)?;
        if batch.is_empty() {
            return Ok(words);
        }
        for line in batch.split(|&byte| byte == b'\n').filter(|l| !l.is_empty()) {
            let record: Value = serde_json::from_slice(line).context("a line that is no JSON")?;
            words += jieba.cut(record["text"].as_str().unwrap_or(""), true).len();
        }
    }
}

/// Whole lines of about a batch's size.
fn next_batch(lines: &Mutex<impl BufRead>) -> Result<Vec<u8>> {
    let mut lines = lines.lock().ok().context("a thread panicked")?;
    let mut batch = Vec::with_capacity(BATCH + 4096);
    while batch.len() < BATCH && lines.read_until(b'\n', &mut batch)? > 0 {}
    Ok(batch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_texts_are_cut() {
        let lines = "{\"text\": \"我们明天去\"}\n{\"text\": \"北京大学\"}";
        let words = cut_all(&Jieba::new(), &Mutex::new(lines.as_bytes()));
        assert_eq!(words.expect("good lines"), 4);
    }
}
