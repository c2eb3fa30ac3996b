//! Sketches of shingle sets: the keys by which texts meet, and the sample that bands are chosen by.

mod fitted;
pub(crate) mod keys;
pub(crate) mod sample;

pub use fitted::Fitted;
