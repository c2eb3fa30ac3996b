//! Clusters, removed texts and rejected records, each one line of JSON.

use std::io::Write;

use super::score::push_score;
use crate::cluster::Cluster;
use crate::document::DocId;
use crate::matches::{Documents, Source};
use crate::passages::Passage;
use crate::read::Rejection;

/// Writes records under the users' ids.
pub(crate) struct RecordLines<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) source: &'a Source,
}

/// A removed text and the text that is kept for it.
pub(crate) struct RemovedLine {
    /// The number of their cluster; none when several texts together contain the removed one.
    pub(crate) cluster: Option<usize>,
    pub(crate) document: DocId,
    pub(crate) representative: DocId,
    pub(crate) score: f64,
    /// Words of the removed text that the kept one does not share.
    pub(crate) lost: u32,
}

impl RecordLines<'_> {
    /// An id is JSON already.
    fn push_key(&self, document: DocId, out: &mut Vec<u8>) {
        let key = self.documents.key(document, self.source);
        out.extend_from_slice(key.as_json().as_bytes());
    }

    /// A cluster; `scores` holds each member's score against the representative.
    pub(crate) fn cluster(
        &self,
        number: usize,
        cluster: &Cluster,
        scores: &[f64],
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(b"{\"cluster\":");
        push_number(number as u64, out);
        out.extend_from_slice(b",\"representative\":");
        self.push_key(cluster.representative, out);
        out.extend_from_slice(b",\"size\":");
        push_number(cluster.members.len() as u64, out);
        out.extend_from_slice(b",\"weakest\":");
        push_score(cluster.weakest, out);
        out.extend_from_slice(b",\"members\":[");
        for (index, (&member, &score)) in cluster.members.iter().zip(scores).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"id\":");
            self.push_key(member, out);
            out.extend_from_slice(b",\"score\":");
            push_score(score, out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}\n");
    }

    /// A removed text.
    pub(crate) fn removed(&self, removed: &RemovedLine, out: &mut Vec<u8>) {
        let place = self.documents.place(removed.document);
        let collection = self.source.collection(removed.document, self.documents);
        out.extend_from_slice(b"{\"id\":");
        self.push_key(removed.document, out);
        out.extend_from_slice(b",\"representative\":");
        self.push_key(removed.representative, out);
        out.extend_from_slice(b",\"score\":");
        push_score(removed.score, out);
        out.extend_from_slice(b",\"lost\":");
        push_number(removed.lost.into(), out);
        out.extend_from_slice(b",\"cluster\":");
        match removed.cluster {
            Some(number) => push_number(number as u64, out),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"file\":");
        push_text(collection.files()[place.file as usize].name(), out);
        out.extend_from_slice(b",\"line\":");
        push_number(place.line, out);
        out.extend_from_slice(b"}\n");
    }

    /// A passage that left a text, and the text that keeps it.
    pub(crate) fn passage(&self, document: DocId, passage: &Passage, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        self.push_key(document, out);
        out.extend_from_slice(b",\"source\":");
        self.push_key(DocId(passage.source), out);
        for (name, number) in [
            ("start", passage.here.start),
            ("end", passage.here.end),
            ("source_start", passage.there.start),
            ("source_end", passage.there.end),
            ("sentences", passage.sentences),
        ] {
            let _ok = write!(out, ",\"{name}\":{number}");
        }
        out.extend_from_slice(b",\"text\":");
        push_text(&passage.text, out);
        out.extend_from_slice(b"}\n");
    }
}

/// A rejected record.
pub(crate) fn rejected(rejection: &Rejection, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"file\":");
    push_text(&rejection.file, out);
    out.extend_from_slice(b",\"line\":");
    push_number(rejection.line, out);
    out.extend_from_slice(b",\"reason\":");
    push_text(&rejection.reason, out);
    out.extend_from_slice(b"}\n");
}

fn push_number(number: u64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ok = write!(out, "{number}");
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    let _ok = serde_json::to_writer(&mut *out, text);
}
