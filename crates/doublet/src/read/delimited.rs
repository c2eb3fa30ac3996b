//! Stage 1, read: CSV and TSV, from the header row to a record.
//!
//! One small automaton serves the cutter and the decoder, so that both see the same rows: a quote opens a quoted field
//! only at the field's start, `""` inside is one quote, and an LF ends the row unless it is quoted (a CR before it belongs
//! to the ending). Blank lines are no rows.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::Record;
use super::cut::{Cut, Cuts, push_bound, strip_cr};
use super::decode::Fields;
use super::encoding::utf8;
use super::json::listing;
use crate::document::Key;

/// The header row of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) delimiter: u8,
    /// The row as it stands in the file, without byte order mark and line ending.
    pub(super) raw: Vec<u8>,
    /// Bytes before the first row of data.
    pub(super) bytes: usize,
    /// Lines before the first row of data.
    pub(super) lines: u64,
    columns: usize,
    text: usize,
    id: Option<usize>,
    rank: Option<usize>,
}

impl Header {
    /// Reads the header from the first bytes of a file, which reach beyond it. `None`: the file is empty. The error says
    /// which columns there are.
    pub(super) fn parse(
        head: &[u8],
        delimiter: u8,
        fields: &Fields,
    ) -> Result<Option<Header>, String> {
        let mark = if head.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let mut scan = Scan::default();
        let body = &head[mark..];
        let end = scan.row_end(body, 0, delimiter).unwrap_or(body.len());
        let raw = strip_cr(&body[..end]);
        if raw.is_empty() && body.is_empty() {
            return Ok(None);
        }
        let names: Vec<String> = split(raw, delimiter)?
            .iter()
            .map(|field| utf8(&field.value()).map(|name| name.trim().to_owned()))
            .collect::<Result<_, _>>()
            .map_err(|reason| format!("header row: {reason}"))?;
        let column = |wanted: &str| names.iter().position(|name| name == wanted);
        let text = column(&fields.text).ok_or_else(|| {
            let columns = listing(&names).replace("fields", "columns");
            format!(
                "no column `{}`: {columns}; name the one with the text by `--text-field`",
                fields.text
            )
        })?;
        let bytes = (mark + end + 1).min(head.len());
        Ok(Some(Header {
            delimiter,
            raw: raw.to_vec(),
            bytes,
            lines: head[..bytes].iter().filter(|byte| **byte == b'\n').count() as u64,
            columns: names.len(),
            text,
            id: column(&fields.id),
            rank: fields.rank.as_deref().and_then(column),
        }))
    }
}

/// Whether the bytes hold a whole row.
pub(super) fn holds_row(head: &[u8], delimiter: u8) -> bool {
    let body = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    Scan::default().row_end(body, 0, delimiter).is_some()
}

/// Decodes one row. The error is the reason for rejecting it.
pub(super) fn decode<'a>(
    raw: &'a [u8],
    header: &Header,
    fields: &Fields,
) -> Result<Record<'a>, String> {
    let row = split(raw, header.delimiter)?;
    if row.len() != header.columns {
        return Err(format!(
            "the row has {} fields, the header row {}",
            row.len(),
            header.columns
        ));
    }
    let value = |column: Option<usize>| match column.and_then(|column| row.get(column)) {
        Some(field) => field.text().map(Some),
        None => Ok(None),
    };
    let text = value(Some(header.text))?.unwrap_or_default();
    let key = value(header.id)?
        .filter(|id| !id.is_empty() && !fields.renumber)
        .map(|id| Key::from_text(&id));
    let rank = value(header.rank)?.filter(|rank| !rank.is_empty());
    Ok(Record {
        key,
        text,
        rank: rank.map(|rank| Cow::Owned(as_json(&rank))),
        origin: None,
    })
}

/// A number stays one, anything else becomes a JSON string.
fn as_json(value: &str) -> String {
    match serde_json::from_str::<serde_json::Number>(value.trim()) {
        Ok(_) => value.trim().to_owned(),
        Err(_) => serde_json::Value::String(value.to_owned()).to_string(),
    }
}

/// A field as it stands, without the quotes around it.
struct Field<'a> {
    raw: &'a [u8],
    /// Whether quotes inside are doubled, or text follows the closing quote.
    escaped: bool,
}

impl<'a> Field<'a> {
    fn value(&self) -> Cow<'a, [u8]> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut value = Vec::with_capacity(self.raw.len());
        let mut rest = self.raw;
        // Inside the quotes a pair is one quote; the single one closes the field, and what follows stands as it is.
        while let Some(at) = memchr(b'"', rest) {
            value.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            match rest.split_first() {
                Some((b'"', after)) => {
                    value.push(b'"');
                    rest = after;
                }
                _ => break,
            }
        }
        value.extend_from_slice(rest);
        Cow::Owned(value)
    }

    fn text(&self) -> Result<Cow<'a, str>, String> {
        match self.value() {
            Cow::Borrowed(raw) => utf8(raw).map(Cow::Borrowed),
            Cow::Owned(raw) => utf8(&raw).map(|text| Cow::Owned(text.to_owned())),
        }
    }
}

/// Splits a row into its fields.
fn split(raw: &[u8], delimiter: u8) -> Result<Vec<Field<'_>>, String> {
    let mut fields = Vec::new();
    let mut rest = raw;
    loop {
        let (field, after) = first_field(rest, delimiter)?;
        fields.push(field);
        match after {
            Some(after) => rest = after,
            None => return Ok(fields),
        }
    }
}

