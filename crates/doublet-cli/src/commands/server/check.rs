//! `doublet check --server`: the texts go to a service in batches, and the answers are printed in the order of the input.

use std::io::{BufWriter, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};
use doublet::Key;
use doublet::method::Method;
use doublet::progress::{Observer, Unit};
use doublet::read::{Block, BlockReader, Collection, Record, Rejection};
use serde_json::{Map, Value};

use super::expect_taken;
use crate::args::CheckArguments;
use crate::client::answers::{Asked, Results};
use crate::client::{Client, Limits, Repeat, Request};
use crate::commands::check::{self, Lines, Tally};
use crate::commands::spool_directory;
use crate::console::Console;
use crate::{Status, display};

/// Texts and bytes of a request, at most: small enough that a service answers soon, large enough to pay for the way.
const MOST_TEXTS: usize = 100;
const MOST_BYTES: usize = 1 << 20;

/// Asks whether the service is ready.
pub(crate) fn ping(client: &Client, console: &Console) -> Result<Status> {
    match client.ready()? {
        Ok(()) => Ok(Status::Done),
        Err(reason) => {
            console.warning(&format!("`{}` is not ready: {reason}", client.address()));
            Ok(Status::NotFound)
        }
    }
}

pub(crate) fn run(
    arguments: &CheckArguments,
    client: &Client,
    console: &Console,
) -> Result<Status> {
    console.watch(arguments.resources.quiet);
    let resources = arguments.resources.resolve()?;
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    let read = arguments.read.resolve(None);
    let stats = client.stats()?;
    let method = stats.options["method"].as_str().and_then(Method::from_name);
    let method = method.context("the service has an index by a method that is not known here: use the `doublet` that it was started with")?;
    let collection = console.open(&arguments.inputs, &read, spool.path())?;
    let lines = Lines::new(arguments, console);
    let mut options = arguments.matching.asked(method)?;
    if let Some(top) = lines.top(arguments) {
        options.insert("top".to_owned(), top);
    }
    let asking = Asking {
        client,
        collection: &collection,
        options: &options,
        limits: stats.limits,
        strict: read.strict,
        renumber: read.renumber,
        table: lines.is_table(),
        console,
    };
    console.begin_results();
    let mut out = BufWriter::new(console.styled());
    lines.heading(method, &mut out)?;
    console.stage("checking", collection.total_bytes(), Unit::Bytes);
    let printed = asking.all(resources.threads, &mut out);
    console.finish();
    let (tally, rejections) = printed?;
    out.flush()?;
    expect_taken(tally.texts(), rejections.len() as u64, rejections.first())?;
    if console.speaks(arguments.resources.quiet) {
        display::rejection_list(console, &rejections);
        if lines.is_table() {
            tally.tell(console);
        }
    }
    Ok(tally.status())
}

/// What is asked, of whom, about what.
struct Asking<'a> {
    client: &'a Client,
    collection: &'a Collection,
    options: &'a Map<String, Value>,
    limits: Limits,
    strict: bool,
    renumber: bool,
    table: bool,
    console: &'a Console,
}

/// What came of a block.
#[derive(Default)]
struct Made {
    lines: Vec<u8>,
    duplicates: Vec<bool>,
    rejections: Vec<Rejection>,
}

/// Where blocks are printed, in their order.
struct Printer<'o, W> {
    out: &'o mut W,
    /// Number of the record that is printed next.
    next: u32,
    /// Whether a thread gave up, so that nobody waits for it.
    failed: bool,
    tally: Tally,
    rejections: Vec<Rejection>,
}

