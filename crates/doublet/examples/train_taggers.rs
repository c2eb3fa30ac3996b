//! Trains the taggers of all languages, writes their data files and prints how good, large and fast they are.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use doublet::segment::terms::tagger::train::{TrainOptions, accuracy, train};
use doublet::segment::terms::tagger::treebank::{Sentence, read_treebank};
use doublet::segment::terms::tagger::{Memo, Tagger};

/// Languages and the features their models may keep.
const LANGUAGES: [(&str, usize); 9] = [
    ("en", 20_000),
    ("de", 15_000),
    ("fr", 13_000),
    ("es", 13_000),
    ("pt", 13_000),
    ("nl", 12_000),
    ("ru", 12_000),
    ("ja", 12_000),
    ("ko", 24_000),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let data = paths
        .next()
        .ok_or("usage: train_taggers TREEBANKS OUTPUT")?;
    let out = paths
        .next()
        .ok_or("usage: train_taggers TREEBANKS OUTPUT")?;
    run(Path::new(&data), Path::new(&out))
}

/// Trains on `<language>.train.tsv.zst` of `data`, writes `<language>.tags` to `out` and scores on `<language>.test.tsv.zst`.
#[expect(clippy::print_stdout, reason = "the table is what the program is for")]
fn run(data: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("language  words     tags   groups  bytes    features  million words/s");
    for (language, features) in LANGUAGES {
        let read = |part: &str| -> Result<Vec<Sentence>, Box<dyn Error>> {
            let path = data.join(format!("{language}.{part}.tsv.zst"));
            let text = zstd::decode_all(std::fs::File::open(path)?)?;
            Ok(read_treebank(&String::from_utf8(text)?, language))
        };
        let options = TrainOptions {
            features,
            ..TrainOptions::default()
        };
        let model = train(&read("train")?, &options);
        let (bytes, count) = (model.to_bytes(), model.features());
        std::fs::write(out.join(format!("{language}.tags")), &bytes)?;
        let (tagger, test) = (Tagger::new(model), read("test")?);
        let score = accuracy(&tagger, &test);
        println!(
            "{language}  {:8}   {:.2} %  {:.2} %  {:6}  {count:6}   {:.1}",
            score.words,
            100.0 * score.tags,
            100.0 * score.groups,
            bytes.len(),
            speed(&tagger, &test)
        );
    }
    Ok(())
}

/// Million words a second over the sentences met again, in the fastest of many rounds.
fn speed(tagger: &Tagger, sentences: &[Sentence]) -> f64 {
    let texts: Vec<Vec<&str>> = sentences
        .iter()
        .map(|sentence| sentence.words.iter().map(String::as_str).collect())
        .collect();
    let words: usize = texts.iter().map(Vec::len).sum();
    let (mut memo, mut tags) = (Memo::default(), Vec::new());
    let rounds = (0..50).map(|_| {
        let start = Instant::now();
        for text in &texts {
            tagger.tag(text, &mut memo, &mut tags);
        }
        start.elapsed().as_secs_f64()
    });
    words as f64 / rounds.fold(f64::INFINITY, f64::min) / 1e6
}
