//! Sorted records in pages, with the first key of each page aside: written once, found by key.
//!
//! Keys are best uniform hashes: a key then tells about where it stands. A search guesses the page by its first key, corrects
//! the guess by how far off it was, and ends by galloping from there, so that it takes O(log n) steps on any keys. Then the
//! same in the page.

use std::ops::Range;

use super::records::{Posting, Width};
use crate::error::Result;
use crate::index::checked::{CheckedFile, CheckedWriter, PAGE};

/// How often a guess is corrected. For uniform keys each time takes the square root of the error.
const CORRECTIONS: usize = 3;
/// Bytes of a page that are compared at once.
const WINDOW: usize = 384;

/// Where a table lies in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) width: Width,
    pub(super) count: u64,
    pub(super) pages_at: u64,
    pub(super) keys_at: u64,
}

/// Records of a page.
const fn per_page(width: Width) -> u64 {
    PAGE / width.bytes() as u64
}

impl Table {
    /// Bytes of the pages of `count` records.
    pub(super) fn bytes(width: Width, count: u64) -> Option<u64> {
        let pages = (count / per_page(width)).checked_mul(PAGE)?;
        pages.checked_add(count % per_page(width) * width.bytes() as u64)
    }

    /// Where the first keys end.
    pub(super) fn keys_end(&self) -> Option<u64> {
        let bytes = self.pages().checked_mul(self.width.key_bytes() as u64)?;
        self.keys_at.checked_add(bytes)
    }

    /// Records of a page.
    #[inline]
    pub(super) fn per_page(&self) -> u64 {
        // Two constants, so that no division is left in the search.
        match self.width {
            Width::Full => const { per_page(Width::Full) },
            Width::Short => const { per_page(Width::Short) },
        }
    }

    /// Number of pages.
    pub(super) fn pages(&self) -> u64 {
        self.count.div_ceil(self.per_page())
    }

    /// The records of a page, without its padding.
    #[inline]
    fn page<'f>(&self, file: &'f CheckedFile, page: u64) -> Result<&'f [u8]> {
        let before = page * self.per_page();
        let records = self.per_page().min(self.count.saturating_sub(before));
        let start = self.pages_at + page * PAGE;
        file.bytes(start..start + records * self.width.bytes() as u64)
    }

    /// The first key of a page, by the table of first keys.
    #[inline]
    pub(super) fn first_key(&self, file: &CheckedFile, page: u64) -> Result<u128> {
        let bytes = self.width.key_bytes() as u64;
        let start = self.keys_at + page * bytes;
        Ok(self.width.decode_key(file.bytes(start..start + bytes)?))
    }

    /// One record.
    #[inline]
    pub(super) fn record(&self, file: &CheckedFile, number: u64) -> Result<Posting> {
        if number >= self.count {
            return Err(file.damaged("a record it does not have"));
        }
        let page = self.page(file, number / self.per_page())?;
        let at = (number % self.per_page()) as usize * self.width.bytes();
        Ok(self.width.decode(&page[at..]))
    }

    /// Records in order.
    pub(super) fn records<'f>(&self, file: &'f CheckedFile, range: Range<u64>) -> Records<'f> {
        Records {
            table: *self,
            file,
            range,
            page: &[],
        }
    }

    /// The numbers of the records with this key.
    #[inline]
    pub(super) fn find(&self, file: &CheckedFile, key: u128) -> Result<Range<u64>> {
        let key = self.width.kept(key);
        let start = self.first_from(file, key)?;
        if start == self.count || self.record(file, start)?.key != key {
            return Ok(start..start);
        }
        let above = |number| Ok(self.record(file, number)?.key > key);
        Ok(start..gallop_up(start, self.count, above)?)
    }

    /// The first record whose key is not below `key`.
    #[inline]
    fn first_from(&self, file: &CheckedFile, key: u128) -> Result<u64> {
        let pages = self.first_page_from(file, key)?;
        // The page before is the last that begins below the key.
        let Some(number) = pages.checked_sub(1) else {
            return Ok(0);
        };
        let scaled = |key| self.width.scaled(key);
        let begin = scaled(self.first_key(file, number)?);
        let end = match pages < self.pages() {
            true => scaled(self.first_key(file, pages)?),
            false => 2f64.powi(64),
        };
        let share = (scaled(key) - begin) / (end - begin);
        let within = self.first_in_page(self.page(file, number)?, key, share)?;
        Ok(number * self.per_page() + within)
    }

    /// The first page whose first key is not below `key`.
    #[inline]
    fn first_page_from(&self, file: &CheckedFile, key: u128) -> Result<u64> {
        let Some(last) = self.pages().checked_sub(1) else {
            return Ok(0);
        };
        let density = (last + 1) as f64 / 2f64.powi(64);
        let goal = self.width.scaled(key);
        // A cast from floating point stops at the ends of the numbers.
        let mut here = ((goal * density) as u64).min(last);
        let mut found = self.first_key(file, here)?;
        for _ in 0..CORRECTIONS {
            let off = (goal - self.width.scaled(found)) * density;
            let next = ((here as f64 + off) as u64).min(last);
            if next == here {
                break;
            }
            here = next;
            found = self.first_key(file, here)?;
        }
        let from = |page| Ok(self.first_key(file, page)? >= key);
        if found >= key {
            gallop_down(here, from)
        } else {
            gallop_up(here, last + 1, from)
        }
    }

    /// The first record of a page whose key is not below `key`, looked for where `share` of the page is before it. All of a
    /// small window is compared, for a processor fetches what lies side by side at once.
    #[inline]
    fn first_in_page(&self, page: &[u8], key: u128, share: f64) -> Result<u64> {
        let (width, bytes) = (self.width, self.width.bytes());
        let count = page.len() / bytes;
        let reach = WINDOW / bytes / 2;
        let guess = ((share * count as f64) as usize).min(count);
        let low = guess.saturating_sub(reach);
        let high = (guess + reach).min(count);
        let window = page[low * bytes..high * bytes].chunks_exact(bytes);
        let below = window
            .map(|record| usize::from(width.decode_key(record) < key))
            .sum::<usize>();
        let from = |record| Ok(width.decode_key(&page[record as usize * bytes..]) >= key);
        if below == 0 && low > 0 {
            gallop_down(low as u64, from)
        } else if low + below == high && high < count {
            gallop_up(high as u64 - 1, count as u64, from)
        } else {
            Ok((low + below) as u64)
        }
    }
}

