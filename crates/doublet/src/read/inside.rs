//! Doors for the laws in `crates/doublet-laws`, which look closer at reading than its users can. No promise is made about
//! them.

use std::io::Read;
use std::path::Path;

use super::offsets::Extract;
use super::{Collection, OffsetMap, Tables, html, xml};
use crate::error::Result;
use crate::options::ReadOptions;

/// The text of an HTML page, and where it stands in the page.
pub fn html_text(source: &str) -> (String, OffsetMap) {
    let Extract { text, map } = html::extract(source);
    (text, map)
}

/// The text of an XML document, and where it stands in the document, or what is wrong with the document.
///
/// # Errors
/// When it is not well-formed.
pub fn xml_text(source: &str) -> Result<(String, OffsetMap), String> {
    xml::extract(source).map(|Extract { text, map }| (text, map))
}

/// Opens inputs with another standard input.
///
/// # Errors
/// As [`Collection::open`].
pub fn open_with_input(
    inputs: &[String],
    options: &ReadOptions,
    temp_dir: &Path,
    input: &mut dyn Read,
) -> Result<Collection> {
    Collection::open_with(inputs, options, temp_dir, (&Tables::new(), 0), input)
}

/// Sets the bytes of a block for the passes to come.
pub fn set_block_size(collection: &mut Collection, bytes: usize) {
    collection.block_size = bytes;
}
