//! Checks an index from end to end: every checksum, every order, every reference from one file to another.

use std::path::Path;

use super::model::{Model, SentenceFacts, ShingleFacts, WHOLE};
use super::{Index, Info, OpenPart};
use crate::error::Result;
use crate::progress::{self, Observer, Unit};

/// Checks everything and gives the figures.
///
/// # Errors
/// When anything is not as it should be; the message names the file.
pub fn verify(directory: &Path, observer: &dyn Observer) -> Result<Info> {
    let index = Index::open(directory)?;
    let total = index.parts.len() as u64;
    progress::begin(observer, "verifying", Some(total), Unit::Count("parts"))?;
    for part in &index.parts {
        part.part.verify()?;
        check_facts(&index.model, part)?;
        progress::advance(observer, 1)?;
    }
    check_ids(&index)?;
    Ok(index.info())
}

/// That the facts of all documents can be read, and every posting leads to a sentence that there is.
fn check_facts(model: &Model, part: &OpenPart) -> Result<()> {
    let damaged = || part.part.damaged("what it keeps of a document");
    let mut sentences = Vec::new();
    for number in 0..part.part.documents() {
        let facts = part.part.document(number)?.facts;
        match model {
            Model::Sentences(_) => {
                let facts = SentenceFacts::read(facts).ok_or_else(damaged)?;
                sentences.push(facts.places.len() as u32);
            }
            Model::Shingles(_) | Model::Bands(_) => {
                ShingleFacts::read(facts).ok_or_else(damaged)?;
            }
            Model::Terms(_) => {}
        }
    }
    if let Model::Sentences(_) = model {
        for posting in part.part.postings_in(0..part.part.postings()) {
            let posting = posting?;
            let known = sentences.get(posting.document as usize);
            let fits = |&count: &u32| posting.position == WHOLE || posting.position < count;
            if !known.is_some_and(fits) {
                return Err(part.part.damaged("a fingerprint leads to no sentence"));
            }
        }
    }
    Ok(())
}

/// That no id has two live documents.
fn check_ids(index: &Index) -> Result<()> {
    for (number, part) in index.parts.iter().enumerate() {
        for document in 0..part.part.documents() {
            if part.is_dead(document) {
                continue;
            }
            let id = part.part.document(document)?.id;
            for (other_number, other) in index.parts.iter().enumerate().skip(number) {
                let same = other.part.numbers_of(id)?;
                let again =
                    |n: &&u32| !other.is_dead(**n) && (other_number, **n) != (number, document);
                if same.iter().find(again).is_some() {
                    return Err(other.part.damaged("an id has two documents"));
                }
            }
        }
    }
    Ok(())
}