/// The field that `rest` begins with, and what follows its delimiter.
fn first_field(rest: &[u8], delimiter: u8) -> Result<Split<'_>, String> {
    match rest.split_first() {
        Some((b'"', quoted)) => quoted_field(quoted, delimiter),
        _ => Ok(plain_field(rest, delimiter)),
    }
}

/// Where the text field stands in a row, its quotes included.
pub(super) fn text_place(raw: &[u8], header: &Header) -> Option<Range<usize>> {
    let mut rest = raw;
    for _ in 0..header.text {
        rest = first_field(rest, header.delimiter).ok()?.1?;
    }
    let (_, after) = first_field(rest, header.delimiter).ok()?;
    let end = after.map_or(raw.len(), |after| raw.len() - after.len() - 1);
    Some(raw.len() - rest.len()..end)
}

/// The text of a field given with its quotes.
pub(super) fn field_text(field: &[u8], delimiter: u8) -> Option<String> {
    let (field, _) = first_field(field, delimiter).ok()?;
    field.text().ok().map(Cow::into_owned)
}

type Split<'a> = (Field<'a>, Option<&'a [u8]>);

fn plain_field(rest: &[u8], delimiter: u8) -> Split<'_> {
    let end = memchr(delimiter, rest).unwrap_or(rest.len());
    let field = Field {
        raw: &rest[..end],
        escaped: false,
    };
    (field, rest.get(end + 1..))
}

fn quoted_field(quoted: &[u8], delimiter: u8) -> Result<Split<'_>, String> {
    let mut doubled = false;
    let mut from = 0;
    let close = loop {
        let at = memchr(b'"', &quoted[from..])
            .ok_or("a quoted field is never closed: every quote inside one must be doubled")?
            + from;
        if quoted.get(at + 1) != Some(&b'"') {
            break at;
        }
        doubled = true;
        from = at + 2;
    };
    let end = memchr(delimiter, &quoted[close..]).map_or(quoted.len(), |at| close + at);
    let field = if end == close + 1 {
        Field {
            raw: &quoted[..close],
            escaped: doubled,
        }
    } else {
        Field {
            raw: &quoted[..end],
            escaped: true,
        }
    };
    Ok((field, quoted.get(end + 1..)))
}

/// Where in a row the scan stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Scan {
    /// At the start of a field, where a quote opens it.
    #[default]
    FieldStart,
    /// In a field without quotes, or behind the closing one.
    Plain,
    /// Between quotes.
    Quoted,
    /// Just behind a quote between quotes: a second one would make a pair.
    QuoteSeen,
}

impl Scan {
    /// Finds the LF that ends the row, scanning from `from`; the state carries over when there is none yet.
    fn row_end(&mut self, bytes: &[u8], from: usize, delimiter: u8) -> Option<usize> {
        let mut at = from;
        while at < bytes.len() {
            match self {
                Scan::FieldStart if bytes[at] == b'"' => {
                    *self = Scan::Quoted;
                    at += 1;
                }
                Scan::FieldStart => *self = Scan::Plain,
                Scan::Plain => {
                    // A quote inside a plain field is a character like any other.
                    at += memchr::memchr2(delimiter, b'\n', &bytes[at..])?;
                    *self = Scan::FieldStart;
                    if bytes[at] == b'\n' {
                        return Some(at);
                    }
                    at += 1;
                }
                Scan::Quoted => {
                    at += memchr(b'"', &bytes[at..])? + 1;
                    *self = Scan::QuoteSeen;
                }
                Scan::QuoteSeen if bytes[at] == b'"' => {
                    *self = Scan::Quoted;
                    at += 1;
                }
                Scan::QuoteSeen => *self = Scan::Plain,
            }
        }
        None
    }
}

/// Cuts a stream, from behind the header row, into rows.
pub(super) struct Rows {
    delimiter: u8,
    line: u64,
    scan: Scan,
    scanned: usize,
}

impl Rows {
    pub(super) fn new(delimiter: u8, lines_before: u64) -> Self {
        Rows {
            delimiter,
            line: lines_before + 1,
            scan: Scan::default(),
            scanned: 0,
        }
    }

    fn row(&mut self, bytes: &[u8], start: usize, end: usize, out: &mut Cuts) {
        let row = strip_cr(&bytes[start..end]);
        if !row.is_empty() {
            push_bound(out, start, row.len(), self.line);
        }
        self.line += 1 + memchr::memchr_iter(b'\n', row).count() as u64;
    }
}

impl Cut for Rows {
    fn cut(&mut self, bytes: &[u8], end: bool, out: &mut Cuts) {
        let mut start = 0;
        let mut from = self.scanned;
        while let Some(lf) = self.scan.row_end(bytes, from, self.delimiter) {
            self.row(bytes, start, lf, out);
            start = lf + 1;
            from = start;
        }
        if end && start < bytes.len() {
            self.row(bytes, start, bytes.len(), out);
            start = bytes.len();
        }
        out.consumed = start;
        self.scanned = bytes.len() - start;
    }

    fn forget(&mut self) {
        self.scanned = 0;
    }

    fn line(&self) -> u64 {
        self.line
    }
}