impl Asking<'_> {
    /// Asks about all records, a connection a thread.
    fn all(
        &self,
        threads: usize,
        out: &mut (impl Write + Send),
    ) -> Result<(Tally, Vec<Rejection>)> {
        let reader = Mutex::new(self.collection.blocks()?);
        let turn = Turn {
            printer: Mutex::new(Printer {
                out,
                next: 0,
                failed: false,
                tally: Tally::default(),
                rejections: Vec::new(),
            }),
            changed: Condvar::new(),
        };
        let work = || {
            while let Some(block) = self.next(&reader, &turn)? {
                let made = self.block(&block)?;
                turn.print(block.first, block.len() as u32, made)?;
            }
            Ok(())
        };
        let guarded = || work().inspect_err(|_| turn.fail());
        let results: Vec<Result<()>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(guarded)).collect();
            let end = |panic| std::panic::resume_unwind(panic);
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(end))
                .collect()
        });
        first_cause(results)?;
        let printer = turn.printer.into_inner();
        let printer = printer.unwrap_or_else(PoisonError::into_inner);
        Ok((printer.tally, printer.rejections))
    }

    fn next<W>(
        &self,
        reader: &Mutex<BlockReader<'_>>,
        turn: &Turn<'_, W>,
    ) -> Result<Option<Block>> {
        if self.console.cancelled() || turn.lock().failed {
            return Err(doublet::Error::Interrupted.into());
        }
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let before = reader.bytes_read();
        let block = reader.next_block()?;
        self.console
            .advance(reader.bytes_read().saturating_sub(before));
        Ok(block)
    }

    fn block(&self, block: &Block) -> Result<Made> {
        let (mut made, mut batch) = (Made::default(), Batch::new());
        for index in 0..block.len() {
            let record = match block.decode(index) {
                Ok(record) => record,
                Err(rejection) => {
                    self.reject(rejection, &mut made)?;
                    continue;
                }
            };
            if let Err(reason) = self.fits(&record.text) {
                let place = block.place(index);
                let file = self.collection.files().get(place.file as usize);
                let rejection = Rejection {
                    file: file.map_or("?", |file| file.name()).to_owned(),
                    line: place.line,
                    reason,
                };
                self.reject(rejection, &mut made)?;
                continue;
            }
            if batch.is_full(&record.text, self.limits) {
                self.ask(&mut batch, block, &mut made)?;
            }
            batch.push(index, record);
        }
        self.ask(&mut batch, block, &mut made)?;
        Ok(made)
    }

    fn reject(&self, rejection: Rejection, made: &mut Made) -> Result<()> {
        if self.strict {
            return Err(doublet::Error::Strict(rejection.to_string()).into());
        }
        made.rejections.push(rejection);
        Ok(())
    }

    /// Why the service would not take a text.
    fn fits(&self, text: &str) -> Result<(), String> {
        fits(text, self.limits)
    }

    /// Sends a batch, if there is anything in it, and makes lines of the answers.
    fn ask(&self, batch: &mut Batch<'_>, block: &Block, made: &mut Made) -> Result<()> {
        if batch.records.is_empty() {
            return Ok(());
        }
        let body = batch.body(self.options);
        let request = Request {
            method: "POST",
            path: "/v1/check",
            id: None,
            body: Some(("application/json", &body)),
            repeat: Repeat::Safe,
        };
        let answers: Results = self.client.ask(&request, &|| self.console.cancelled())?;
        let answers = answers.results;
        if answers.len() != batch.records.len() {
            bail!(
                "`{}` was asked about {} texts and answers about {}: is it a `doublet serve`?",
                self.client.address(),
                batch.records.len(),
                answers.len()
            );
        }
        for ((index, record), answer) in batch.records.iter().zip(&answers) {
            let asked = Asked {
                id: self.id(block, *index, record),
                record,
                raw: block.raw(*index),
            };
            match self.table {
                true => check::row(&answer.checked(&asked), &mut made.lines),
                false => answer.line(&asked, &mut made.lines),
            }
            made.duplicates.push(answer.duplicate);
        }
        batch.clear();
        Ok(())
    }

    fn id<'r>(&self, block: &Block, index: usize, record: &'r Record<'_>) -> Key<'r> {
        let first = self.renumber.then_some(0);
        self.collection.key_of(block, index, record, first)
    }
}

