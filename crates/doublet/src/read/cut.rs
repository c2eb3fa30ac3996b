//! Stage 1, read: from a stream of bytes to the bounds of its records.
//!
//! A cutter is shown the bytes that have been read so far and says where records lie in them and how many bytes it is done
//! with; what is left is shown again, with more behind it. It remembers how far it has looked, so that a line of 200 MB is
//! searched once. Cutting runs under the readers' lock: it finds bounds and decodes nothing.

/// Longest record, in bytes: a longer one does not fit into a [`Place`](super::Place).
pub(super) const MAX_RECORD: u64 = u32::MAX as u64 - 1;

/// Where a record stands in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) start: usize,
    pub(super) len: u32,
    pub(super) line: u64,
}

/// What one call of a cutter found.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    pub(super) bounds: Vec<Bound>,
    /// Records that are rejected as they are cut: index into `bounds`, and why.
    pub(super) faults: Vec<(usize, String)>,
    /// Bytes that need not be shown again.
    pub(super) consumed: usize,
}

impl Cuts {
    /// Adds a record that is rejected.
    pub(super) fn fault(&mut self, start: usize, len: usize, line: u64, reason: String) {
        self.faults.push((self.bounds.len(), reason));
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        self.bounds.push(Bound { start, len, line });
    }
}

/// Cuts one stream.
pub(super) trait Cut: Send {
    /// Looks at `bytes`, which start with the first byte that is not consumed. `end`: nothing follows.
    fn cut(&mut self, bytes: &[u8], end: bool, out: &mut Cuts);

    /// The bytes shown so far were given up in the middle of a record.
    fn forget(&mut self);

    /// Line or number of the record that comes next.
    fn line(&self) -> u64;
}

/// Adds a record, as a rejected one when it is too long.
pub(super) fn push_bound(out: &mut Cuts, start: usize, len: usize, line: u64) {
    match u32::try_from(len) {
        Ok(short) if u64::from(short) <= MAX_RECORD => out.bounds.push(Bound {
            start,
            len: short,
            line,
        }),
        _ => out.fault(start, len, line, too_long()),
    }
}

/// Why a record was given up.
pub(super) fn too_long() -> String {
    "the record is longer than 4 GiB: split it".to_owned()
}

/// Takes off the CR of a CR LF.
pub(super) fn strip_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// One record a line. A line ends at LF alone.
pub(super) struct Lines {
    line: u64,
    scanned: usize,
    /// Whether blank lines are passed over.
    skip_blank: bool,
}

impl Lines {
    pub(super) fn new(skip_blank: bool) -> Self {
        Lines {
            line: 1,
            scanned: 0,
            skip_blank,
        }
    }

    fn push(&mut self, bytes: &[u8], start: usize, end: usize, out: &mut Cuts) {
        let line = strip_cr(&bytes[start..end]);
        if !(self.skip_blank && line.trim_ascii_start().is_empty()) {
            push_bound(out, start, line.len(), self.line);
        }
        self.line += 1;
    }
}

impl Cut for Lines {
    fn cut(&mut self, bytes: &[u8], end: bool, out: &mut Cuts) {
        let mut start = 0;
        let from = self.scanned.min(bytes.len());
        for lf in memchr::memchr_iter(b'\n', &bytes[from..]) {
            self.push(bytes, start, from + lf, out);
            start = from + lf + 1;
        }
        if end && start < bytes.len() {
            self.push(bytes, start, bytes.len(), out);
            start = bytes.len();
        }
        out.consumed = start;
        self.scanned = bytes.len() - start;
    }

    fn forget(&mut self) {
        self.scanned = 0;
    }

    fn line(&self) -> u64 {
        self.line
    }
}

/// One record a file.
#[derive(Default)]
pub(super) struct Whole;

impl Cut for Whole {
    fn cut(&mut self, bytes: &[u8], end: bool, out: &mut Cuts) {
        if end {
            push_bound(out, 0, bytes.len(), 1);
            out.consumed = bytes.len();
        }
    }

    fn forget(&mut self) {}

    fn line(&self) -> u64 {
        1
    }
}
