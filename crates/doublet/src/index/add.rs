//! Adds the records of a collection to an index: workers make entries of blocks, which go into a part in the order of the input.

use std::sync::Arc;

use super::manifest::FileEntry;
use super::model::{Entries, Model};
use super::part::{Batch, PartFacts, PartWriter, Width};
use super::writer::{Change, IndexWriter, write_words};
use super::{Index, open_model};
use crate::batch::scan::{self, Extent};
use crate::batch::{CountOptions, learn_common_words, write_background};
use crate::error::{Result, io_error};
use crate::files;
use crate::method::terms::fallback_language;
use crate::options::Resources;
use crate::parallel::InOrder;
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, Record, Rejection, SourceFile, expect_some};

/// How records are added.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// Threads, memory and the place for temporary files.
    pub resources: Resources,
    /// Stop at the first bad record, and add nothing.
    pub strict: bool,
    /// Number the documents in the order in which they were ever added, instead of using their ids.
    pub renumber: bool,
    /// Commit after so many documents; `None`: once, at the end.
    pub commit_every: Option<u64>,
}

/// What became of the records.
#[derive(Clone, Debug, Default)]
pub struct Added {
    /// Records that were read.
    pub read: u64,
    /// Documents that were added.
    pub added: u64,
    /// Documents that one of these replaced: in the index before, or earlier in the same input.
    pub replaced: u64,
    /// Documents without a word among those added; nothing is ever a copy of them.
    pub empty: u64,
    /// Sentences that have a fingerprint.
    pub sentences: u64,
    /// Records that could not be read, in input order.
    pub rejections: Vec<Rejection>,
}

impl IndexWriter {
    /// Adds the records of a collection: all of them or none, unless there are commits on the way. A document replaces the one of
    /// the same id.
    ///
    /// # Errors
    /// When a file or every record cannot be read, a record is bad and `strict` is set, the disk is full or fails, or the observer
    /// cancels. The index is as of the last commit then.
    pub fn add(
        &mut self,
        collection: &Collection,
        options: &AddOptions,
        observer: &dyn Observer,
    ) -> Result<Added> {
        let before = self.index.manifest.commit;
        let added = self.add_all(collection, options, observer);
        // Without a commit the words are not settled either.
        if added.is_err() || self.index.manifest.commit == before {
            self.discard();
        }
        added
    }

    fn add_all(
        &mut self,
        collection: &Collection,
        options: &AddOptions,
        observer: &dyn Observer,
    ) -> Result<Added> {
        self.settle_words(collection, options, observer)?;
        let model = Arc::clone(&self.index.model);
        let (width, texts) = (Model::width(&self.index.options), self.index.options.texts);
        let numbers = options.renumber.then_some(self.index.manifest.added);
        progress::begin(observer, "adding", collection.total_bytes(), Unit::Bytes)?;
        let sink = Sink {
            writer: self,
            options,
            part: None,
            finished: Vec::new(),
            since_commit: 0,
            read_since_commit: 0,
            total: Added::default(),
        };
        let queue = InOrder::new(sink, options.resources.threads);
        scan::scan(
            collection,
            Extent::Whole,
            options.resources.threads,
            observer,
            Entries::default,
            |entries, block| {
                let worker = Worker {
                    collection,
                    model: &model,
                    options,
                    width,
                    texts,
                    numbers,
                };
                queue.guarded(|| worker.block(block, entries, &queue))
            },
        )?;
        let mut sink = queue.into_sink();
        let (all, rejected) = (sink.total.read, &sink.total.rejections);
        let count = rejected.len() as u64;
        expect_some(all - count, count, rejected.first())?;
        let mut files = collection.files().iter();
        files.try_for_each(SourceFile::expect_unchanged)?;
        sink.commit()?;
        Ok(sink.total)
    }

    /// Finds out what the words of the first texts are: which are common, or how often each occurs.
    fn settle_words(
        &mut self,
        collection: &Collection,
        options: &AddOptions,
        observer: &dyn Observer,
    ) -> Result<()> {
        let Index {
            manifest,
            options: settled,
            directory,
            ..
        } = &mut self.index;
        let manifest = Arc::make_mut(manifest);
        let of_terms = settled.matching.weighs_terms();
        // A table says nothing about the language of texts that do not tell theirs.
        let fallback_open = of_terms && manifest.options.fallback.is_none();
        let words_open =
            manifest.words.is_none() && (of_terms || settled.matching.method.unit().is_some());
        if fallback_open {
            let fallback = fallback_language(&settled.matching.terms, [collection].into_iter())?;
            manifest.options.fallback = Some(fallback.code().to_owned());
        }
        if !words_open && !fallback_open {
            return Ok(());
        }
        if words_open && of_terms {
            let name = manifest.new_file("words");
            let path = directory.join(&name);
            let counting = CountOptions {
                method: settled.matching.method,
                normalize: settled.matching.normalize.clone(),
                terms: settled.matching.terms.clone(),
                resources: options.resources.clone(),
                strict: options.strict,
            };
            write_background(Some(collection), &[], &path, &counting, observer)?;
            let bytes = files::read(&path).map_err(io_error("read", &path))?;
            manifest.words = Some(FileEntry::of(name, &bytes));
        } else if words_open {
            let common = learn_common_words(
                collection,
                &settled.matching.normalize,
                settled.matching.sentences.cutoff,
                options.resources.threads,
                observer,
            )?;
            manifest.words = Some(write_words(directory, manifest, common.forms())?);
        }
        self.index.model = Arc::new(open_model(directory, manifest, settled)?);
        Ok(())
    }
}