/// Why a service of these limits would not take a text.
pub(super) fn fits(text: &str, limits: Limits) -> Result<(), String> {
    let bytes = text.len() as u64;
    if bytes > limits.text_bytes {
        return Err(format!(
            "the text has {bytes} bytes and the service takes {} (`doublet serve --max-text`)",
            limits.text_bytes
        ));
    }
    if room(text) as u64 > limits.body_bytes {
        return Err(format!(
            "written as JSON the text has more than the {} bytes of a request that the service takes (`doublet serve --max-body`)",
            limits.body_bytes
        ));
    }
    Ok(())
}

/// The most bytes that a text takes in a request.
fn room(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' => 2,
        ..b' ' => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + 1024
}

/// Texts that are asked about at once.
struct Batch<'b> {
    records: Vec<(usize, Record<'b>)>,
    bytes: usize,
}

impl<'b> Batch<'b> {
    fn new() -> Self {
        Self {
            records: Vec::new(),
            bytes: 0,
        }
    }

    /// Whether one more text would be too much.
    fn is_full(&self, text: &str, limits: Limits) -> bool {
        let most_bytes = (limits.body_bytes as usize).min(MOST_BYTES);
        let most_texts = (limits.batch as usize).min(MOST_TEXTS);
        !self.records.is_empty()
            && (self.records.len() >= most_texts || self.bytes + room(text) > most_bytes)
    }

    fn push(&mut self, index: usize, record: Record<'b>) {
        self.bytes += room(&record.text);
        self.records.push((index, record));
    }

    fn clear(&mut self) {
        self.records.clear();
        self.bytes = 0;
    }

    fn body(&self, options: &Map<String, Value>) -> Vec<u8> {
        let mut body = b"{\"documents\":[".to_vec();
        for (number, (_, record)) in self.records.iter().enumerate() {
            if number > 0 {
                body.push(b',');
            }
            body.extend_from_slice(b"{\"text\":");
            body.extend_from_slice(Key::from_text(&record.text).as_json().as_bytes());
            body.push(b'}');
        }
        body.push(b']');
        for (name, value) in options {
            body.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
        }
        body.push(b'}');
        body
    }
}

/// Blocks are printed one after the other: whoever has one that is not the next waits.
struct Turn<'o, W> {
    printer: Mutex<Printer<'o, W>>,
    changed: Condvar,
}

impl<'o, W> Turn<'o, W> {
    fn lock(&self) -> MutexGuard<'_, Printer<'o, W>> {
        self.printer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self) {
        self.lock().failed = true;
        self.changed.notify_all();
    }
}

impl<W: Write> Turn<'_, W> {
    fn print(&self, first: u32, count: u32, made: Made) -> Result<()> {
        let waiting = |printer: &mut Printer<'_, W>| printer.next != first && !printer.failed;
        let mut printer = self
            .changed
            .wait_while(self.lock(), waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if printer.failed {
            return Err(doublet::Error::Interrupted.into());
        }
        printer.next += count;
        for duplicate in made.duplicates {
            printer.tally.add(duplicate, None);
        }
        printer.rejections.extend(made.rejections);
        let written = printer.out.write_all(&made.lines);
        drop(printer);
        self.changed.notify_all();
        Ok(written?)
    }
}

/// The error that says most: who was interrupted waited for another.
fn first_cause(results: Vec<Result<()>>) -> Result<()> {
    let interrupted = |error: &anyhow::Error| {
        let own = error.downcast_ref::<doublet::Error>();
        matches!(own, Some(doublet::Error::Interrupted))
    };
    let mut errors: Vec<anyhow::Error> = results.into_iter().filter_map(Result::err).collect();
    match errors.iter().position(|error| !interrupted(error)) {
        Some(cause) => Err(errors.swap_remove(cause)),
        None => errors.into_iter().next().map_or(Ok(()), Err),
    }
}
