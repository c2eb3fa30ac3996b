//! What a service says of texts, and how it is printed: as `doublet check --index` prints it.
//!
//! A service counts characters of the text that it was sent. Where that text was taken out of markup, passages are brought back
//! to where they stand in the input.

use doublet::Key;
use doublet::index::{Answer, CheckedRecord, FoundSource, Passage};
use doublet::read::{CodePoints, Record};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The answers to a batch, in its order.
#[derive(Debug, Deserialize)]
pub(crate) struct Results {
    pub(crate) results: Vec<WireAnswer>,
}

/// The answer about one text, as it comes over the wire.
#[derive(Debug, Deserialize)]
pub(crate) struct WireAnswer {
    pub(crate) duplicate: bool,
    share: f64,
    sentences: Option<u32>,
    of: Option<u32>,
    #[serde(default)]
    boilerplate: u32,
    found: usize,
    sources: Vec<WireSource>,
}

#[derive(Debug, Deserialize)]
struct WireSource {
    id: Box<RawValue>,
    score: f64,
    sentences: Option<u32>,
    division: Option<f64>,
    metric: Option<String>,
    resemblance: Option<f64>,
    coverage: Option<f64>,
    containment_a: Option<f64>,
    containment_b: Option<f64>,
    coverage_a: Option<f64>,
    coverage_b: Option<f64>,
    degree: Option<f64>,
    agreement: Option<f64>,
    passages: Vec<WirePassage>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct WirePassage {
    start: usize,
    end: usize,
    source_start: u64,
    source_end: u64,
}

/// A record that a service was asked about.
pub(crate) struct Asked<'a> {
    pub(crate) id: Key<'a>,
    pub(crate) record: &'a Record<'a>,
    pub(crate) raw: &'a [u8],
}

impl WireAnswer {
    /// As the library has it, but for the counts behind scores: for a table.
    pub(crate) fn checked<'a>(&self, asked: &Asked<'a>) -> CheckedRecord<'a> {
        let mut bytes = Bytes::new(&asked.record.text);
        let source = |source: &WireSource| FoundSource {
            id: source.id.get().to_owned(),
            score: source.score,
            sentences: source.sentences.zip(source.division),
            scores: None,
            passages: source
                .passages
                .iter()
                .map(|passage| Passage {
                    here: bytes.at(passage.start)..bytes.at(passage.end),
                    there: passage.source_start..passage.source_end,
                })
                .collect(),
        };
        let sources = self.sources.iter().map(source).collect();
        CheckedRecord {
            id: asked.id.clone(),
            record: asked.record,
            raw: asked.raw,
            answer: Answer {
                duplicate: self.duplicate,
                share: self.share,
                sentences: self.sentences.zip(self.of),
                boilerplate: self.boilerplate,
                found: self.found.max(self.sources.len()),
                sources,
            },
            seconds: 0.0,
        }
    }

    /// Appends the line of JSON, with its end.
    pub(crate) fn line(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let mut places = Places::new(asked);
        let mut line = format!(
            "{{\"id\": {}, \"duplicate\": {}, \"share\": {}",
            asked.id.as_json(),
            self.duplicate,
            score(self.share)
        );
        if let Some((sentences, of)) = self.sentences.zip(self.of) {
            line += &format!(", \"sentences\": {sentences}, \"of\": {of}");
            if self.boilerplate > 0 {
                line += &format!(", \"boilerplate\": {}", self.boilerplate);
            }
        }
        line += ", \"sources\": [";
        for (rank, source) in self.sources.iter().enumerate() {
            line += if rank > 0 { ", " } else { "" };
            source.push(&mut places, &mut line);
        }
        line += "]}\n";
        out.extend_from_slice(line.as_bytes());
    }
}

