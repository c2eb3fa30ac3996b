//! The commands that may ask a running `doublet serve` instead of an index: reading and printing as ever, the rest over HTTP.

pub(crate) mod check;
pub(crate) mod index;
