//! Finds exact, near and partial duplicates in collections of text, and says why each pair is one.
//!
//! The stages are modules, in the order of the data flow: [`read`] → `normalize` → `segment` → `fingerprint` →
//! `candidates` → `verify` → `cluster` → `report`.

pub mod document;
pub mod error;
pub mod options;
pub mod read;
pub mod report;

pub use document::{DocId, Key};
pub use error::{Error, Result};
