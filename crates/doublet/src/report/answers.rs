//! What an index says of a text, as one line of JSON.

use super::pairs::named_scores;
use super::score::push_score;
use crate::index::{CheckedRecord, FoundSource};
use crate::read::CodePoints;
use crate::verify::Metric;

/// Appends the line, without its end. Offsets count characters of the texts as they stand in the input.
pub fn answer_line(checked: &CheckedRecord<'_>, metric: Metric, out: &mut Vec<u8>) {
    let answer = &checked.answer;
    let mut points = CodePoints::new(checked.record, checked.raw);
    out.extend_from_slice(b"{\"id\": ");
    out.extend_from_slice(checked.id.as_json().as_bytes());
    out.extend_from_slice(b", \"duplicate\": ");
    out.extend_from_slice(answer.duplicate.to_string().as_bytes());
    out.extend_from_slice(b", \"share\": ");
    push_score(answer.share, out);
    if let Some((sentences, of)) = answer.sentences {
        let counts = format!(", \"sentences\": {sentences}, \"of\": {of}");
        out.extend_from_slice(counts.as_bytes());
        if answer.boilerplate > 0 {
            let count = format!(", \"boilerplate\": {}", answer.boilerplate);
            out.extend_from_slice(count.as_bytes());
        }
    }
    out.extend_from_slice(b", \"sources\": [");
    for (rank, source) in answer.sources.iter().enumerate() {
        if rank > 0 {
            out.extend_from_slice(b", ");
        }
        push_source(source, metric, &mut points, out);
    }
    out.extend_from_slice(b"]}");
}

fn push_source(
    source: &FoundSource,
    metric: Metric,
    points: &mut CodePoints<'_>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"id\": ");
    out.extend_from_slice(source.id.as_bytes());
    out.extend_from_slice(b", \"score\": ");
    push_score(source.score, out);
    if let Some((sentences, division)) = source.sentences {
        out.extend_from_slice(format!(", \"sentences\": {sentences}, \"division\": ").as_bytes());
        push_score(division, out);
    }
    if let Some(scores) = &source.scores {
        out.extend_from_slice(format!(", \"metric\": \"{metric}\"").as_bytes());
        for (name, value) in named_scores(scores, metric) {
            out.extend_from_slice(format!(", \"{name}\": ").as_bytes());
            push_score(value, out);
        }
    }
    out.extend_from_slice(b", \"passages\": [");
    for (number, passage) in source.passages.iter().enumerate() {
        if number > 0 {
            out.extend_from_slice(b", ");
        }
        let line = format!(
            "{{\"start\": {}, \"end\": {}, \"source_start\": {}, \"source_end\": {}}}",
            points.start(passage.here.start),
            points.end(passage.here.end),
            passage.there.start,
            passage.there.end,
        );
        out.extend_from_slice(line.as_bytes());
    }
    out.extend_from_slice(b"]}");
}
