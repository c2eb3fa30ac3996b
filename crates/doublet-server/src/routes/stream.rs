//! `POST /v1/documents` of JSON lines: as many documents as the caller likes, taken in groups of which each is safe on disk as a whole.
//!
//! A thread of its own unpacks, cuts lines, prepares and writes, and asks for bytes as it needs them, so that a stream never takes more memory than a
//! group.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use doublet::index::{NewDocument, Write};
use hyper::StatusCode;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::check::fits;
use super::documents::Added;
use super::not_written;
use crate::answer::{Reply, json};
use crate::app::App;
use crate::body::unreadable;
use crate::problem::{self, Problem};
use crate::service::Call;
use crate::unpack::Packing;
use crate::wire::{self, Document, Line};

/// Documents of a group, and bytes of their texts.
const GROUP: usize = 256;
const GROUP_BYTES: usize = 4 << 20;
/// Bad lines that are told one by one.
const TOLD: usize = 100;

/// What became of a stream.
#[derive(Debug, Default, Serialize)]
struct Streamed {
    #[serde(flatten)]
    added: Added,
    rejected: Vec<Rejected>,
    rejected_count: u64,
}

#[derive(Debug, Serialize)]
struct Rejected {
    line: u64,
    reason: String,
}

pub(super) async fn add(call: &mut Call<'_>, strict: bool) -> Result<Reply, Problem> {
    let packing = Packing::of(&call.head.headers)?;
    let _place = call.app.limits.admit()?;
    let _stream = call.app.limits.stream()?;
    let (chunks, received) = mpsc::channel(4);
    let (done, outcome) = oneshot::channel();
    let app = Arc::clone(call.app);
    let thread = std::thread::Builder::new().name("stream".to_owned());
    let begun = thread.spawn(move || {
        let mut stream = Stream::new(&app, strict);
        let ended = stream.run(packing, Chunks::new(received));
        let _gone = done.send((ended, stream.result));
    });
    begun.map_err(Problem::failed)?;
    let fed = feed(call, chunks).await;
    let (ended, streamed) = outcome.await.map_err(Problem::failed)?;
    match fed.and(ended) {
        Ok(()) => json(StatusCode::OK, &streamed),
        // What was written stays, and the caller wants to know how much that is.
        Err(problem) => Err(problem
            .with("added", streamed.added.added)
            .with("replaced", streamed.added.replaced)),
    }
}

/// Hands the body over, piece by piece, and at last that it is whole.
async fn feed(call: &mut Call<'_>, chunks: mpsc::Sender<Option<Bytes>>) -> Result<(), Problem> {
    loop {
        let chunk = call.body.next(call.app).await?;
        let last = chunk.is_none();
        // Nobody takes it any more once something went wrong there.
        if chunks.send(chunk).await.is_err() || last {
            return Ok(());
        }
    }
}

/// The body as it arrives. It ends by an error unless it is whole.
struct Chunks {
    received: mpsc::Receiver<Option<Bytes>>,
    now: Bytes,
    whole: bool,
}

impl Chunks {
    fn new(received: mpsc::Receiver<Option<Bytes>>) -> Self {
        Self {
            received,
            now: Bytes::new(),
            whole: false,
        }
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.now.is_empty() && !self.whole {
            match self.received.blocking_recv() {
                Some(Some(chunk)) => self.now = chunk,
                Some(None) => self.whole = true,
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        let length = buffer.len().min(self.now.len());
        self.now.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

/// Documents on their way into the index.
struct Stream<'a> {
    app: &'a App,
    strict: bool,
    group: Vec<NewDocument>,
    bytes: usize,
    line: u64,
    result: Streamed,
}

impl<'a> Stream<'a> {
    fn new(app: &'a App, strict: bool) -> Self {
        Self {
            app,
            strict,
            group: Vec::new(),
            bytes: 0,
            line: 0,
            result: Streamed::default(),
        }
    }

    fn run(&mut self, packing: Packing, chunks: Chunks) -> Result<(), Problem> {
        let reader = packing.reader(chunks).map_err(unreadable)?;
        let mut reader = BufReader::with_capacity(64 << 10, reader);
        // A text has at most six times as many bytes when its letters are escaped; an id and the names take the rest.
        let most = 6 * self.app.options.max_text + (16 << 10);
        let mut line = Vec::new();
        while read_line(&mut reader, &mut line, most).map_err(unreadable)? {
            self.line += 1;
            if line.len() > most {
                self.reject(Problem::too_large(
                    "a text",
                    self.app.options.max_text,
                    "--max-text",
                ))?;
            } else if !line.trim_ascii().is_empty() {
                self.take(&line)?;
            }
        }
        self.write()
    }

    /// Takes one line.
    fn take(&mut self, line: &[u8]) -> Result<(), Problem> {
        match self.document(line) {
            Ok(document) => {
                self.result.added.empty += u64::from(document.is_empty());
                self.group.push(document);
            }
            Err(problem) => return self.reject(problem),
        }
        self.bytes += line.len();
        match self.group.len() >= GROUP || self.bytes >= GROUP_BYTES {
            true => self.write(),
            false => Ok(()),
        }
    }

    fn document(&self, line: &[u8]) -> Result<NewDocument, Problem> {
        let Line { id, text } = wire::read(line)?;
        let document = Document { id, text };
        fits(&document.text, self.app)?;
        let ready = super::documents::ready(self.app, vec![document], false)?;
        ready
            .into_iter()
            .next()
            .ok_or_else(|| Problem::failed("a line was lost"))
    }

    fn reject(&mut self, problem: Problem) -> Result<(), Problem> {
        let reason = problem.detail().to_owned();
        if self.strict {
            let detail = format!("line {}: {reason}", self.line);
            return Err(Problem::new(problem::WRONG_FIELDS, detail).with("line", self.line));
        }
        self.result.rejected_count += 1;
        if self.result.rejected.len() < TOLD {
            self.result.rejected.push(Rejected {
                line: self.line,
                reason,
            });
        }
        Ok(())
    }

    /// Writes the group and waits until it is safe on disk.
    fn write(&mut self) -> Result<(), Problem> {
        if self.group.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        let group = std::mem::take(&mut self.group);
        match self.app.index.write(Write::Add(group)) {
            Ok(outcomes) => {
                self.result.added.count(self.app, &outcomes);
                Ok(())
            }
            Err(error) => Err(not_written(self.app, &error)),
        }
    }
}

/// Reads a line without its end; of one that is too long, no more than tells so. `false` when there is none.
pub(crate) fn read_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<bool> {
    line.clear();
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let length = end.unwrap_or(bytes.len());
        let room = (most + 1).saturating_sub(line.len());
        line.extend_from_slice(&bytes[..length.min(room)]);
        reader.consume(length + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_long_ones_not_held() {
        let mut reader = BufReader::with_capacity(3, &b"one\n\ntoo long\r\nend"[..]);
        let mut line = Vec::new();
        let mut lines = Vec::new();
        while read_line(&mut reader, &mut line, 5).unwrap() {
            lines.push(String::from_utf8(line.clone()).unwrap());
        }
        assert_eq!(lines, ["one", "", "too lo", "end"]);
    }
}
