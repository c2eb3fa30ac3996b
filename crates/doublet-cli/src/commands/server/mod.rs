//! The commands that may ask a running `doublet serve` instead of an index: reading and printing as ever, the rest over HTTP.

pub(crate) mod check;
pub(crate) mod index;

use anyhow::{Result, ensure};
use doublet::read::Rejection;

/// Where records were rejected, here or by the service, and none was taken, the first of them is an error.
fn expect_taken(taken: u64, rejected: u64, first: Option<&Rejection>) -> Result<()> {
    if let Some(first) = first {
        ensure!(
            taken > 0,
            "not one record was taken ({rejected} rejected); the first is {first}"
        );
    }
    Ok(())
}