impl WireSource {
    /// The scores by which whole texts are compared, in the order in which they are printed.
    fn scores(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = [
            ("resemblance", self.resemblance),
            ("coverage", self.coverage),
            ("containment_a", self.containment_a),
            ("containment_b", self.containment_b),
            ("coverage_a", self.coverage_a),
            ("coverage_b", self.coverage_b),
            ("degree", self.degree),
            ("agreement", self.agreement),
        ];
        let named = |(name, score): (_, Option<f64>)| score.map(|score| (name, score));
        all.into_iter().filter_map(named)
    }

    fn push(&self, places: &mut Places<'_>, line: &mut String) {
        *line += &format!("{{\"id\": {}, \"score\": {}", self.id, score(self.score));
        if let Some((sentences, division)) = self.sentences.zip(self.division) {
            let division = score(division);
            *line += &format!(", \"sentences\": {sentences}, \"division\": {division}");
        }
        if let Some(metric) = &self.metric {
            *line += &format!(", \"metric\": {}", Key::from_text(metric).as_json());
            for (name, value) in self.scores() {
                *line += &format!(", \"{name}\": {}", score(value));
            }
        }
        *line += ", \"passages\": [";
        for (number, passage) in self.passages.iter().enumerate() {
            *line += if number > 0 { ", " } else { "" };
            *line += &format!(
                "{{\"start\": {}, \"end\": {}, \"source_start\": {}, \"source_end\": {}}}",
                places.start(passage.start),
                places.end(passage.end),
                passage.source_start,
                passage.source_end,
            );
        }
        *line += "]}";
    }
}

/// A score with six digits behind the point, a tie rounded up.
fn score(value: f64) -> String {
    let millionths = (value * 1e6).round().clamp(0.0, 1e15) as u64;
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

/// Turns characters of the text that was sent into those of the input.
struct Places<'a> {
    /// Only for text from markup: other text is its own source.
    marked_up: Option<(Bytes<'a>, CodePoints<'a>)>,
}

impl<'a> Places<'a> {
    fn new(asked: &Asked<'a>) -> Self {
        let record = asked.record;
        let marked_up = record.origin.as_ref().map(|_| {
            let points = CodePoints::new(record, asked.raw);
            (Bytes::new(&record.text), points)
        });
        Self { marked_up }
    }

    fn start(&mut self, character: usize) -> usize {
        match &mut self.marked_up {
            Some((bytes, points)) => points.start(bytes.at(character)),
            None => character,
        }
    }

    fn end(&mut self, character: usize) -> usize {
        match &mut self.marked_up {
            Some((bytes, points)) => points.end(bytes.at(character)),
            None => character,
        }
    }
}

/// Where the characters of a text begin. Asked in rising order, it walks the text once.
struct Bytes<'a> {
    text: &'a str,
    character: usize,
    byte: usize,
}

impl<'a> Bytes<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            character: 0,
            byte: 0,
        }
    }

    /// The byte at which a character begins; the end of the text for all after the last.
    fn at(&mut self, character: usize) -> usize {
        if character < self.character {
            (self.character, self.byte) = (0, 0);
        }
        let rest = &self.text[self.byte..];
        let steps = character - self.character;
        let step = rest.char_indices().nth(steps);
        (self.byte, self.character) = match step {
            Some((step, _)) => (self.byte + step, character),
            None => return self.text.len(),
        };
        self.byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_six_digits() {
        for (value, expected) in [
            (0.0, "0.000000"),
            (1.0, "1.000000"),
            (2.0 / 3.0, "0.666667"),
            (1.0 / 128.0, "0.007813"),
            (0.648_148, "0.648148"),
        ] {
            assert_eq!(score(value), expected);
        }
    }

    #[test]
    fn characters_are_found_in_any_order() {
        let mut bytes = Bytes::new("aü漢b");
        let places: Vec<usize> = [0, 1, 2, 3, 4, 9, 2, 0, 3].map(|at| bytes.at(at)).to_vec();
        assert_eq!(places, [0, 1, 3, 6, 7, 7, 3, 0, 6]);
    }
}