/// Makes batches of blocks.
struct Worker<'a> {
    collection: &'a Collection,
    model: &'a Model,
    options: &'a AddOptions,
    width: Width,
    texts: bool,
    /// The number of the first document, where they are numbered.
    numbers: Option<u64>,
}

/// What one batch adds, besides documents.
struct Made {
    batch: Batch,
    read: u32,
    empty: u64,
    sentences: u64,
    rejections: Vec<Rejection>,
}

impl Worker<'_> {
    fn block(
        &self,
        block: &Block,
        entries: &mut Entries,
        queue: &InOrder<Sink<'_>, Made>,
    ) -> Result<()> {
        let step = match self.options.commit_every {
            Some(every) => usize::try_from(every).unwrap_or(usize::MAX).max(1),
            None => usize::MAX,
        };
        let mut start = 0;
        while start < block.len() {
            let end = block.len().min(start.saturating_add(step));
            let mut made = Made {
                batch: Batch::new(self.width, self.texts),
                read: (end - start) as u32,
                empty: 0,
                sentences: 0,
                rejections: Vec::new(),
            };
            for found in block.records_in(start..end, self.options.strict) {
                match found? {
                    (index, Ok(record)) => {
                        self.record(block, index, &record, entries, &mut made)?
                    }
                    (_, Err(rejection)) => made.rejections.push(rejection),
                }
            }
            made.batch.finish()?;
            let (first, count) = (block.first + start as u32, made.read);
            queue.send(first, count, made, Sink::append)?;
            start = end;
        }
        Ok(())
    }

    fn record(
        &self,
        block: &Block,
        index: usize,
        record: &Record<'_>,
        entries: &mut Entries,
        made: &mut Made,
    ) -> Result<()> {
        self.model.entries(record, block.raw(index), entries)?;
        made.empty += u64::from(entries.empty);
        made.sentences += entries.sentences;
        let id = self.collection.key_of(block, index, record, self.numbers);
        let (text, keys) = (&record.text, entries.keys.iter());
        made.batch.push(id.as_json(), &entries.facts, text, keys)?;
        entries.end_text(text);
        Ok(())
    }
}

/// Where batches end up, in order.
struct Sink<'w> {
    writer: &'w mut IndexWriter,
    options: &'w AddOptions,
    part: Option<(String, PartWriter)>,
    finished: Vec<(String, PartFacts)>,
    since_commit: u64,
    /// Records, also those that were rejected: they have numbers too.
    read_since_commit: u64,
    total: Added,
}

impl Sink<'_> {
    fn append(&mut self, made: Made) -> Result<()> {
        let documents = u64::from(made.batch.documents());
        self.total.read += u64::from(made.read);
        self.read_since_commit += u64::from(made.read);
        self.total.added += documents;
        self.total.empty += made.empty;
        self.total.sentences += made.sentences;
        self.total.rejections.extend(made.rejections);
        if documents == 0 {
            return Ok(());
        }
        let part = match &mut self.part {
            Some((_, part)) => part,
            none => {
                let index = &mut self.writer.index;
                let file = Arc::make_mut(&mut index.manifest).new_file("part");
                let path = index.directory.join(&file);
                let part = PartWriter::create(&path, Model::width(&index.options))?;
                &mut none.insert((file, part)).1
            }
        };
        part.append(made.batch)?;
        self.since_commit += documents;
        if part.held() > self.options.resources.memory / 2 {
            self.finish_part()?;
        }
        let every = self.options.commit_every;
        if every.is_some_and(|every| self.since_commit >= every) {
            self.commit()?;
        }
        Ok(())
    }

    fn finish_part(&mut self) -> Result<()> {
        if let Some((file, part)) = self.part.take() {
            let facts = part.finish(self.options.resources.threads)?;
            self.finished.push((file, facts));
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.finish_part()?;
        if self.finished.is_empty() {
            return Ok(());
        }
        let mut change = Change::new(&self.writer.index);
        change.manifest.added += self.read_since_commit;
        for (file, facts) in std::mem::take(&mut self.finished) {
            change.add_part(file, &facts)?;
        }
        self.total.replaced += change.killed;
        let manifest = change.finish(&|| false);
        (self.since_commit, self.read_since_commit) = (0, 0);
        self.writer.commit(manifest)
    }
}
