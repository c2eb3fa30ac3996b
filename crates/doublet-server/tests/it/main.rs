//! Tests of the running service, over sockets. A new test belongs into the file of what it is about:

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

/// Tokens, names, origins, TLS.
mod access;
/// The service says what the library says.
mod agreement;
/// Check-and-add, and reading while writing.
mod concurrency;
/// Documents added, given, listed, removed, streamed.
mod documents;
mod harness;
/// Requests that mean harm, or are broken.
mod hostile;
/// Sizes, numbers, time-outs, overload.
mod limits;
/// Every other route, and what it refuses.
mod routes;
/// Start, end, log, history.
mod running;
#[path = "../../../doublet/tests/it/wait.rs"]
mod wait;
