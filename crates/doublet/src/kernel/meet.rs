//! Texts that share a key meet: the pairs of each key, added up over the keys of a task.
//!
//! The rows of a key stand side by side. A key that too many texts have may be cut into blocks, each of which has all rows of one
//! bucket of texts, or of two on two sides; then every pair meets in one block. A pair is a candidate when its counts, added up
//! over all tasks, come to the least that it must share.

use hashbrown::HashMap;

use super::Kernel;
use super::plan::Plan;
use super::sentences::SentenceGroups;
use crate::candidates::prefix::least_shared;
use crate::error::Result;
use crate::method::minhash::keys::LeastKeys;
use crate::method::terms::compare::{Bar, Sketch};
use crate::threshold::Threshold;

/// Pairs that are added up before they are handed on.
pub(super) const MOST_PAIRS: usize = 1 << 18;
/// Rows to be handed on, from which on nothing more is met until they are.
const FULL: usize = 1 << 14;
/// The side of a row that meets all rows of its block.
pub const BOTH: u8 = 2;

/// A key of a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeetRow {
    /// The key, or the first half of that of a sentence.
    pub key: u64,
    /// The block that the row is in.
    pub block: i32,
    /// 0 or 1: meets the rows of the other side; [`BOTH`]: all.
    pub side: u8,
    /// The text.
    pub doc: i64,
    /// What goes with the keys of the text.
    pub traits: [u64; 4],
    /// Whether the text probes with this key, where texts meet with a direction.
    pub probe: bool,
    /// The rest of a sentence.
    pub sentence: SentenceRow,
}

/// What a row of a sentence has besides the first half of its key.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentenceRow {
    /// The other half of the key.
    pub rest: u64,
    /// Words of all its occurrences in the text.
    pub words: u32,
    /// How often it stands in the text.
    pub occurrences: u32,
}

/// What came of some meetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Met {
    /// What kind of row it is.
    pub kind: MetKind,
    /// The text of the lesser handle; with a direction the one that probes.
    pub a: i64,
    /// The other.
    pub b: i64,
    /// Keys that they share.
    pub count: u32,
    /// Keys that they must share; 0 for sentences, whose sums decide.
    pub least: u32,
    /// Words of the shared sentences in each text.
    pub words: (u64, u64),
}

/// What a row of meetings says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum MetKind {
    /// Two texts met.
    Pair,
    /// So many words of `a` stand in sentences that occur too often to count.
    Words,
    /// The sentence of the key `a`, `b` is one of those.
    Boilerplate,
}

/// The meetings of one task.
#[derive(Debug)]
pub struct Meet {
    at: Option<(u64, i32)>,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Lists(Box<Lists>),
    Sentences(SentenceGroups),
}

impl Meet {
    /// No meetings yet.
    ///
    /// # Errors
    /// When the recall cannot be reached.
    pub fn new(kernel: &Kernel) -> Result<Self> {
        let options = &kernel.options;
        let threshold = options.threshold;
        let lists = |rule| Way::Lists(Box::new(Lists::new(rule)));
        let way = match &kernel.plan {
            Plan::Prefixes { .. } => lists(Rule::Prefixes(threshold)),
            Plan::Probes { .. } => lists(Rule::Probes),
            // Sizes tell where the texts themselves are compared.
            plan @ Plan::Sketches { .. } => lists(Rule::Sketches(
                (!options.by_sketches()).then_some(threshold),
                plan.least_keys(options)?,
            )),
            Plan::Terms(_) | Plan::Weighed(_) => lists(Rule::Terms(kernel.bar())),
            Plan::Sentences(_) => Way::Sentences(SentenceGroups::new(options.sentences.rule.most)),
        };
        Ok(Self { at: None, way })
    }

    /// Takes in a row; rows of one key and block come one after the other. `out` gets what is to be handed on. `false`: there is
    /// so much of it that it has to be taken away before the row is given again.
    pub fn push(&mut self, row: &MeetRow, out: &mut Vec<Met>) -> bool {
        let at = Some((row.key, row.block));
        if self.at != at {
            if !self.end_group(out) {
                return false;
            }
            self.at = at;
        }
        match &mut self.way {
            Way::Lists(lists) => lists.members.push(Member {
                size: row.traits[0],
                doc: row.doc,
                traits: row.traits,
                side: row.side,
                probe: row.probe,
            }),
            Way::Sentences(groups) => groups.push(row, out),
        }
        true
    }

    /// Hands on what is left; `false` as long as there is more than is handed on at a time.
    pub fn finish(&mut self, out: &mut Vec<Met>) -> bool {
        if !self.end_group(out) {
            return false;
        }
        match &mut self.way {
            Way::Lists(lists) => lists.hand_on(out),
            Way::Sentences(groups) => groups.hand_on(out),
        }
        true
    }

    /// Brings the texts of the key at hand together; `false` as long as it is not done.
    fn end_group(&mut self, out: &mut Vec<Met>) -> bool {
        match &mut self.way {
            Way::Lists(lists) => lists.end_group(out),
            Way::Sentences(groups) => {
                groups.end_group(out);
                true
            }
        }
    }
}

