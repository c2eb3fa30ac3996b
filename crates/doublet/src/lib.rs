//! Finds exact, near and partial duplicates in collections of text, and says why each pair is one.
//!
//! The stages are modules, in the order of the data flow: [`read`] → [`normalize`] → [`segment`] →
//! [`fingerprint`] → [`candidates`] → [`verify`] → [`cluster`] → [`report`]. [`prepare`] is one document up to its
//! fingerprints, [`batch`] is the join of a collection, [`mod@index`] keeps sources on disk,
//! [`eval`] judges what was found, [`audit`] what was removed, [`kernel`] is the join as the tasks of a cluster run it.

pub mod advise;
pub mod audit;
pub mod batch;
pub mod candidates;
pub mod cluster;
pub mod dedup;
pub mod document;
pub mod error;
pub mod eval;
pub mod explain;
mod fenced;
#[doc(hidden)]
pub mod files;
pub mod fingerprint;
pub mod index;
pub mod kernel;
pub mod method;
pub mod normalize;
pub mod options;
mod parallel;
mod passages;
pub mod prepare;
pub mod progress;
mod random;
pub mod read;
pub mod report;
pub mod segment;
pub mod sentences;
#[doc(hidden)]
pub mod signals;
pub mod simhash;
pub mod sketch;
pub mod terms;
pub mod threshold;
pub mod verify;

pub use document::{DocId, Key};
pub use error::{Error, Result};
