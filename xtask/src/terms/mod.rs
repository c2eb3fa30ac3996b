//! The method `terms` measured, after the experiments of the paper behind it (Gong et al., "Detecting Near-Duplicates
//! in Large-Scale Short Text Databases").
//!
//! `scaling` is figures 7 to 10, `figures` is figures 1 to 6 and the two counts about transitivity. `texts` prepares
//! the collections, `finder` runs the tool on them, `recall`, `transitivity` and `precision` compute, `show` prints and draws.

pub(crate) mod figures;
pub(crate) mod finder;
pub(crate) mod precision;
mod recall;
pub(crate) mod scaling;
pub(crate) mod show;
pub(crate) mod texts;
pub(crate) mod transitivity;
