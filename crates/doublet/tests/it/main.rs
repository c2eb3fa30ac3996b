//! The library from outside: one binary, one file a subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod harness;
mod join;
mod options;
mod terms;
mod truth_table;
