//! The library from outside: one binary, one file a subject.

mod harness;
mod join;
mod options;
mod truth_table;
