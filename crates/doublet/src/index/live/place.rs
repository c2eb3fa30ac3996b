//! Puts parts that were made from a snapshot into the index as it is by now.

use super::super::opened::OpenPart;
use super::super::store::{Stored, same};
use crate::error::Result;

/// How many parts are files: they come first.
pub(super) fn files(parts: &[OpenPart]) -> usize {
    parts.iter().filter(|part| part.entry.is_some()).count()
}

/// The parts of an index after those of an earlier snapshot of it were written: the new part takes the place of those that were in
/// memory, and what died since is dead in it too.
pub(super) fn place_stored(
    now: &[OpenPart],
    before: &[OpenPart],
    stored: &Stored,
) -> Result<Vec<OpenPart>> {
    let was_there = |part: &OpenPart| before.iter().find(|other| same(part, other));
    let new = stored.parts.last().filter(|part| was_there(part).is_none());
    let mut new = new.cloned();
    let mut parts = Vec::with_capacity(now.len());
    let mut held = Vec::new();
    for part in now {
        match was_there(part) {
            Some(earlier) if earlier.entry.is_none() => {
                if let Some(new) = &mut new {
                    kill_all(part, part.dead_since(earlier), new)?;
                }
            }
            // A part without a live document is in no manifest any more.
            Some(_) => {
                let entry = stored.parts.iter().find(|other| same(part, other));
                parts.extend(entry.map(|other| part.with_entry(other.entry.clone())));
            }
            None if part.entry.is_some() => parts.push(part.clone()),
            None => held.push(part.clone()),
        }
    }
    parts.extend(new);
    parts.extend(held);
    Ok(parts)
}

/// The parts of an index with one in the place of several.
pub(super) fn place_merged(
    now: &[OpenPart],
    before: &[OpenPart],
    merged: Option<OpenPart>,
) -> Result<Vec<OpenPart>> {
    let Some(mut merged) = merged else {
        let left = |part: &&OpenPart| !before.iter().any(|other| same(part, other));
        return Ok(now.iter().filter(left).cloned().collect());
    };
    for earlier in before {
        match now.iter().find(|part| same(part, earlier)) {
            Some(part) => kill_all(part, part.dead_since(earlier), &mut merged)?,
            // It was left out since: all its documents died.
            None => {
                let all = 0..earlier.part.documents();
                let alive = all.filter(|&number| !earlier.is_dead(number));
                kill_all(earlier, alive, &mut merged)?;
            }
        }
    }
    let mut merged = Some(merged).filter(|merged| merged.live() > 0);
    let mut parts = Vec::with_capacity(now.len());
    for part in now {
        match before.iter().any(|other| same(part, other)) {
            true => parts.extend(merged.take()),
            false => parts.push(part.clone()),
        }
    }
    Ok(parts)
}

/// Marks documents of one part as dead in another.
fn kill_all(
    part: &OpenPart,
    numbers: impl Iterator<Item = u32>,
    other: &mut OpenPart,
) -> Result<()> {
    for number in numbers {
        other.kill_id(part.part.document(number)?.id)?;
    }
    Ok(())
}
