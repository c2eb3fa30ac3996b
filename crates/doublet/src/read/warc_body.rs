//! Stage 1, read: from a WARC record to its text.
//!
//! In: the raw bytes of a record that the cutter has found to hold text. Out: its text, with the record's id as key. An
//! HTTP message is unwrapped first: header off, chunks joined, gzip undone, then the character set decoded as a browser
//! would, and HTML stripped. Offsets lead into the raw record as long as nothing had to be unpacked.

use std::borrow::Cow;
use std::io::Read;

use super::warc::{Kind, field, header_end, is_http, kind_of};
use super::{OffsetMap, Record, encoding, html};
use crate::document::Key;

/// Unpacked bodies stop here: a small archive can unpack to any size.
const MOST_UNPACKED: u64 = 1 << 30;

/// Decodes one record. The error is the reason for rejecting it.
pub(super) fn decode(raw: &[u8], renumber: bool) -> Result<Record<'_>, String> {
    let (header, start) = header_end(raw).ok_or("the record has no header")?;
    let header = &raw[..header];
    let length: usize = field(header, "content-length")
        .and_then(|length| length.parse().ok())
        .ok_or("the record has no Content-Length")?;
    let content = start
        .checked_add(length)
        .and_then(|end| raw.get(start..end))
        .ok_or("the record is cut off")?;
    let body = if is_http(header) {
        http_body(content, start)?
    } else {
        Body {
            bytes: Cow::Borrowed(content),
            start: Some(start),
            media: field(header, "content-type").unwrap_or_default(),
        }
    };
    let key = field(header, "warc-record-id").filter(|_| !renumber);
    let (text, origin) = body.text()?;
    Ok(Record {
        key: key.map(|id| Key::from_text(id.trim_start_matches('<').trim_end_matches('>'))),
        text: Cow::Owned(text),
        rank: None,
        origin,
    })
}

/// What a record is about.
struct Body<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where it stands in the raw record, when it stands there as it is.
    start: Option<usize>,
    media: String,
}

impl Body<'_> {
    fn text(&self) -> Result<(String, Option<OffsetMap>), String> {
        let mark = if self.bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let bytes = &self.bytes[mark..];
        let kind = kind_of(&self.media).ok_or("the record holds no text")?;
        let label = charset(&self.media).or_else(|| match kind {
            Kind::Html => encoding::html_charset(bytes),
            Kind::Plain => None,
        });
        let decoded = encoding::markup(bytes, label.as_deref(), true)?;
        let start = self.start.filter(|_| decoded.same_offsets);
        Ok(match kind {
            Kind::Html => {
                let page = html::extract(&decoded.text);
                (page.text, start.map(|start| page.map.shift(start + mark)))
            }
            Kind::Plain => {
                let map = start.map(|start| OffsetMap::shifted(start + mark, bytes.len()));
                (decoded.text.into_owned(), map)
            }
        })
    }
}

/// The character set that a media type names.
fn charset(media: &str) -> Option<String> {
    let lower = media.to_ascii_lowercase();
    let (_, label) = lower.split_once("charset=")?;
    let label = label.split(';').next()?.trim().trim_matches(['"', '\'']);
    (!label.is_empty()).then(|| label.to_owned())
}

/// The body of an HTTP message that stands at `start` of the record.
fn http_body(message: &[u8], start: usize) -> Result<Body<'_>, String> {
    let (header, at) = header_end(message).ok_or("the HTTP header does not end")?;
    let header = &message[..header];
    let says = |name: &str| field(header, name).unwrap_or_default().to_ascii_lowercase();
    let mut body = Body {
        bytes: Cow::Borrowed(&message[at..]),
        start: Some(start + at),
        media: field(header, "content-type").unwrap_or_default(),
    };
    // Crawlers often store the body unpacked and leave the header as it came: believe the bytes.
    if says("transfer-encoding").contains("chunked")
        && let Some(joined) = join_chunks(&body.bytes)
    {
        body.bytes = Cow::Owned(joined);
        body.start = None;
    }
    match says("content-encoding").as_str() {
        "gzip" | "x-gzip" if body.bytes.starts_with(b"\x1f\x8b") => {
            body.unpack(flate2::read::MultiGzDecoder::new(&*body.bytes.clone()))?;
        }
        "deflate" if body.bytes.first() == Some(&0x78) => {
            body.unpack(flate2::read::ZlibDecoder::new(&*body.bytes.clone()))?;
        }
        "br" | "zstd" if simdutf8::basic::from_utf8(&body.bytes).is_err() => {
            let packing = says("content-encoding");
            return Err(format!("content encoding `{packing}` is not supported"));
        }
        _ => {}
    }
    Ok(body)
}

