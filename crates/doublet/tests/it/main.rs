//! The library from outside: one binary, one file a subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod harness;
mod index;
mod join;
mod options;
mod passages;
mod sentences;
mod terms;
mod truth_table;
