//! `doublet index add --server` and `index remove --server`.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Context, Result, ensure};
use doublet::Key;
use doublet::progress::{Observer, Unit};
use doublet::read::{Block, Collection, Rejection};
use serde::Deserialize;

use super::check::fits;
use super::expect_taken;
use crate::Status;
use crate::args::{IndexAddArguments, IndexRemoveArguments, positional};
use crate::client::{Client, Limits, Repeat, Request};
use crate::commands::index::{self, Removal};
use crate::commands::spool_directory;
use crate::console::Console;
use crate::display::{self, count, plural};

/// Bytes of a request, about: enough that a service can write at full speed, and no more than it takes.
const REQUEST: usize = 4 << 20;

/// What a service did with a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Taken {
    added: u64,
    replaced: u64,
    empty: u64,
    rejected: Vec<Refused>,
    rejected_count: u64,
}

#[derive(Debug, Deserialize)]
struct Refused {
    line: usize,
    reason: String,
}

/// Lines of JSON on their way.
#[derive(Default)]
struct Load {
    body: Vec<u8>,
    /// File and line of each document, to say which was refused.
    places: Vec<(String, u64)>,
    /// Records that could not be read.
    rejections: Vec<Rejection>,
    /// Bytes of the input that were read for it.
    bytes: u64,
}

pub(crate) fn add(
    arguments: &IndexAddArguments,
    client: &Client,
    console: &Console,
) -> Result<Status> {
    let inputs = positional(arguments.dir.as_deref(), &arguments.inputs)?;
    ensure!(
        !inputs.is_empty(),
        "give the texts to add: `doublet index add --server URL INPUT…`"
    );
    let read = arguments.read.resolve(None);
    ensure!(
        !read.renumber,
        "`--renumber` numbers texts in the order in which they were ever added, which a service does not know: give ids, or choose another `--id-field`"
    );
    console.watch(arguments.resources.quiet);
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    let stats = client.stats()?;
    let collection = console.open(&inputs, &read, spool.path())?;
    let adding = Adding {
        client,
        collection: &collection,
        limits: stats.limits,
        strict: read.strict,
        console,
    };
    console.stage("adding", collection.total_bytes(), Unit::Bytes);
    let (sum, ended) = adding.all();
    console.finish();
    if let Err(error) = ended {
        return Err(match sum.added.added {
            0 => error,
            added => error.context(format!(
                "stopped after {} added, which stay; adding the same again replaces them",
                plural(added, "text")
            )),
        });
    }
    let named = sum.added.rejected.len() as u64;
    let unnamed = sum.added.rejected_count.saturating_sub(named);
    let rejected = sum.rejections.len() as u64 + unnamed;
    expect_taken(sum.added.added, rejected, sum.rejections.first())?;
    if console.speaks(arguments.resources.quiet) {
        let holds = client.stats().map(|stats| stats.documents).ok();
        let (added, replaced, empty) = (sum.added.added, sum.added.replaced, sum.added.empty);
        index::tell_added(console, [added, replaced, empty], holds);
        display::rejection_list(console, &sum.rejections);
        if unnamed > 0 {
            console.remark(&format!("the service refused {} more", count(unnamed)));
        }
    }
    Ok(Status::Done)
}

struct Adding<'a> {
    client: &'a Client,
    collection: &'a Collection,
    limits: Limits,
    strict: bool,
    console: &'a Console,
}

/// What came of all requests.
#[derive(Default)]
struct Sum {
    added: Taken,
    rejections: Vec<Rejection>,
}

