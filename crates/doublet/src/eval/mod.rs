//! Judges what was found by what people know: labelled pairs, clusters, copied texts.
//!
//! A [`Truth`] is a file of labels. A [`Judge`] is that truth laid over the records of a run, or what another run found. It measures what
//! a run [`Found`]: precision, recall and F1 of the pairs, the fit of the clusters, each with an interval from drawing the labelled
//! units again, on all of the truth or on one [`Half`] of it. `errors` picks the errors to look at,
//! [`tune`] fits the weights of terms to labelled pairs.

mod baseline;
mod bootstrap;
mod errors;
mod found;
mod judge;
mod measures;
mod rows;
mod setting;
mod tally;
mod targets;
mod truth;
pub mod tune;

pub use baseline::{complete, shares_threshold};
pub use bootstrap::Measure;
pub use errors::{Mistake, Mistakes};
pub use found::ForeignPairs;
pub use judge::{Facts, Half, Judge, JudgeOptions, JudgedPair, Unlabelled};
pub use measures::{ClusterQuality, Quality, WholeQuality};
pub use setting::{Cut, SettingQuality};
pub use tally::{Found, Measures};
pub use targets::{CheckedTarget, DocumentQuality, TargetJudge};
pub use truth::{Truth, TruthOptions};