impl Body<'_> {
    fn unpack(&mut self, reader: impl Read) -> Result<(), String> {
        let mut unpacked = Vec::new();
        reader
            .take(MOST_UNPACKED)
            .read_to_end(&mut unpacked)
            .map_err(|error| format!("the body cannot be unpacked: {error}"))?;
        self.bytes = Cow::Owned(unpacked);
        self.start = None;
        Ok(())
    }
}

/// Joins the chunks of a body; `None` when it is not made of chunks after all.
fn join_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(rest.len());
    loop {
        let end = memchr::memchr(b'\n', rest)?;
        let size = rest[..end].split(|byte| *byte == b';').next()?;
        let size = std::str::from_utf8(size.trim_ascii()).ok()?;
        let size = usize::from_str_radix(size, 16).ok()?;
        rest = &rest[end + 1..];
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(rest.get(..size)?);
        rest = &rest[size..];
        rest = rest
            .strip_prefix(b"\r\n")
            .or_else(|| rest.strip_prefix(b"\n"))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn record(warc: &str, http: &str, body: &[u8]) -> Vec<u8> {
        let length = http.len() + body.len();
        let mut raw = format!("WARC/1.0\r\nWARC-Record-ID: <urn:x:1>\r\n{warc}\r\nContent-Length: {length}\r\n\r\n{http}")
            .into_bytes();
        raw.extend_from_slice(body);
        raw.extend_from_slice(b"\r\n\r\n");
        raw
    }

    const RESPONSE: &str =
        "WARC-Type: response\r\nContent-Type: application/http; msgtype=response";

    #[test]
    fn a_page_is_stripped_and_its_offsets_lead_into_the_record() {
        let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
        let raw = record(RESPONSE, http, "<p>Gr\u{fc}\u{df}e".as_bytes());
        let decoded = decode(&raw, false).unwrap();
        assert_eq!(decoded.text, "Gr\u{fc}\u{df}e");
        assert_eq!(decoded.key, Some(Key::from_text("urn:x:1")));
        let origin = decoded.origin.unwrap();
        let range = origin.source(0)..origin.source_end(decoded.text.len());
        assert_eq!(&raw[range], "Gr\u{fc}\u{df}e".as_bytes());
    }

    #[test]
    fn bodies_are_unwrapped() {
        let http = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n";
        let raw = record(RESPONSE, http, b"caf\xe9");
        let decoded = decode(&raw, false).unwrap();
        assert_eq!((&*decoded.text, decoded.origin), ("caf\u{e9}", None));

        let http =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n";
        let raw = record(RESPONSE, http, b"4;x=y\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n");
        assert_eq!(decode(&raw, false).unwrap().text, "Wikipedia");
        let raw = record(RESPONSE, http, b"not chunked after all");
        assert_eq!(decode(&raw, false).unwrap().text, "not chunked after all");

        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"<b>packed</b>").unwrap();
        let packed = packed.finish().unwrap();
        let http = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\n\r\n";
        assert_eq!(
            decode(&record(RESPONSE, http, &packed), false)
                .unwrap()
                .text,
            "packed"
        );
        let cut = record(RESPONSE, http, &packed[..packed.len() / 2]);
        assert!(
            decode(&cut, false)
                .unwrap_err()
                .contains("cannot be unpacked")
        );
    }

    #[test]
    fn conversions_are_plain_text() {
        let warc = "WARC-Type: conversion\r\nContent-Type: text/plain";
        let raw = record(warc, "", b"one & two");
        let decoded = decode(&raw, true).unwrap();
        assert_eq!((&*decoded.text, decoded.key), ("one & two", None));
        assert_eq!(decoded.origin.unwrap().source(0), raw.len() - 13);
    }
}