/// The first number of `below..end` for which `is` holds, where it does not hold for `below` and holds from some number on.
#[inline]
fn gallop_up(below: u64, end: u64, is: impl Fn(u64) -> Result<bool>) -> Result<u64> {
    let (mut low, mut step) = (below, 1);
    while step < end - low {
        if is(low + step)? {
            return bisect(low + 1, low + step, is);
        }
        low += step;
        step *= 2;
    }
    bisect(low + 1, end, is)
}

/// The first number up to `holds` for which `is` holds, where it holds for `holds` and from some number on.
#[inline]
fn gallop_down(holds: u64, is: impl Fn(u64) -> Result<bool>) -> Result<u64> {
    let (mut high, mut step) = (holds, 1);
    while step <= high {
        if !is(high - step)? {
            return bisect(high - step + 1, high, is);
        }
        high -= step;
        step *= 2;
    }
    bisect(0, high, is)
}

/// The first number from `low` on for which `is` holds, where it holds for `high` and what is beyond.
#[inline]
fn bisect(mut low: u64, mut high: u64, is: impl Fn(u64) -> Result<bool>) -> Result<u64> {
    while low < high {
        let middle = low + (high - low) / 2;
        if is(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

/// Records of a table, in order. After an error it ends.
#[derive(Debug)]
pub(crate) struct Records<'f> {
    table: Table,
    file: &'f CheckedFile,
    range: Range<u64>,
    /// What is left of the page that was last read.
    page: &'f [u8],
}

impl Iterator for Records<'_> {
    type Item = Result<Posting>;

    #[inline]
    fn next(&mut self) -> Option<Result<Posting>> {
        if self.range.is_empty() {
            return None;
        }
        let width = self.table.width;
        if self.page.len() < width.bytes()
            && let Err(error) = self.turn()
        {
            self.range = 0..0;
            return Some(Err(error));
        }
        let posting = width.decode(self.page);
        self.page = self.page.get(width.bytes()..).unwrap_or_default();
        self.range.start += 1;
        Some(Ok(posting))
    }
}

impl Records<'_> {
    /// Reads the page of the next record.
    fn turn(&mut self) -> Result<()> {
        let number = self.range.start;
        if number >= self.table.count {
            return Err(self.file.damaged("a record it does not have"));
        }
        let page = self.table.page(self.file, number / self.table.per_page())?;
        let skipped = (number % self.table.per_page()) as usize * self.table.width.bytes();
        self.page = page.get(skipped..).unwrap_or_default();
        Ok(())
    }
}

/// Writes a table: first the pages, then the keys they begin with.
#[derive(Debug)]
pub(super) struct TableWriter {
    width: Width,
    count: u64,
    page: Vec<u8>,
    keys: Vec<u8>,
}

impl TableWriter {
    pub(super) fn new(width: Width) -> Self {
        Self {
            width,
            count: 0,
            page: Vec::with_capacity(PAGE as usize),
            keys: Vec::new(),
        }
    }

    /// Appends a record that is not before the last.
    #[inline]
    pub(super) fn push(&mut self, posting: Posting, file: &mut CheckedWriter) -> Result<()> {
        if self.is_full() {
            self.page.resize(PAGE as usize, 0);
            file.write(&self.page)?;
            self.page.clear();
        }
        if self.page.is_empty() {
            self.width.encode_key(posting.key, &mut self.keys);
        }
        self.width.encode(posting, &mut self.page);
        self.count += 1;
        Ok(())
    }

    /// Writes the last page; gives the number of records and the first keys, to be written later.
    pub(super) fn finish(mut self, file: &mut CheckedWriter) -> Result<(u64, Vec<u8>)> {
        // A page that no record fits into any more is whole, also if it is the last.
        if self.is_full() {
            self.page.resize(PAGE as usize, 0);
        }
        file.write(&self.page)?;
        Ok((self.count, self.keys))
    }

    fn is_full(&self) -> bool {
        self.page.len() + self.width.bytes() > PAGE as usize
    }
}
