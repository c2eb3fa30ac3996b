//! Finds exact, near and partial duplicates in collections of text, and says why each pair is one.
//!
//! The stages are modules, in the order of the data flow: [`read`] → [`normalize`] → [`segment`] →
//! [`fingerprint`] → [`candidates`] → [`verify`] → [`cluster`] → [`report`]. [`prepare`] is one document up to its
//! fingerprints, [`batch`] is the join of a collection.

pub mod batch;
pub mod candidates;
pub mod cluster;
pub mod dedup;
pub mod document;
pub mod error;
pub mod explain;
pub mod fingerprint;
pub mod method;
pub mod normalize;
pub mod options;
mod parallel;
pub mod prepare;
pub mod progress;
pub mod read;
pub mod report;
pub mod segment;
pub mod terms;
pub mod threshold;
pub mod verify;

pub use document::{DocId, Key};
pub use error::{Error, Result};
