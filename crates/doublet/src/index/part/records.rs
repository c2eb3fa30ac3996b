//! Postings, as they are handed about, held in memory and stored.

/// What leads from a key to a document. Ordered by key, then document, then position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    /// The key, best a uniform hash.
    pub(crate) key: u128,
    /// The document's number in its part.
    pub(crate) document: u32,
    /// Where in the document.
    pub(crate) position: u32,
}

/// What a part keeps of its postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// All of them: 24 bytes.
    Full,
    /// The low 64 bits of the key and the document: 12 bytes. Positions read as 0, the high 64 bits of a key too.
    Short,
}

impl Width {
    /// Bytes of a stored posting.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Width::Full => 24,
            Width::Short => 12,
        }
    }

    /// Bytes of a stored key.
    pub(super) const fn key_bytes(self) -> usize {
        match self {
            Width::Full => 16,
            Width::Short => 8,
        }
    }

    /// What is kept of a key.
    #[inline]
    pub(super) fn kept(self, key: u128) -> u128 {
        match self {
            Width::Full => key,
            Width::Short => u128::from(key as u64),
        }
    }

    /// How far a key is on the way from the least to the greatest, in units of 2⁻⁶⁴.
    #[inline]
    pub(super) fn scaled(self, key: u128) -> f64 {
        match self {
            Width::Full => (key >> 64) as u64 as f64,
            Width::Short => key as u64 as f64,
        }
    }

    /// Appends a posting as it is stored.
    #[inline]
    pub(super) fn encode(self, posting: Posting, out: &mut Vec<u8>) {
        self.encode_key(posting.key, out);
        out.extend_from_slice(&posting.document.to_le_bytes());
        if self == Width::Full {
            out.extend_from_slice(&posting.position.to_le_bytes());
        }
    }

    /// Appends a key as it is stored.
    #[inline]
    pub(super) fn encode_key(self, key: u128, out: &mut Vec<u8>) {
        out.extend_from_slice(&key.to_le_bytes()[..self.key_bytes()]);
    }

    /// The key at the front of a stored posting or key; 0 if there are too few bytes.
    #[inline]
    pub(super) fn decode_key(self, bytes: &[u8]) -> u128 {
        match self {
            Width::Full => bytes
                .first_chunk()
                .map_or(0, |bytes| u128::from_le_bytes(*bytes)),
            Width::Short => bytes
                .first_chunk()
                .map_or(0, |bytes| u128::from(u64::from_le_bytes(*bytes))),
        }
    }

    /// A stored posting; zeros where there are too few bytes.
    #[inline]
    pub(super) fn decode(self, bytes: &[u8]) -> Posting {
        let number = |at| {
            let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        match self {
            Width::Full => Posting {
                key: self.decode_key(bytes),
                document: number(16),
                position: number(20),
            },
            Width::Short => Posting {
                key: self.decode_key(bytes),
                document: number(8),
                position: 0,
            },
        }
    }
}

/// A posting in memory, in 24 bytes instead of the 32 that a `u128` makes of it. Ordered like [`Posting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Long {
    high: u64,
    low: u64,
    pub(super) document: u32,
    position: u32,
}

impl From<Posting> for Long {
    fn from(posting: Posting) -> Self {
        Self {
            high: (posting.key >> 64) as u64,
            low: posting.key as u64,
            document: posting.document,
            position: posting.position,
        }
    }
}

impl From<Long> for Posting {
    fn from(long: Long) -> Self {
        Self {
            key: u128::from(long.high) << 64 | u128::from(long.low),
            document: long.document,
            position: long.position,
        }
    }
}

/// A short posting in memory, in 12 bytes. Ordered like [`Posting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Brief {
    high: u32,
    low: u32,
    pub(super) document: u32,
}

impl Brief {
    pub(super) fn new(key: u64, document: u32) -> Self {
        Self {
            high: (key >> 32) as u32,
            low: key as u32,
            document,
        }
    }
}

impl From<Posting> for Brief {
    fn from(posting: Posting) -> Self {
        Self::new(posting.key as u64, posting.document)
    }
}

impl From<Brief> for Posting {
    fn from(brief: Brief) -> Self {
        Self {
            key: u128::from(brief.high) << 32 | u128::from(brief.low),
            document: brief.document,
            position: 0,
        }
    }
}

/// Postings in memory, as small as their width allows.
#[derive(Debug)]
pub(super) enum Held {
    Full(Vec<Long>),
    Short(Vec<Brief>),
}

impl Held {
    pub(super) fn new(width: Width) -> Self {
        match width {
            Width::Full => Self::Full(Vec::new()),
            Width::Short => Self::Short(Vec::new()),
        }
    }

    pub(super) fn extend(&mut self, postings: impl Iterator<Item = Posting>) {
        match self {
            Self::Full(held) => held.extend(postings.map(Long::from)),
            Self::Short(held) => held.extend(postings.map(Brief::from)),
        }
    }

    /// Takes over others, whose documents count from `first`.
    pub(super) fn append(&mut self, mut others: Self, first: u32) {
        match &mut others {
            Self::Full(others) => others.iter_mut().for_each(|one| one.document += first),
            Self::Short(others) => others.iter_mut().for_each(|one| one.document += first),
        }
        match (self, others) {
            (Self::Full(held), Self::Full(others)) => join(held, others),
            (Self::Short(held), Self::Short(others)) => join(held, others),
            (held, Self::Full(others)) => held.extend(others.into_iter().map(Posting::from)),
            (held, Self::Short(others)) => held.extend(others.into_iter().map(Posting::from)),
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Full(held) => size_of_val(held.as_slice()),
            Self::Short(held) => size_of_val(held.as_slice()),
        };
        bytes as u64
    }
}

/// Appends without a copy where there is nothing yet: of one very long text the postings are most of the memory.
fn join<T>(held: &mut Vec<T>, mut others: Vec<T>) {
    match held.is_empty() {
        true => *held = others,
        false => held.append(&mut others),
    }
}

/// Fewer records than this are not worth a thread.
const FEW: usize = 1 << 15;

/// Sorts records, in place and on several threads: the lesser share goes to the front, and either side is sorted alone.
pub(super) fn sort<T: Ord + Send>(records: &mut [T], threads: usize) {
    if threads < 2 || records.len() < FEW {
        records.sort_unstable();
        return;
    }
    let half = threads / 2;
    let cut = (records.len() as u128 * half as u128 / threads as u128) as usize;
    records.select_nth_unstable(cut);
    let (lesser, greater) = records.split_at_mut(cut);
    std::thread::scope(|scope| {
        scope.spawn(|| sort(lesser, half));
        sort(greater, threads - half);
    });
}
