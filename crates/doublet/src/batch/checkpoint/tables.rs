//! The tables of a run as columns of a state.

use super::state::{StateReader, StateWriter};
use crate::error::Result;
use crate::matches::{CandidatePair, Identical, Verified};
use crate::matches::{Documents, Rank, State, Strings};
use crate::read::{Place, Rejection};

impl Documents {
    /// Adds the table to a state.
    pub(crate) fn save(&self, state: &mut StateWriter) -> Result<()> {
        state.number(u64::from(self.references))?;
        state.number(u64::from(self.renumbered))?;
        state.number(self.bytes)?;
        state.column(self.places.iter().map(|place| place.file))?;
        state.column(self.places.iter().map(|place| place.length))?;
        state.column(self.places.iter().map(|place| place.offset))?;
        state.column(self.places.iter().map(|place| place.line))?;
        state.column(self.states.iter().map(|state| *state as u8))?;
        state.numbers(&self.tokens)?;
        state.numbers(&self.distinct)?;
        state.numbers(&self.boilerplate)?;
        state.numbers(&self.weights)?;
        save_ranks(&self.ranks, state)?;
        self.keys.save(state)?;
        save_rejections(&self.rejections, state)
    }

    /// The table at the beginning of a state.
    pub(crate) fn restore(state: &mut StateReader) -> Result<Self> {
        let references = state.number()?;
        let renumbered = state.number()? != 0;
        let bytes = state.number()?;
        let places = restore_places(state)?;
        let count = places.len();
        state.ensure(references <= count as u64 && count < u32::MAX as usize)?;
        let documents = Self {
            places,
            states: restore_states(state, count)?,
            tokens: state.column_of(count)?,
            distinct: state.column_of(count)?,
            // What they tell is in the table of copies.
            identities: Vec::new(),
            boilerplate: state.column()?,
            weights: state.column()?,
            ranks: restore_ranks(state)?,
            keys: Strings::restore(state)?,
            rejections: restore_rejections(state, count)?,
            references: references as u32,
            renumbered,
            bytes,
        };
        let all_or_none = |len: usize| len == 0 || len == count;
        state.ensure(
            documents.keys.len() == count
                && all_or_none(documents.boilerplate.len())
                && all_or_none(documents.weights.len())
                && all_or_none(documents.ranks.len()),
        )?;
        Ok(documents)
    }
}

impl Identical {
    /// Adds the table of copies to a state.
    pub(crate) fn save(&self, state: &mut StateWriter) -> Result<()> {
        state.numbers(&self.first)
    }

    /// The table of copies among so many texts.
    pub(crate) fn restore(state: &mut StateReader, texts: usize) -> Result<Self> {
        let first: Vec<u32> = state.column_of(texts)?;
        let is_first = |text: u32| first.get(text as usize) == Some(&text);
        let stands_before = |(text, &first): (u32, &u32)| first <= text && is_first(first);
        state.ensure((0..).zip(&first).all(stands_before))?;
        Ok(Self::of_firsts(first))
    }
}

fn restore_places(state: &mut StateReader) -> Result<Vec<Place>> {
    let files: Vec<u32> = state.column()?;
    let lengths: Vec<u32> = state.column_of(files.len())?;
    let offsets: Vec<u64> = state.column_of(files.len())?;
    let lines: Vec<u64> = state.column_of(files.len())?;
    let places = (0..files.len()).map(|index| Place {
        file: files[index],
        length: lengths[index],
        offset: offsets[index],
        line: lines[index],
    });
    Ok(places.collect())
}

fn restore_states(state: &mut StateReader, count: usize) -> Result<Vec<State>> {
    let bytes: Vec<u8> = state.column_of(count)?;
    let known = [State::Rejected, State::Empty, State::Text];
    let states = bytes.iter().map(|&byte| known.get(byte as usize).copied());
    let states: Option<Vec<State>> = states.collect();
    states.ok_or_else(|| state.damaged())
}

impl Strings {
    fn save(&self, state: &mut StateWriter) -> Result<()> {
        state.numbers(self.bytes.as_bytes())?;
        state.column(self.ends.iter().map(|&end| end as u64))
    }

    fn restore(state: &mut StateReader) -> Result<Self> {
        let bytes = String::from_utf8(state.column()?).map_err(|_| state.damaged())?;
        let ends: Vec<u64> = state.column()?;
        let ends: Vec<usize> = ends.into_iter().map(|end| end as usize).collect();
        let in_order = ends.is_sorted() && ends.iter().all(|&end| bytes.is_char_boundary(end));
        state.ensure(in_order && ends.last().copied().unwrap_or(0) == bytes.len())?;
        Ok(Self { bytes, ends })
    }

    /// These strings, one after the other.
    fn of<'a>(strings: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        strings.for_each(|string| all.push(string));
        all
    }
}

/// What a rank is, as a byte of its column.
const NONE: u8 = 0;
const NUMBER: u8 = 1;
const TEXT: u8 = 2;

fn save_ranks(ranks: &[Option<Rank>], state: &mut StateWriter) -> Result<()> {
    state.column(ranks.iter().map(|rank| match rank {
        None => NONE,
        Some(Rank::Number(_)) => NUMBER,
        Some(Rank::Text(_)) => TEXT,
    }))?;
    state.column(ranks.iter().map(|rank| match rank {
        Some(Rank::Number(number)) => *number,
        _ => 0.0,
    }))?;
    let texts = ranks.iter().filter_map(|rank| match rank {
        Some(Rank::Text(text)) => Some(&**text),
        _ => None,
    });
    Strings::of(texts).save(state)
}

