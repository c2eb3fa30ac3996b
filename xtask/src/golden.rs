//! `cargo xtask golden`: a hash of what every command writes with every method, to show that a change of the code changes no output.
//!
//! Write the hashes before a change with `--write FILE`, and compare after it with `--check FILE`. Seconds, memory and places differ from
//! run to run, and are left out. `--keep DIR` keeps the outputs, so that `diff -r` shows what changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ring::digest::{Context as Hasher, SHA256};
use serde_json::Value;

use crate::doublet;
use crate::workspace;

/// What to run, on what.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A doublet to use instead of building one
    #[arg(long, value_name = "PATH")]
    doublet: Option<PathBuf>,
    /// Write the hashes to this file
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "check",
        required_unless_present = "check"
    )]
    write: Option<PathBuf>,
    /// Compare the hashes with those in this file
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Keep the outputs in this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Files of JSON lines besides the samples
    collections: Vec<PathBuf>,
}

/// How texts are compared: a name, and the options for it.
const METHODS: [(&str, &[&str]); 15] = [
    ("shingles", &["--method", "shingles"]),
    (
        "shingles-coverage",
        &["--metric", "coverage", "--threshold", "0.7"],
    ),
    (
        "shingles-containment",
        &["--metric", "containment", "--threshold", "0.6"],
    ),
    (
        "shingles-containment-coverage",
        &["--metric", "containment-coverage"],
    ),
    (
        "shingles-characters",
        &["--tokens", "characters", "--shingle", "8"],
    ),
    ("minhash", &["--method", "minhash", "--threshold", "0.7"]),
    ("minhash-estimate", &["--method", "minhash", "--estimate"]),
    (
        "minhash-values",
        &["--method", "minhash", "--candidates", "values"],
    ),
    ("simhash", &["--method", "simhash"]),
    (
        "simhash-terms",
        &["--method", "simhash", "--voters", "terms"],
    ),
    ("terms", &["--method", "terms"]),
    (
        "terms-features",
        &["--method", "terms", "--candidates", "features"],
    ),
    (
        "terms-resemblance",
        &["--method", "terms", "--metric", "resemblance"],
    ),
    ("sentences", &["--method", "sentences"]),
    ("imatch", &["--method", "imatch"]),
];

/// The commands of a run, in order: a name, and arguments in which `IN`, `HALF` and `OUT` are the collection, its first half and a
/// directory of the run's own. The options of the method are added where `METHOD` stands.
const COMMANDS: [(&str, &[&str]); 9] = [
    ("pairs", &["pairs", "IN", "METHOD"]),
    (
        "pairs-against",
        &["pairs", "IN", "--against", "HALF", "METHOD"],
    ),
    ("clusters", &["clusters", "IN", "METHOD"]),
    ("dedup", &["dedup", "IN", "METHOD", "-o", "OUT"]),
    (
        "dedup-chains",
        &[
            "dedup",
            "IN",
            "METHOD",
            "-o",
            "OUT",
            "--linkage",
            "connected",
            "--against",
            "HALF",
        ],
    ),
    ("inspect", &["inspect", "SMALL", "METHOD"]),
    ("compare", &["compare", "A", "B", "--json", "METHOD"]),
    (
        "check-against",
        &["check", "SMALL", "--against", "HALF", "METHOD"],
    ),
    ("advise", &["advise", "IN", "--json"]),
];

/// What only some methods have.
const MORE: [(&str, &[&str]); 4] = [
    (
        "passages",
        &[
            "dedup",
            "IN",
            "--method",
            "sentences",
            "--remove",
            "passages",
            "-o",
            "OUT",
        ],
    ),
    ("background", &["background", "IN", "-o", "OUT"]),
    (
        "background-sentences",
        &["background", "IN", "--method", "sentences", "-o", "OUT"],
    ),
    ("advise", &["advise", "IN", "--json"]),
];

/// Texts that are shown one by one.
const SMALL: usize = 200;

