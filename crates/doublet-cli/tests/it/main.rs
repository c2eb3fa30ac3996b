//! The command line from outside: one binary, one file a subject.

mod dedup;
mod harness;
mod help;
mod inputs;
mod samples;
mod show;