fn restore_ranks(state: &mut StateReader) -> Result<Vec<Option<Rank>>> {
    let kinds: Vec<u8> = state.column()?;
    let numbers: Vec<f64> = state.column_of(kinds.len())?;
    let texts = Strings::restore(state)?;
    let is_text = |kind: &&u8| **kind == TEXT;
    state.ensure(kinds.iter().filter(is_text).count() == texts.len())?;
    let mut text = 0;
    let ranks = kinds.iter().zip(numbers).map(|(&kind, number)| match kind {
        NONE => None,
        NUMBER => Some(Rank::Number(number)),
        _ => {
            text += 1;
            Some(Rank::Text(texts.get(text - 1).into()))
        }
    });
    state.ensure(kinds.iter().all(|&kind| kind <= TEXT))?;
    Ok(ranks.collect())
}

fn save_rejections(rejections: &[(u32, Rejection)], state: &mut StateWriter) -> Result<()> {
    state.column(rejections.iter().map(|(text, _)| *text))?;
    state.column(rejections.iter().map(|(_, rejection)| rejection.line))?;
    let all = || rejections.iter().map(|(_, rejection)| rejection);
    Strings::of(all().map(|rejection| rejection.file.as_str())).save(state)?;
    Strings::of(all().map(|rejection| rejection.reason.as_str())).save(state)
}

fn restore_rejections(state: &mut StateReader, count: usize) -> Result<Vec<(u32, Rejection)>> {
    let texts: Vec<u32> = state.column()?;
    let lines: Vec<u64> = state.column_of(texts.len())?;
    let files = Strings::restore(state)?;
    let reasons = Strings::restore(state)?;
    let whole = files.len() == texts.len() && reasons.len() == texts.len();
    state.ensure(whole && texts.iter().all(|&text| (text as usize) < count))?;
    let rejections = (0..texts.len()).map(|index| {
        let rejection = Rejection {
            file: files.get(index).to_owned(),
            line: lines[index],
            reason: reasons.get(index).to_owned(),
        };
        (texts[index], rejection)
    });
    Ok(rejections.collect())
}

impl StateWriter {
    /// Adds a list of strings.
    pub(crate) fn strings(&mut self, strings: &[String]) -> Result<()> {
        Strings::of(strings.iter().map(String::as_str)).save(self)
    }

    /// Adds candidates.
    pub(crate) fn pairs(&mut self, pairs: &[CandidatePair]) -> Result<()> {
        self.column(pairs.iter().map(|pair| pair.a))?;
        self.column(pairs.iter().map(|pair| pair.b))
    }

    /// Adds matches.
    pub(crate) fn verified(&mut self, matches: &[Verified]) -> Result<()> {
        self.column(matches.iter().map(|pair| pair.a))?;
        self.column(matches.iter().map(|pair| pair.b))?;
        self.column(matches.iter().map(|pair| pair.common))?;
        self.column(matches.iter().map(|pair| pair.covered_a))?;
        self.column(matches.iter().map(|pair| pair.covered_b))?;
        self.column(matches.iter().map(|pair| pair.compared))?;
        self.column(matches.iter().map(|pair| pair.weight))
    }
}

impl StateReader {
    /// A list of strings.
    pub(crate) fn strings(&mut self) -> Result<Vec<String>> {
        let all = Strings::restore(self)?;
        Ok((0..all.len())
            .map(|index| all.get(index).to_owned())
            .collect())
    }

    /// Candidates among so many texts.
    pub(crate) fn pairs(&mut self, texts: usize) -> Result<Vec<CandidatePair>> {
        let a: Vec<u32> = self.column()?;
        let b: Vec<u32> = self.column_of(a.len())?;
        let pairs = a.into_iter().zip(b);
        let pairs: Vec<CandidatePair> = pairs.map(|(a, b)| CandidatePair { a, b }).collect();
        let among = |pair: &CandidatePair| pair.a < pair.b && (pair.b as usize) < texts;
        self.ensure(pairs.iter().all(among))?;
        Ok(pairs)
    }

    /// Matches among so many texts.
    pub(crate) fn verified(&mut self, texts: usize) -> Result<Vec<Verified>> {
        let a: Vec<u32> = self.column()?;
        let b: Vec<u32> = self.column_of(a.len())?;
        let common: Vec<u32> = self.column_of(a.len())?;
        let covered_a: Vec<u32> = self.column_of(a.len())?;
        let covered_b: Vec<u32> = self.column_of(a.len())?;
        let compared: Vec<u32> = self.column_of(a.len())?;
        let weight: Vec<u64> = self.column_of(a.len())?;
        let matches = (0..a.len()).map(|index| Verified {
            a: a[index],
            b: b[index],
            common: common[index],
            covered_a: covered_a[index],
            covered_b: covered_b[index],
            compared: compared[index],
            weight: weight[index],
        });
        let matches: Vec<Verified> = matches.collect();
        let among = |pair: &Verified| pair.a < pair.b && (pair.b as usize) < texts;
        self.ensure(matches.iter().all(among))?;
        Ok(matches)
    }
}