/// A run under way.
struct Golden<'a> {
    doublet: PathBuf,
    folder: &'a Path,
    keep: Option<PathBuf>,
    hashes: BTreeMap<String, String>,
}

/// Runs all commands, and writes or compares the hashes of what they wrote.
pub(crate) fn run(args: &Args) -> Result<()> {
    let doublet = match &args.doublet {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("`{}` does not exist", path.display()))?,
        None => doublet::build()?,
    };
    let temporary = tempfile::tempdir().context("cannot make a temporary directory")?;
    let mut golden = Golden {
        doublet,
        folder: temporary.path(),
        keep: args.keep.clone(),
        hashes: BTreeMap::new(),
    };
    let samples = ["collection", "messages", "posts"];
    let samples = samples.map(|name| workspace::root().join(format!("samples/{name}.jsonl")));
    for collection in samples.iter().chain(&args.collections) {
        golden.collection(collection)?;
    }
    let found: String = golden
        .hashes
        .iter()
        .fold(String::new(), |mut lines, (name, hash)| {
            let _ = writeln!(lines, "{hash} {name}");
            lines
        });
    match (&args.write, &args.check) {
        (Some(path), _) => std::fs::write(path, found)
            .with_context(|| format!("cannot write `{}`", path.display())),
        (None, Some(path)) => compare(path, &golden.hashes),
        (None, None) => Ok(()),
    }
}

/// Names the runs whose hashes are not those of the file.
fn compare(path: &Path, found: &BTreeMap<String, String>) -> Result<()> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let expected: BTreeMap<&str, &str> = lines.map(|(hash, name)| (name, hash)).collect();
    let differs =
        |(name, hash): &(&String, &String)| expected.get(name.as_str()) != Some(&hash.as_str());
    let changed: Vec<&str> = found
        .iter()
        .filter(differs)
        .map(|(name, _)| name.as_str())
        .collect();
    if !changed.is_empty() {
        bail!(
            "{} of {} outputs changed:\n{}",
            changed.len(),
            found.len(),
            changed.join("\n")
        );
    }
    println!("{} outputs are the same", found.len());
    Ok(())
}

