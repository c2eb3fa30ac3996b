//! Stage 8, report: what a run leaves behind. [`kept`] writes the records that stay, [`html`] a page to look at.

pub mod html;
pub mod kept;
mod kept_parquet;
