//! What must hold for any input: laws, each a function of bytes that panics when the bytes break it.
//!
//! The fuzz targets in `fuzz/` hand over bytes that they make up, the tests of this crate the seeds they begin with and what was
//! ever found (`fuzz/seeds`, `fuzz/findings`). A law holds a part of doublet against a slow and obvious reference, against itself
//! by another way, or against what it wrote itself. It asks for no network, leaves nothing behind but in the directory for
//! temporary files, and gives the same verdict whenever it is asked.

mod formats;
mod http;
mod index_files;
mod journal;
mod markup;
mod options;
mod reading;
mod sentences;
mod shingles;
mod tables;
mod terms;
mod words;

pub use formats::{delimited, json_lines, packed, parquet, plain, warc};
pub use http::{http_bodies, query_parameters};
pub use index_files::index_files;
pub use journal::journal;
pub use markup::{html, xml};
pub use options::options;
pub use sentences::sentences;
pub use shingles::shingles;
pub use tables::{background_table, truth};
pub use terms::{tagger_model, terms};
pub use words::normalize;

/// A law with its name, which is that of its target.
pub type Law = (&'static str, fn(&[u8]));

/// All laws, in the order of the data flow.
pub const LAWS: &[Law] = &[
    ("json_lines", json_lines),
    ("delimited", delimited),
    ("plain", plain),
    ("html", html),
    ("xml", xml),
    ("warc", warc),
    ("parquet", parquet),
    ("packed", packed),
    ("normalize", normalize),
    ("sentences", sentences),
    ("terms", terms),
    ("tagger_model", tagger_model),
    ("background_table", background_table),
    ("shingles", shingles),
    ("index_files", index_files),
    ("journal", journal),
    ("http_bodies", http_bodies),
    ("query_parameters", query_parameters),
    ("options", options),
    ("truth", truth),
];

/// Lets panics pass that somebody catches: the Parquet reader's own. A fuzzer would end at the first.
pub fn let_caught_panics_pass() {
    std::panic::set_hook(Box::new(|_| {}));
}
