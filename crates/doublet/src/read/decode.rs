//! Stage 1, read: what it takes to decode the raw records of one file.
//!
//! In: the raw bytes of a record, wherever they come from (a block, or a place read again). Out: a [`Record`], or a
//! [`Rejection`] that names file and line. One `match` over the formats; each format's own work is in its own file.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::delimited::Header;
use super::{Record, Rejection, delimited, encoding, html, json, rewrite, warc_body, xml};
use crate::document::Key;
use crate::options::{Format, ReadOptions};

/// The fields that are wanted of a record.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) text: String,
    pub(super) id: String,
    pub(super) rank: Option<String>,
    pub(super) renumber: bool,
}

impl Fields {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Fields {
            text: options.text_field.clone(),
            id: options.id_field.clone(),
            rank: options.rank_field.clone(),
            renumber: options.renumber,
        }
    }
}

/// Decodes the records of one file.
#[derive(Debug)]
pub(super) struct Decoder {
    /// Name of the file as the user gave it.
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) fields: Arc<Fields>,
    /// The header row of CSV and TSV.
    pub(super) header: Option<Header>,
}

impl Decoder {
    /// Decodes the record that starts on `line`.
    pub(super) fn decode<'a>(&self, raw: &'a [u8], line: u64) -> Result<Record<'a>, Rejection> {
        self.record(raw).map_err(|reason| self.reject(line, reason))
    }

    /// A rejection of the record that starts on `line`.
    pub(super) fn reject(&self, line: u64, reason: String) -> Rejection {
        Rejection {
            file: self.name.clone(),
            line,
            reason,
        }
    }

    fn record<'a>(&self, raw: &'a [u8]) -> Result<Record<'a>, String> {
        match self.format {
            // Rows of Parquet are spooled as lines of JSON.
            Format::JsonLines | Format::Parquet => json::decode(raw, &self.fields),
            Format::Csv | Format::Tsv => match &self.header {
                Some(header) => delimited::decode(raw, header, &self.fields),
                None => Err("no header row".to_owned()),
            },
            Format::Lines => encoding::utf8(raw).map(Record::of_text),
            Format::Text => encoding::utf8(raw).map(|text| self.named(Record::of_text(text))),
            Format::Html => self.html(raw),
            Format::Xml => self.xml(raw),
            Format::Warc => warc_body::decode(raw, self.fields.renumber),
        }
    }

    /// The raw record without some parts of its text: ranges of the decoded text's bytes, in order and apart. `None` where a text
    /// cannot be cut.
    pub(super) fn without(&self, raw: &[u8], parts: &[Range<usize>]) -> Option<Vec<u8>> {
        match self.format {
            Format::JsonLines => rewrite::json(raw, &self.fields, parts),
            Format::Csv | Format::Tsv => rewrite::delimited(raw, self.header.as_ref()?, parts),
            Format::Lines | Format::Text => Some(rewrite::without(raw, parts)),
            Format::Parquet | Format::Html | Format::Xml | Format::Warc => None,
        }
    }

    fn html<'a>(&self, raw: &'a [u8]) -> Result<Record<'a>, String> {
        let charset = encoding::html_charset(raw);
        let decoded = encoding::markup(raw, charset.as_deref(), false)?;
        let extract = html::extract(&decoded.text);
        Ok(self.named(Record {
            key: None,
            text: Cow::Owned(extract.text),
            rank: None,
            origin: decoded.same_offsets.then_some(extract.map),
        }))
    }

    fn xml<'a>(&self, raw: &'a [u8]) -> Result<Record<'a>, String> {
        let charset = encoding::xml_encoding(raw);
        let decoded = encoding::markup(raw, charset.as_deref(), false)?;
        let extract = xml::extract(&decoded.text)?;
        Ok(self.named(Record {
            key: None,
            text: Cow::Owned(extract.text),
            rank: None,
            origin: decoded.same_offsets.then_some(extract.map),
        }))
    }

    /// A file that is one text is called by its name.
    fn named<'a>(&self, record: Record<'a>) -> Record<'a> {
        let key = (!self.fields.renumber).then(|| Key::from_text(&self.name));
        Record { key, ..record }
    }
}
