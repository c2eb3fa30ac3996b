//! Clusters, removed texts and rejected records, each one line of JSON.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::batch::{Documents, Source};
use crate::cluster::Cluster;
use crate::document::DocId;
use crate::error::{Error, Result};
use crate::read::Rejection;
use crate::verify::{Metric, Scores};

/// A score with six digits behind the point.
#[derive(Clone, Copy, Debug)]
struct Score(f64);

impl Serialize for Score {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = format!("{:.6}", self.0);
        match RawValue::from_string(text) {
            Ok(raw) => raw.serialize(serializer),
            Err(_) => serializer.serialize_f64(self.0),
        }
    }
}

#[derive(Serialize)]
struct ClusterLine<'a> {
    cluster: usize,
    representative: &'a RawValue,
    size: usize,
    weakest: Score,
    members: Vec<MemberLine>,
}

#[derive(Serialize)]
struct MemberLine {
    id: Box<RawValue>,
    score: Score,
}

#[derive(Serialize)]
struct RemovedLine<'a> {
    id: &'a RawValue,
    representative: &'a RawValue,
    score: Score,
    cluster: usize,
    file: &'a str,
    line: u64,
}

#[derive(Serialize)]
struct RejectedLine<'a> {
    file: &'a str,
    line: u64,
    reason: &'a str,
}

/// Writes records under the users' ids.
pub(crate) struct RecordLines<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) source: &'a Source,
}

impl RecordLines<'_> {
    fn key(&self, document: DocId) -> Result<Box<RawValue>> {
        let key = self.documents.key(document, self.source);
        RawValue::from_string(key.as_json().to_owned()).map_err(|_| Error::BadFile {
            path: self.documents.name(document, self.source).into(),
            reason: format!("the id {} is not JSON", key.as_json()),
        })
    }

    /// A cluster; `scores` holds each member's score against the representative.
    pub(crate) fn cluster(
        &self,
        number: usize,
        cluster: &Cluster,
        scores: &[Scores],
        metric: Metric,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let members = cluster.members.iter().zip(scores).map(|(&member, score)| {
            Ok(MemberLine {
                id: self.key(member)?,
                score: Score(score.score(metric)),
            })
        });
        let line = ClusterLine {
            cluster: number,
            representative: &self.key(cluster.representative)?,
            size: cluster.members.len(),
            weakest: Score(cluster.weakest),
            members: members.collect::<Result<_>>()?,
        };
        push_line(&line, out);
        Ok(())
    }

    /// A removed text, and the text that stands for it.
    pub(crate) fn removed(
        &self,
        number: usize,
        document: DocId,
        representative: DocId,
        score: f64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let place = self.documents.place(document);
        let collection = self.source.collection(document, self.documents);
        let line = RemovedLine {
            id: &self.key(document)?,
            representative: &self.key(representative)?,
            score: Score(score),
            cluster: number,
            file: collection.files()[place.file as usize].name(),
            line: place.line,
        };
        push_line(&line, out);
        Ok(())
    }
}

/// A rejected record.
pub(crate) fn rejected(rejection: &Rejection, out: &mut Vec<u8>) {
    let line = RejectedLine {
        file: &rejection.file,
        line: rejection.line,
        reason: &rejection.reason,
    };
    push_line(&line, out);
}

fn push_line(line: &impl Serialize, out: &mut Vec<u8>) {
    // Plain structures of strings and numbers always serialise.
    let _ok = serde_json::to_writer(&mut *out, line);
    out.push(b'\n');
}
