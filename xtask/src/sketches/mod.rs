//! The method `minhash` measured: its sketches against theory, how fast they are made, and what it costs beside
//! `shingles` as collections grow.
//!
//! `figures` is the command; `estimators`, `signing` and `scaling` are its parts, each of which measures, prints and draws.

pub(crate) mod estimators;
pub(crate) mod figures;
mod scaling;
mod signing;
