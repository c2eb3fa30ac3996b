//! What an index says of a text, as one line of JSON.

use std::io::Write;

use super::pairs::named_scores;
use super::score::push_score;
use crate::index::{Answer, CheckedRecord, FoundSource};
use crate::read::CodePoints;
use crate::scores::Metric;

/// Appends the line, without its end. Offsets count characters of the texts as they stand in the input.
pub fn answer_line(checked: &CheckedRecord<'_>, metric: Metric, out: &mut Vec<u8>) {
    let mut points = CodePoints::new(checked.record, checked.raw);
    out.push(b'{');
    push_id(checked.id.as_json(), out);
    push_verdict(&checked.answer, out);
    push_sources(&checked.answer, metric, &mut points, out);
    out.push(b'}');
}

/// Appends the same object for a text that is its own input, with the number of all sources. The id, if there is one, is JSON; `added`
/// says whether the text was added, and replaced another.
pub fn answer_object(
    id: Option<&str>,
    text: &str,
    answer: &Answer,
    metric: Metric,
    added: Option<(bool, bool)>,
    out: &mut Vec<u8>,
) {
    let mut points = CodePoints::of_text(text);
    out.push(b'{');
    if let Some(id) = id {
        push_id(id, out);
    }
    push_verdict(answer, out);
    push_number(", \"found\": ", answer.found as u64, out);
    push_sources(answer, metric, &mut points, out);
    if let Some((added, replaced)) = added {
        push_truth(", \"added\": ", added, out);
        push_truth(", \"replaced\": ", replaced, out);
    }
    out.push(b'}');
}

fn push_id(id: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"id\": ");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b", ");
}

fn push_truth(name: &str, value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn push_number(name: &str, value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    // Writing to memory does not fail.
    let _written = write!(out, "{value}");
}

fn push_verdict(answer: &Answer, out: &mut Vec<u8>) {
    push_truth("\"duplicate\": ", answer.duplicate, out);
    out.extend_from_slice(b", \"share\": ");
    push_score(answer.share, out);
    if let Some((sentences, of)) = answer.sentences {
        push_number(", \"sentences\": ", sentences.into(), out);
        push_number(", \"of\": ", of.into(), out);
        if answer.boilerplate > 0 {
            push_number(", \"boilerplate\": ", answer.boilerplate.into(), out);
        }
    }
}

fn push_sources(answer: &Answer, metric: Metric, points: &mut CodePoints<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b", \"sources\": [");
    for (rank, source) in answer.sources.iter().enumerate() {
        if rank > 0 {
            out.extend_from_slice(b", ");
        }
        push_source(source, metric, points, out);
    }
    out.push(b']');
}

fn push_source(
    source: &FoundSource,
    metric: Metric,
    points: &mut CodePoints<'_>,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    push_id(&source.id, out);
    out.extend_from_slice(b"\"score\": ");
    push_score(source.score, out);
    if let Some((sentences, division)) = source.sentences {
        push_number(", \"sentences\": ", sentences.into(), out);
        out.extend_from_slice(b", \"division\": ");
        push_score(division, out);
    }
    if let Some(scores) = &source.scores {
        let _written = write!(out, ", \"metric\": \"{metric}\"");
        for (name, value) in named_scores(scores, metric) {
            let _written = write!(out, ", \"{name}\": ");
            push_score(value, out);
        }
    }
    out.extend_from_slice(b", \"passages\": [");
    for (number, passage) in source.passages.iter().enumerate() {
        let comma = if number > 0 { ", " } else { "" };
        out.extend_from_slice(comma.as_bytes());
        push_number("{\"start\": ", points.start(passage.here.start) as u64, out);
        push_number(", \"end\": ", points.end(passage.here.end) as u64, out);
        push_number(", \"source_start\": ", passage.there.start, out);
        push_number(", \"source_end\": ", passage.there.end, out);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}
