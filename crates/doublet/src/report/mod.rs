//! Stage 8, report: what a run leaves behind.
//!
//! [`kept`] writes the records that stay, [`pairs`] the similarity matrix, [`html`] a page to look at, [`eval`] one to
//! judge by, with [`chart`]s, [`audit`] one to judge
//! removals on, [`summary`] the figures. Every file appears whole or not at all ([`crate::files::output`]).

pub mod answers;
pub mod audit;
pub mod chart;
pub mod clusters;
pub mod eval;
pub mod html;
pub mod kept;
mod kept_parquet;
pub(crate) mod page;
pub mod pairs;
pub(crate) mod parquet_output;
pub(crate) mod records;
mod score;
pub mod summary;

pub use score::is_below;
