//! The command line from outside: one binary, one file a subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod dedup;
mod harness;
mod help;
mod inputs;
mod samples;
mod show;
mod terms;
