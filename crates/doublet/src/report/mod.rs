//! Stage 8, report: what a run writes.

pub mod kept;
mod kept_parquet;
