//! Doors for the laws in `crates/doublet-laws`, which read requests without a service around them. No promise is made about
//! them.

use std::io::{self, BufReader, Read};

use doublet::index::Named;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::problem::Problem;
use crate::query::{self, Query};
use crate::routes::stream::read_line;
use crate::unpack::Packing;
use crate::wire::{
    self, CheckRequest, CompareRequest, Document, DocumentsRequest, Id, Least, Line, Text, Top,
};

/// A request that was refused: the status and the body of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The status.
    pub status: u16,
    /// The answer, as JSON.
    pub body: Vec<u8>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let status = problem.kind().status.as_u16();
        let reply = problem.into_reply("a law").into_body();
        // It is whole, so that one look is enough.
        let mut body = std::pin::pin!(reply.collect());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let body = match std::future::Future::poll(body.as_mut(), &mut context) {
            std::task::Poll::Ready(Ok(body)) => body.to_bytes().to_vec(),
            _ => Vec::new(),
        };
        Self { status, body }
    }
}

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// Not at all.
    Plain,
    /// By gzip.
    Gzip,
    /// By zstd.
    Zstd,
}

impl Packed {
    fn packing(self) -> Packing {
        match self {
            Self::Plain => Packing::Plain,
            Self::Gzip => Packing::Gzip,
            Self::Zstd => Packing::Zstd,
        }
    }

    /// Unpacks a body; `None` if it has more than `most` bytes.
    ///
    /// # Errors
    /// When it is not packed so, or not whole.
    pub fn unpack(self, bytes: &[u8], most: usize) -> io::Result<Option<Vec<u8>>> {
        self.packing().unpack(bytes, most)
    }
}

fn id(id: &Option<Id<'_>>) -> Value {
    let read = |id: &Id<'_>| serde_json::from_str(id.as_json()).unwrap_or_default();
    id.as_ref().map_or(Value::Null, read)
}

fn text(text: &Option<Text<'_>>) -> Value {
    text.as_ref().map_or(Value::Null, |text| json!(text.0))
}

fn document(document: &Document<'_>) -> Value {
    without_nulls(json!({ "id": id(&document.id), "text": document.text.0 }))
}

fn list(documents: &Option<Vec<Document<'_>>>) -> Value {
    documents
        .as_ref()
        .map_or(Value::Null, |all| all.iter().map(document).collect())
}

fn without_nulls(mut object: Value) -> Value {
    if let Value::Object(members) = &mut object {
        members.retain(|_, value| !value.is_null());
    }
    object
}

/// What a body of `POST /v1/check` says, as JSON of the same meaning.
///
/// # Errors
/// When it is refused.
pub fn check(body: &[u8]) -> Result<Value, Refusal> {
    let request: CheckRequest<'_> = wire::read(body)?;
    let top = |Top(named): Top| match named {
        Named::Best(most) | Named::Telling(most) => json!(most),
        Named::All => json!("all"),
    };
    let least = |Least(least): Least| least.map_or(json!("off"), |least| json!(least));
    Ok(without_nulls(json!({
        "id": id(&request.id),
        "text": text(&request.text),
        "documents": list(&request.documents),
        "threshold": request.threshold,
        "top": request.top.map(top),
        "min_sentences": request.min_sentences.map(least),
    })))
}

/// What a body of `POST /v1/documents` says, as JSON of the same meaning.
///
/// # Errors
/// When it is refused.
pub fn documents(body: &[u8]) -> Result<Value, Refusal> {
    let request: DocumentsRequest<'_> = wire::read(body)?;
    Ok(without_nulls(json!({
        "id": id(&request.id),
        "text": text(&request.text),
        "documents": list(&request.documents),
    })))
}

/// What a body of `POST /v1/compare` says, as JSON of the same meaning.
///
/// # Errors
/// When it is refused.
pub fn compare(body: &[u8]) -> Result<Value, Refusal> {
    let request: CompareRequest<'_> = wire::read(body)?;
    Ok(without_nulls(json!({
        "a": request.a.0,
        "b": request.b.0,
        "threshold": request.threshold,
    })))
}

/// A line of a stream, as JSON of the same meaning.
///
/// # Errors
/// When it is refused.
pub fn line(line: &[u8]) -> Result<Value, Refusal> {
    let Line { id, text } = wire::read(line)?;
    Ok(document(&Document { id, text }))
}

/// The lines of a stream that comes in pieces of `piece` bytes; of one that is too long, no more than tells so.
///
/// # Errors
/// When it is not packed so, or not whole.
pub fn lines(packed: Packed, body: &[u8], piece: usize, most: usize) -> io::Result<Vec<Vec<u8>>> {
    let pieces = Pieces { body, piece };
    let mut reader = BufReader::with_capacity(piece, packed.packing().reader(pieces)?);
    let (mut all, mut line) = (Vec::new(), Vec::new());
    while read_line(&mut reader, &mut line, most)? {
        all.push(line.clone());
    }
    Ok(all)
}

/// Bytes that come a few at a time.
struct Pieces<'a> {
    body: &'a [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.piece.min(buffer.len());
        self.body.read(&mut buffer[..length])
    }
}

/// The values that a query has of these names.
///
/// # Errors
/// When it is refused.
pub fn query(query: &str, known: &[&str]) -> Result<Vec<Option<String>>, Refusal> {
    let query = Query::read(Some(query), known)?;
    let value = |name: &&str| query.get(name).map(str::to_owned);
    Ok(known.iter().map(value).collect())
}

/// A cursor for a place.
pub fn cursor(place: &str) -> String {
    query::cursor(place)
}

/// The place that the cursor of a query stands for.
///
/// # Errors
/// When it is none.
pub fn place_of(cursor: &str) -> Result<Option<String>, Refusal> {
    Ok(Query::read(Some(cursor), &["cursor"])?.cursor()?)
}
