//! Stage 1, read: what a file is.
//!
//! Compression is told by magic bytes, whatever the name says. The format is told by the ending, with `.gz` and `.zst`
//! taken off, and by the content where the ending says nothing.

use crate::options::Format;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, one or more members.
    Gzip,
    /// Zstandard, one or more frames.
    Zstd,
}

impl Compression {
    /// Tells the compression from a file's first bytes.
    pub(super) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // A skippable frame, as some tools put in front. By itself it may be text.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] => {
                let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                match rest.get(length..).map(Self::of) {
                    Some(Self::Zstd) => Self::Zstd,
                    _ => Self::None,
                }
            }
            _ => Compression::None,
        }
    }

    /// The ending of a file's name, dot included; empty without compression.
    pub fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Compression::None => "file",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

/// The format that a file's name promises.
pub(super) fn by_ending(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(&name);
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending {
        "jsonl" | "ndjson" | "json" => Format::JsonLines,
        "csv" => Format::Csv,
        "tsv" | "tab" => Format::Tsv,
        "parquet" | "pq" => Format::Parquet,
        "txt" | "text" | "md" => Format::Text,
        "html" | "htm" | "xhtml" => Format::Html,
        "xml" | "tei" => Format::Xml,
        "warc" | "wet" => Format::Warc,
        _ => return None,
    })
}

/// The format that a file's first bytes show.
pub(super) fn by_content(head: &[u8], standard_input: bool) -> Format {
    let body = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let body = body.trim_ascii_start();
    let starts = |with: &[u8]| {
        body.get(..with.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    if body.starts_with(b"{") {
        Format::JsonLines
    } else if body.starts_with(b"WARC/") {
        Format::Warc
    } else if head.starts_with(b"PAR1") {
        Format::Parquet
    } else if standard_input {
        Format::Lines
    } else if starts(b"<!doctype html") || starts(b"<html") {
        Format::Html
    } else if starts(b"<?xml") {
        Format::Xml
    } else {
        Format::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skippable_frame_is_one_before_another() {
        let skippable = b"\x51\x2a\x4d\x18\x01\0\0\0)";
        let of = |parts: &[&[u8]]| Compression::of(&parts.concat());
        assert_eq!(of(&[skippable, b"\x28\xb5\x2f\xfd"]), Compression::Zstd);
        assert_eq!(
            of(&[skippable, skippable, b"\x28\xb5\x2f\xfd"]),
            Compression::Zstd
        );
        for text in [b"\n".as_slice(), b"", b"\x1f\x8b", skippable] {
            assert_eq!(of(&[skippable, text]), Compression::None);
        }
        assert_eq!(
            of(&[b"Q*M\x18 is text that has no such length"]),
            Compression::None
        );
    }

    #[test]
    fn endings_are_known_under_compression() {
        assert_eq!(by_ending("a/b.JSONL.gz"), Some(Format::JsonLines));
        assert_eq!(by_ending("b.warc.zst"), Some(Format::Warc));
        assert_eq!(by_ending("b.png"), None);
        assert_eq!(by_ending("README"), None);
    }

    #[test]
    fn content_tells_the_format() {
        assert_eq!(
            by_content(b"\xef\xbb\xbf\n {\"a\":1}", false),
            Format::JsonLines
        );
        assert_eq!(by_content(b"<!DOCTYPE HTML>", false), Format::Html);
        assert_eq!(by_content(b"<?xml version='1.0'?>", false), Format::Xml);
        assert_eq!(by_content(b"WARC/1.0\r\n", true), Format::Warc);
        assert_eq!(by_content(b"plain", false), Format::Text);
        assert_eq!(by_content(b"plain", true), Format::Lines);
        assert_eq!(by_content(b"", false), Format::Text);
    }
}
