//! The method `sentences` measured, after the experiments of the paper behind it (Yoon et al., "Detecting Partial and
//! Near Duplication in the Blogosphere").
//!
//! `figures` is the command: table 2, figures 5 to 7, which sources were named, and answers by students that were
//! copied more or less. `tool` runs the tool, `quality` compares what it said with what is known, `plagiarism` is
//! about the students, `show` prints and draws.

pub(crate) mod figures;
pub(crate) mod plagiarism;
mod quality;
pub(crate) mod show;
pub(crate) mod tool;
