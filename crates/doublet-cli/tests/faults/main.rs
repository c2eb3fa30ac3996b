//! Every command that writes, while files fail under it: a full disk, a failing read, write or sync, no file handles, a temporary
//! directory that vanishes, a request to end at any moment.
//!
//! A test runs its command once as it should be and counts the operations on files; then again and again, each time with one of
//! them struck, in a process of its own (`child`), and holds what came of it against the laws in `laws`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod case;
mod child;
#[path = "../it/harness.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod harness;
mod index_kills;
mod indexes;
mod laws;
mod live;
mod outputs;
mod real;
mod resume;
mod signals;
#[path = "../../../doublet/tests/it/wait.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod wait;