/// A text of the key at hand.
#[derive(Clone, Copy, Debug)]
struct Member {
    size: u64,
    doc: i64,
    traits: [u64; 4],
    side: u8,
    probe: bool,
}

impl Member {
    /// Whether two rows are to meet.
    fn meets(&self, other: &Self) -> bool {
        let apart = self.side != other.side || self.side == BOTH;
        apart && self.doc != other.doc
    }

    /// The numbers of a text of shingles: how many, and the other.
    fn sizes(&self) -> (u32, u32) {
        (self.traits[0] as u32, self.traits[1] as u32)
    }
}

/// Which texts share enough keys.
#[derive(Debug)]
enum Rule {
    Prefixes(Threshold),
    /// Sizes tell unless sketches are compared in place of texts.
    Sketches(Option<Threshold>, LeastKeys),
    Terms(Bar),
    Probes,
}

impl Rule {
    /// The largest size of a text that one of this size, and no larger, can match.
    fn largest(&self, size: u64) -> u64 {
        match self {
            Self::Prefixes(threshold) | Self::Sketches(Some(threshold), _) => {
                threshold.largest(size)
            }
            Self::Terms(bar) if size < u64::MAX => bar.threshold.largest(size),
            _ => u64::MAX,
        }
    }

    /// Keys that two texts must share; `None`: they cannot match whatever they share.
    fn least(&self, a: &Member, b: &Member) -> Option<u32> {
        match self {
            Self::Prefixes(threshold) => Some(least_shared(*threshold, a.sizes(), b.sizes())),
            Self::Sketches(_, least) => Some(least.of(a.sizes(), b.sizes())),
            Self::Terms(bar) => {
                let sketch = |member: &Member| Sketch::of_array(member.traits);
                bar.can_match(&sketch(a), &sketch(b)).then_some(1)
            }
            Self::Probes => None,
        }
    }

    /// Learns what the texts of a key ask for.
    fn know(&mut self, members: &[Member]) {
        if let Self::Sketches(_, least) = self {
            let sketches = members.iter().map(|member| member.sizes().1);
            least.know(sketches.max().unwrap_or(0));
        }
    }
}

/// Texts of the key at hand, and pairs of all keys so far.
#[derive(Debug)]
struct Lists {
    rule: Rule,
    members: Vec<Member>,
    /// So many of them have met those behind them, once the key is at its end.
    done: usize,
    /// Keys that pairs share, and must share.
    pairs: HashMap<(i64, i64), (u32, u32)>,
}

impl Lists {
    fn new(rule: Rule) -> Self {
        Self {
            rule,
            members: Vec::new(),
            done: 0,
            pairs: HashMap::new(),
        }
    }

    /// Brings the texts together, as far as `out` has room; `false` if there are more.
    fn end_group(&mut self, out: &mut Vec<Met>) -> bool {
        let mut members = std::mem::take(&mut self.members);
        if self.done == 0 {
            members.sort_unstable_by_key(|member| (member.size, member.doc));
            self.rule.know(&members);
        }
        while self.done < members.len() && out.len() < FULL {
            match self.rule {
                Rule::Probes => self.probe(&members, out),
                _ => self.meet(&members, out),
            }
            self.done += 1;
        }
        let done = self.done >= members.len();
        if done {
            members.clear();
            self.done = 0;
        }
        self.members = members;
        done
    }

    /// The next text meets those that are no smaller.
    fn meet(&mut self, members: &[Member], out: &mut Vec<Met>) {
        let a = &members[self.done];
        let largest = self.rule.largest(a.size);
        let others = members[self.done + 1..].iter();
        for b in others.take_while(|b| b.size <= largest) {
            if a.meets(b)
                && let Some(least) = self.rule.least(a, b)
            {
                self.add((a.doc.min(b.doc), a.doc.max(b.doc)), least, out);
            }
        }
    }

    /// The next text probes.
    fn probe(&mut self, members: &[Member], out: &mut Vec<Met>) {
        let prober = &members[self.done];
        let others = members.iter().filter(|other| prober.meets(other));
        for other in others.filter(|_| prober.probe) {
            let least = prober.traits[0] as u32;
            self.add((prober.doc, other.doc), least, out);
        }
    }

    fn add(&mut self, pair: (i64, i64), least: u32, out: &mut Vec<Met>) {
        self.pairs.entry(pair).or_insert((0, least)).0 += 1;
        if self.pairs.len() >= MOST_PAIRS {
            self.hand_on(out);
        }
    }

    fn hand_on(&mut self, out: &mut Vec<Met>) {
        let start = out.len();
        out.extend(self.pairs.drain().map(|((a, b), (count, least))| Met {
            kind: MetKind::Pair,
            a,
            b,
            count,
            least,
            words: (0, 0),
        }));
        out[start..].sort_unstable();
    }
}
