//! Finds exact, near and partial duplicates in collections of text, and says why each pair is one.
//!
//! The stages are modules, in the order of the data flow: [`read`] → [`normalize`] → [`segment`] →
//! [`fingerprint`] → [`candidates`] → [`cluster`] → [`report`]. A [`method`] turns a text into keys and compares two texts;
//! [`batch`] joins a collection, [`mod@index`] keeps sources on disk, [`kernel`] runs the join as the tasks of a cluster.
//! [`eval`] judges what was found, [`audit`] what was removed.

pub mod advise;
pub mod audit;
pub mod batch;
pub mod candidates;
pub mod cluster;
pub mod dedup;
pub mod document;
pub mod error;
pub mod eval;
mod fenced;
#[doc(hidden)]
pub mod files;
pub mod fingerprint;
pub mod hash;
pub mod index;
pub mod kernel;
pub mod matches;
pub mod method;
mod names;
pub mod normalize;
pub mod options;
mod parallel;
mod passages;
pub mod progress;
mod random;
pub mod read;
pub mod report;
pub mod scores;
pub mod segment;
#[doc(hidden)]
pub mod signals;
pub mod sketch;
pub mod threshold;
mod union_find;

pub use document::{DocId, Key};
pub use error::{Error, Result};
