//! The library from outside: one binary, one file a subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod changed;
mod detector;
mod eval;
mod golden;
mod harness;
mod index;
mod join;
mod kernel;
mod layers;
mod memory;
mod minhash;
mod options;
mod passages;
mod removal;
mod resume;
mod sentences;
mod simhash;
mod terms;
mod truth_table;
