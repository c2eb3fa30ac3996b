//! Stage 1, read: cutting a web archive into its records.
//!
//! A WARC record says its own length, so cutting is reading headers. Only records that hold text are records to us:
//! responses and resources that are HTML or plain text, and conversions. The others (requests, metadata, images) are
//! passed over, without being held in memory. Bytes that are no record are one rejected record up to the next header.

use memchr::memmem;

use super::cut::{Cut, Cuts, MAX_RECORD, push_bound, too_long};

/// Bytes of a response in which its HTTP header must end.
const HTTP_HEADER: usize = 64 * 1024;
/// Bytes in which the header of a record must end.
const WARC_HEADER: usize = 1024 * 1024;

/// Cuts a stream into WARC records.
#[derive(Default)]
pub(super) struct Records {
    /// Records seen so far, those passed over included.
    seen: u64,
    /// Bytes of a record that are still to be passed over.
    skip: u64,
}

/// What stands at the head of the bytes.
enum Step {
    /// More bytes must be seen to tell.
    More,
    /// A record of so many bytes.
    Record(usize),
    /// So many bytes that are nothing to us.
    Skip(u64),
    /// A record of so many bytes, more than can be held.
    TooLong(u64),
    /// So many bytes that should be a record and are none.
    Bad(usize, String),
}

impl Records {
    fn step(&self, bytes: &[u8], end: bool) -> Step {
        if !bytes.starts_with(b"WARC/") {
            return if bytes.len() < 5 && !end && b"WARC/".starts_with(bytes) {
                Step::More
            } else {
                stray(bytes, end, "expected `WARC/`, found something else")
            };
        }
        let Some((header, body)) = header_end(bytes) else {
            return match (end, bytes.len() > WARC_HEADER) {
                (false, false) => Step::More,
                _ => stray(bytes, end, "the header of the record does not end"),
            };
        };
        let length = field(&bytes[..header], "content-length");
        let Some(length) = length.and_then(|length| length.parse::<u64>().ok()) else {
            return stray(bytes, end, "the record has no Content-Length");
        };
        let total = (body as u64).saturating_add(length).saturating_add(4);
        match holds_text(&bytes[..header], &bytes[body..], length, end) {
            Some(false) => Step::Skip(total),
            None => Step::More,
            Some(true) if total > MAX_RECORD => Step::TooLong(total),
            Some(true) => whole(bytes, body as u64 + length, end),
        }
    }
}

/// The record with the line ends behind it, when all of it is there.
fn whole(bytes: &[u8], total: u64, end: bool) -> Step {
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    match bytes.get(total..) {
        None if end => Step::Bad(bytes.len(), "the archive ends in this record".to_owned()),
        None => Step::More,
        Some(rest) if rest.len() < 4 && !end => Step::More,
        Some(rest) => {
            let ending = if rest.starts_with(b"\r\n\r\n") { 4 } else { 0 };
            Step::Record(total + ending)
        }
    }
}

/// Bytes up to the next header are one bad record.
fn stray(bytes: &[u8], end: bool, reason: &str) -> Step {
    match memmem::find(bytes.get(1..).unwrap_or_default(), b"\nWARC/1") {
        Some(at) => Step::Bad(at + 2, reason.to_owned()),
        None if end || bytes.len() > 4 * WARC_HEADER => Step::Bad(bytes.len(), reason.to_owned()),
        None => Step::More,
    }
}

/// Where a header ends and what follows it begins.
pub(super) fn header_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let strict = memmem::find(bytes, b"\r\n\r\n").map(|at| (at, at + 4));
    let reach = strict.map_or(bytes.len(), |(at, _)| at);
    let lenient = memmem::find(&bytes[..reach], b"\n\n").map(|at| (at, at + 2));
    lenient.or(strict)
}

/// The value of a header field; `name` in small letters.
pub(super) fn field(header: &[u8], name: &str) -> Option<String> {
    for line in header.split(|byte| *byte == b'\n') {
        let Some(colon) = memchr::memchr(b':', line) else {
            continue;
        };
        if line[..colon]
            .trim_ascii()
            .eq_ignore_ascii_case(name.as_bytes())
        {
            let value = line[colon + 1..].trim_ascii();
            return Some(String::from_utf8_lossy(value).into_owned());
        }
    }
    None
}

/// What a record's body is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Plain,
}

/// The kind of text behind a media type, if it is one.
pub(super) fn kind_of(media_type: &str) -> Option<Kind> {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match essence.to_ascii_lowercase().as_str() {
        "text/html" | "application/xhtml+xml" => Some(Kind::Html),
        "text/plain" => Some(Kind::Plain),
        _ => None,
    }
}

/// Whether a record holds an HTTP message, to be told by the header of the record.
pub(super) fn is_http(header: &[u8]) -> bool {
    field(header, "warc-type").is_some_and(|kind| kind.eq_ignore_ascii_case("response"))
        && field(header, "content-type")
            .is_none_or(|media| media.to_ascii_lowercase().starts_with("application/http"))
}

/// Whether the record holds text; `None` when its HTTP header is not all there yet.
fn holds_text(header: &[u8], body: &[u8], length: u64, end: bool) -> Option<bool> {
    let kind = field(header, "warc-type").unwrap_or_default();
    let media = field(header, "content-type").unwrap_or_default();
    match kind.to_ascii_lowercase().as_str() {
        "conversion" | "resource" => return Some(kind_of(&media).is_some()),
        "response" if is_http(header) => {}
        "response" => return Some(kind_of(&media).is_some()),
        _ => return Some(false),
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let head = &body[..body.len().min(length).min(HTTP_HEADER)];
    match header_end(head) {
        Some((http, _)) => {
            let media = field(&head[..http], "content-type").unwrap_or_default();
            Some(kind_of(&media).is_some())
        }
        None if head.len() == length || head.len() == HTTP_HEADER || end => Some(false),
        None => None,
    }
}

impl Cut for Records {
    fn cut(&mut self, bytes: &[u8], end: bool, out: &mut Cuts) {
        let mut at = 0;
        loop {
            let skipped = self.skip.min((bytes.len() - at) as u64);
            at += usize::try_from(skipped).unwrap_or(0);
            self.skip -= skipped;
            // Empty lines stand between records, sometimes more of them than there should be.
            let blank = bytes[at..]
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'));
            at += blank.count();
            if at == bytes.len() {
                break;
            }
            match self.step(&bytes[at..], end) {
                Step::More => break,
                Step::Skip(count) => {
                    self.seen += 1;
                    self.skip = count.saturating_sub(4);
                }
                Step::TooLong(count) => {
                    self.seen += 1;
                    out.fault(at, 0, self.seen, too_long());
                    self.skip = count.saturating_sub(4);
                }
                Step::Record(count) => {
                    self.seen += 1;
                    push_bound(out, at, count, self.seen);
                    at += count;
                }
                Step::Bad(count, reason) => {
                    self.seen += 1;
                    out.fault(at, count, self.seen, reason);
                    at += count;
                }
            }
        }
        out.consumed = at;
    }

    fn forget(&mut self) {}

    fn line(&self) -> u64 {
        self.seen + 1
    }
}
