//! The method `terms` measured, after the experiments of the paper behind it (Gong et al., "Detecting Near-Duplicates
//! in Large-Scale Short Text Databases").
//!
//! `scaling` is figures 7 to 10, `figures` is figures 1 to 6 and the two counts about transitivity. `texts` prepares
//! the collections, `finder` runs the tool on them, `recall`, `transitivity` and `precision` compute.

pub(crate) mod figures;
mod finder;
mod precision;
mod recall;
pub(crate) mod scaling;
mod texts;
mod transitivity;
