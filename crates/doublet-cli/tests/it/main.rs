//! The command line from outside: one binary, one file a subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod advise;
mod audit;
// What `wc` and the like print differs between systems.
#[cfg(target_os = "linux")]
mod book;
mod check;
mod client;
mod dedup;
mod documentation;
mod eval;
mod harness;
mod help;
#[cfg(unix)]
mod index_obstacles;
mod inputs;
mod library;
mod memory;
mod methods;
mod passages;
mod samples;
#[cfg(unix)]
mod serve_client;
#[cfg(unix)]
mod serve_crash;
mod service;
#[cfg(unix)]
mod serving;
mod show;
mod simhash;
mod sketches;
mod terms;
#[path = "../../../doublet/tests/it/wait.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod wait;