impl Adding<'_> {
    /// Adds all records: one thread reads, this one sends, in the order of the input, so that of two texts with the same id the later
    /// stays.
    fn all(&self) -> (Sum, Result<()>) {
        let mut sum = Sum::default();
        let ended = std::thread::scope(|scope| {
            let (send, receive) = sync_channel(1);
            let reader = scope.spawn(move || self.read(&send));
            let sent = self.send_all(receive, &mut sum);
            let read = reader
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            // Where sending failed, reading only found nobody to read for.
            sent.and(read)
        });
        (sum, ended)
    }

    /// Makes loads of all records.
    fn read(&self, send: &SyncSender<Load>) -> Result<()> {
        let most = REQUEST.min(self.limits.body_bytes as usize);
        let mut blocks = self.collection.blocks()?;
        let (mut load, mut before) = (Load::default(), 0);
        loop {
            if self.console.cancelled() {
                return Err(doublet::Error::Interrupted.into());
            }
            let Some(block) = blocks.next_block()? else {
                break;
            };
            load.bytes += blocks.bytes_read() - before;
            before = blocks.bytes_read();
            for index in 0..block.len() {
                let line = self.line(&block, index, &mut load)?;
                let full = !load.body.is_empty() && load.body.len() + line.len() > most;
                if full && send.send(std::mem::take(&mut load)).is_err() {
                    return Ok(());
                }
                if !line.is_empty() {
                    load.body.extend_from_slice(line.as_bytes());
                    load.places.push(self.place(&block, index));
                }
            }
        }
        // Whoever does not listen any more knows why.
        let _gone = send.send(load);
        Ok(())
    }

    /// A record as a line of JSON; nothing if it is rejected.
    fn line(&self, block: &Block, index: usize, load: &mut Load) -> Result<String> {
        let rejection = match block.decode(index) {
            Ok(record) => match fits(&record.text, self.limits) {
                Ok(()) => {
                    let id = self.collection.key_of(block, index, &record, None);
                    let text = Key::from_text(&record.text);
                    let (id, text) = (id.as_json(), text.as_json());
                    return Ok(format!("{{\"id\":{id},\"text\":{text}}}\n"));
                }
                Err(reason) => {
                    let (file, line) = self.place(block, index);
                    Rejection { file, line, reason }
                }
            },
            Err(rejection) => rejection,
        };
        if self.strict {
            return Err(doublet::Error::Strict(rejection.to_string()).into());
        }
        load.rejections.push(rejection);
        Ok(String::new())
    }

    fn place(&self, block: &Block, index: usize) -> (String, u64) {
        let place = block.place(index);
        let file = self.collection.files().get(place.file as usize);
        let name = file.map_or("?", |file| file.name());
        (name.to_owned(), place.line)
    }

    fn send_all(&self, loads: Receiver<Load>, sum: &mut Sum) -> Result<()> {
        for load in loads {
            let Load {
                body,
                places,
                rejections,
                bytes,
            } = load;
            sum.rejections.extend(rejections);
            if !body.is_empty() {
                let taken = self.send(&body)?;
                sum.take(taken, &places);
            }
            self.console.advance(bytes);
        }
        Ok(())
    }

    fn send(&self, body: &[u8]) -> Result<Taken> {
        let path = match self.strict {
            true => "/v1/documents?strict=true",
            false => "/v1/documents",
        };
        let request = Request {
            method: "POST",
            path,
            id: None,
            body: Some(("application/x-ndjson", body)),
            repeat: Repeat::Unknown,
        };
        self.client.ask(&request, &|| self.console.cancelled())
    }
}

impl Sum {
    /// Adds up, and says where a document stood that was refused.
    fn take(&mut self, taken: Taken, places: &[(String, u64)]) {
        self.added.added += taken.added;
        self.added.replaced += taken.replaced;
        self.added.empty += taken.empty;
        self.added.rejected_count += taken.rejected_count;
        for refused in taken.rejected {
            let place = places.get(refused.line.wrapping_sub(1));
            let (file, line) = place.cloned().unwrap_or_default();
            self.rejections.push(Rejection {
                file,
                line,
                reason: refused.reason.clone(),
            });
            self.added.rejected.push(refused);
        }
    }
}

/// What a service says of a removal.
#[derive(Debug, Deserialize)]
struct Removed {
    removed: bool,
}

pub(crate) fn remove(
    arguments: &IndexRemoveArguments,
    client: &Client,
    console: &Console,
) -> Result<Status> {
    let mut names = positional(arguments.dir.as_deref(), &arguments.id)?;
    names.extend(index::listed(arguments.ids.as_deref())?);
    ensure!(
        !names.is_empty(),
        "give the ids of the texts to remove: `doublet index remove --server URL ID…`"
    );
    console.watch(true);
    let mut found = Vec::with_capacity(names.len());
    for name in &names {
        let request = Request {
            method: "DELETE",
            path: "/v1/documents",
            id: Some(name),
            body: None,
            repeat: Repeat::Unknown,
        };
        let removed: Option<Removed> = client
            .ask_for_one(&request, &|| console.cancelled())
            .with_context(|| stopped(&found))?;
        found.push(removed.is_some_and(|removed| removed.removed));
    }
    let removal = Removal {
        names: &names,
        found: &found,
    };
    if console.speaks(arguments.quiet) {
        removal.tell(console, client.stats().map(|stats| stats.documents).ok());
    }
    Ok(removal.status())
}

/// How far a removal came.
fn stopped(found: &[bool]) -> String {
    let removed = found.iter().filter(|found| **found).count() as u64;
    format!("stopped after {} removed", plural(removed, "text"))
}
