//! Finds exact, near and partial duplicates in text collections, and shows what each pair shares.
//!
//! ```
//! let texts = [(1, "The same words here."), (2, "The same words, here"), (3, "Other words.")];
//! let unique = doublet::Detector::default().deduplicate(texts)?;
//! assert_eq!(unique.kept().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 3]);
//! # Ok::<(), doublet::Error>(())
//! ```
//!
//! | I want to … | begin with |
//! |---|---|
//! | compare two texts, or find duplicates among texts in memory | [`Detector`] |
//! | choose a method, a metric, a threshold | [`method::MatchOptions`] |
//! | remove duplicates from files | [`dedup::dedup`] |
//! | find all matches in files | [`batch::find_matches`], [`batch::for_each_match`] |
//! | ask again and again whether a text is known | [`index::IndexWriter`], [`index::Checker`] |
//! | run the join on a cluster | [`kernel::Kernel`] |
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
mod detector;
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

pub use detector::{Comparison, Deduplicated, Detector, Found, Pair};
pub use document::{DocId, Key};
pub use error::{Error, Result};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
