//! How fast texts are prepared and sketched on one thread, in megabytes of text a second, as JSON.
//!
//! The texts are in memory before the clock starts. Every job prepares each text and then makes its sketch, so that the first
//! job, which makes none, says what a sketch adds. Jobs take turns, round by round: a busy moment of the machine does not hit one only.
//!
//! ```sh
//! cargo run --release --example signing -- collection.jsonl 50000
//! ```

#![expect(clippy::print_stdout, reason = "its output is what the example is for")]

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::num::NonZeroU64;
use std::time::Instant;

use doublet::method::shingles::{Prepared, Preparer};
use doublet::options::{NormalizeOptions, ShingleOptions};
use doublet::sketch::{Modulo, Permutations, Smallest};
use serde_json::{Value, json};

const USAGE: &str = "usage: signing FILE [COUNT]";
const COUNT: usize = 50_000;
const ROUNDS: usize = 5;
const SEED: u64 = 1;
/// Values in a sketch, and what V_n's are divisible by: the defaults of `minhash`.
const SIZE: usize = 200;
const DIVISOR: NonZeroU64 = NonZeroU64::new(4).expect("four is not zero");

/// What is done with the shingles of a text.
type Sign = Box<dyn FnMut(&[u64])>;

/// A name, what is done, and how many megabytes a second each round took.
struct Job {
    name: String,
    sign: Sign,
    speeds: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or(USAGE)?;
    let count = arguments.next().map_or(Ok(COUNT), |count| count.parse())?;
    let texts = read(&file, count)?;
    let bytes: usize = texts.iter().map(String::len).sum();
    if bytes == 0 {
        return Err(format!("`{file}` has no text").into());
    }
    let preparer = Preparer::new(&NormalizeOptions::default(), &ShingleOptions::default())?;
    let mut jobs = jobs();
    for _ in 0..ROUNDS {
        for job in &mut jobs {
            let seconds = time(&preparer, &texts, &mut job.sign);
            job.speeds.push(bytes as f64 / 1e6 / seconds);
        }
    }
    let jobs: Vec<Value> = jobs.iter_mut().map(describe).collect();
    let result = json!({"texts": texts.len(), "bytes": bytes, "rounds": ROUNDS, "jobs": jobs});
    println!("{result:#}");
    Ok(())
}

/// The first texts of a file of JSON lines.
fn read(file: &str, count: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let mut texts = Vec::new();
    for line in BufReader::new(File::open(file)?).lines().take(count) {
        let record: Value = serde_json::from_str(&line?)?;
        let text = record["text"].as_str().ok_or("a record without `text`")?;
        texts.push(text.to_owned());
    }
    Ok(texts)
}

fn jobs() -> Vec<Job> {
    let job = |name: &str, sign: Sign| Job {
        name: name.to_owned(),
        sign,
        speeds: Vec::new(),
    };
    let mut jobs = vec![
        job("preparing alone", Box::new(|_| ())),
        job(
            "200 permutations",
            permutations(Permutations::new(SIZE, SEED)),
        ),
        job("F_200", smallest()),
        job("V_4", modulo()),
    ];
    for (path, sketcher) in Permutations::on_every_path(SIZE, SEED) {
        let name = format!("200 permutations, {path}");
        jobs.push(job(&name, permutations(sketcher)));
    }
    jobs
}

fn permutations(sketcher: Permutations) -> Sign {
    let mut sketch = [0; SIZE];
    Box::new(move |shingles| {
        sketcher.sketch(shingles, &mut sketch);
        black_box(&sketch);
    })
}

fn smallest() -> Sign {
    let (sketcher, mut sketch) = (Smallest::new(SIZE, SEED), Vec::new());
    Box::new(move |shingles| {
        sketcher.sketch(shingles, &mut sketch);
        black_box(&sketch);
    })
}

fn modulo() -> Sign {
    let (sketcher, mut sketch) = (Modulo::new(DIVISOR, SEED), Vec::new());
    Box::new(move |shingles| {
        sketcher.sketch(shingles, &mut sketch);
        black_box(&sketch);
    })
}

/// Seconds for all texts.
fn time(preparer: &Preparer, texts: &[String], sign: &mut Sign) -> f64 {
    let mut prepared = Prepared::default();
    let start = Instant::now();
    for text in texts {
        preparer.prepare(text, &mut prepared);
        sign(black_box(&prepared.shingles));
    }
    start.elapsed().as_secs_f64()
}

fn describe(job: &mut Job) -> Value {
    job.speeds.sort_by(f64::total_cmp);
    let rounded = |speed: f64| (speed * 10.0).round() / 10.0;
    json!({
        "job": job.name,
        "best": rounded(job.speeds[ROUNDS - 1]),
        "median": rounded(job.speeds[ROUNDS / 2]),
    })
}