impl Golden<'_> {
    /// Runs every command with every method on a collection.
    fn collection(&mut self, path: &Path) -> Result<()> {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let lines: Vec<&str> = text.lines().collect();
        ensure!(lines.len() > 2, "`{}` has too few records", path.display());
        let part = |count: usize| lines[..count.min(lines.len())].join("\n") + "\n";
        let write = |file: &str, text: &str| {
            let path = self.folder.join(file);
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write `{}`", path.display()))
        };
        write("in.jsonl", &part(lines.len()))?;
        write("half.jsonl", &part(lines.len() / 2))?;
        write("small.jsonl", &part(SMALL))?;
        for (file, line) in [("a.jsonl", lines[0]), ("b.jsonl", lines[1])] {
            write(file, line)?;
        }
        for (method, options) in METHODS {
            for (command, arguments) in COMMANDS {
                self.run(&format!("{name} {method} {command}"), arguments, options)?;
            }
            self.index(&format!("{name} {method}"), options)?;
        }
        for (command, arguments) in MORE {
            self.run(&format!("{name} {command}"), arguments, &[])?;
        }
        Ok(())
    }

    /// An index is made, asked and changed; some methods have none, and say so.
    fn index(&mut self, name: &str, method: &[&str]) -> Result<()> {
        let steps: [(&str, &[&str]); 5] = [
            ("create", &["index", "create", "INDEX", "METHOD"]),
            ("add", &["index", "add", "INDEX", "HALF", "-q"]),
            ("check", &["check", "IN", "--index", "INDEX", "-q"]),
            ("compact", &["index", "compact", "INDEX", "-q"]),
            ("info", &["index", "info", "INDEX", "--json"]),
        ];
        for (step, arguments) in steps {
            self.run(&format!("{name} index-{step}"), arguments, method)?;
        }
        let index = self.folder.join("index");
        if index.exists() {
            std::fs::remove_dir_all(&index).context("cannot remove an index")?;
        }
        Ok(())
    }

    /// Runs a command and hashes what it wrote.
    fn run(&mut self, name: &str, arguments: &[&str], method: &[&str]) -> Result<()> {
        let mut line: Vec<&str> = Vec::new();
        for argument in arguments {
            match *argument {
                "IN" => line.push("in.jsonl"),
                "HALF" => line.push("half.jsonl"),
                "SMALL" => line.push("small.jsonl"),
                "A" => line.push("a.jsonl"),
                "B" => line.push("b.jsonl"),
                "OUT" => line.push("out"),
                "INDEX" => line.push("index"),
                "METHOD" => line.extend(method),
                word => line.push(word),
            }
        }
        let output = Command::new(&self.doublet)
            .args(&line)
            .current_dir(self.folder)
            .output()
            .context("cannot run doublet")?;
        let mut files = BTreeMap::new();
        files.insert("stdout".to_owned(), output.stdout);
        files.insert("status".to_owned(), output.status.to_string().into_bytes());
        let out = self.folder.join("out");
        if out.is_dir() {
            for entry in std::fs::read_dir(&out).context("cannot read the results")? {
                let path = entry.context("cannot read the results")?.path();
                let file = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                let bytes = std::fs::read(&path)
                    .with_context(|| format!("cannot read `{}`", path.display()))?;
                files.insert(file, bytes);
            }
            std::fs::remove_dir_all(&out).context("cannot remove the results")?;
        } else if out.is_file() {
            files.insert(
                "out".to_owned(),
                std::fs::read(&out).context("cannot read the result")?,
            );
            std::fs::remove_file(&out).context("cannot remove the result")?;
        }
        let mut hasher = Hasher::new(&SHA256);
        for (file, bytes) in &files {
            let bytes = lasting(file, bytes);
            hasher.update(file.as_bytes());
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(&bytes);
            self.keep(name, file, &bytes)?;
        }
        let hash = hasher.finish();
        let hash = hash.as_ref()[..8]
            .iter()
            .fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            });
        self.hashes.insert(name.to_owned(), hash);
        Ok(())
    }

    fn keep(&self, name: &str, file: &str, bytes: &[u8]) -> Result<()> {
        let Some(keep) = &self.keep else {
            return Ok(());
        };
        let folder = keep.join(name.replace(' ', "/"));
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        let path = folder.join(file);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

/// What is the same in every run.
fn lasting(file: &str, bytes: &[u8]) -> Vec<u8> {
    if file == "report.html" {
        return without_times(&String::from_utf8_lossy(bytes)).into_bytes();
    }
    if file.ends_with(".json") || file == "stdout" {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(mut value) = serde_json::from_str(&text) {
            strip(&mut value);
            return value.to_string().into_bytes();
        }
    }
    bytes.to_vec()
}

/// Removes what depends on the machine, the moment or the place.
fn strip(value: &mut Value) {
    const FLEETING: [&str; 10] = [
        "peak_memory",
        "seconds",
        "stages",
        "memory",
        "threads",
        "path",
        "version",
        "created",
        "changed",
        "disk",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !FLEETING.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// A page without the lines that have times, memory or threads, and without the chart of the stages.
fn without_times(page: &str) -> String {
    const FLEETING: [&str; 5] = [
        ">threads</bdi></th>",
        ">memory</bdi></th>",
        "<dt>Time</dt>",
        "<dt>Texts a second</dt>",
        "<dt>Most memory used</dt>",
    ];
    let mut in_chart = false;
    let mut lasting = String::new();
    for line in page.lines() {
        in_chart |= line.contains("time by stage");
        if !in_chart && !FLEETING.iter().any(|mark| line.contains(mark)) {
            lasting.push_str(line);
            lasting.push('\n');
        }
        in_chart &= !line.contains("</svg>");
    }
    lasting
}
