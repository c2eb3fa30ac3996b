//! `cargo xtask bench --peers`: doublet and five peers on seven collections, into `docs/peers.md` and the README.
//!
//! `texts` gets the collections ready, `answers` judges what was found, `page` writes the tables, `wins` says where a peer
//! is better. Pages are written from the record alone, so that `--redraw` can write them again.

mod answers;
mod lines;
mod page;
mod texts;
mod wins;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::contender::{self, Contender};
use super::peers::{self, Peer};
use super::rounds::{self, Setting, Tools};
use super::{record, setting, threshold};
use crate::doublet::Doublet;
use crate::workspace;

/// The record of all collections, and that of some.
const WHOLE: &str = "peers-all";
const PART: &str = "peers-part";

/// What the whole side by side may be told.
#[derive(clap::Args, Debug)]
#[group(id = "side")]
pub(super) struct Args {
    /// With `--peers` alone: the folder with real text [default: ../shared/data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// With `--peers` alone: these collections only, such as documents-100000 or reuters21578; the page is printed, not written
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// With `--peers` alone: measure nothing, write docs/peers.md and the README's part again from a record
    #[arg(long, value_name = "RECORD")]
    redraw: Option<PathBuf>,
}

/// Measure all on all, keep the record, write the pages.
pub(super) fn run(args: &super::Args) -> Result<()> {
    if let Some(record) = &args.side.redraw {
        return page::write(record);
    }
    let folder = args.doublet.folder()?;
    let (texts, is_whole) = texts::all(args)?;
    ensure!(!texts.is_empty(), "no collection is left to measure on");
    let setting = Setting {
        compare_answers: true,
        ..setting(args)
    };
    let mut contenders = contender::minhash(threshold(args), None);
    contenders.extend(Peer::ALL.map(Contender::Peer));
    let tools = Tools {
        doublet: Some(Doublet::find(&args.doublet)?),
        pythons: peers::environments(&folder, &Peer::ALL)?,
        folder,
    };
    let name = args.name.as_deref();
    let name = name.unwrap_or(if is_whole { WHOLE } else { PART });
    let mut rows: Vec<Value> = Vec::new();
    let mut path = PathBuf::new();
    for text in &texts {
        println!("{}: {} documents", text.name, text.collection.documents);
        let entries = rounds::run(&setting, &tools, &contenders, &text.collection)?;
        rows.extend(answers::rows(&setting, &tools, text, &entries)?);
        // After every collection, for what comes may take long or fail.
        path = record::write(name, &rows, args.doublet.threads)?;
    }
    println!("record: {}", path.display());
    if is_whole {
        return page::write(&path);
    }
    println!("{}", page::page(&path)?);
    println!(
        "Only a part of the collections: no page was written. To write it, add `--redraw {}`.",
        path.strip_prefix(workspace::root())
            .unwrap_or(&path)
            .display()
    );
    Ok(())
}
