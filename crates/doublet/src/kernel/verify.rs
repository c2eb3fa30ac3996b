//! The scores of pairs by their texts, chunk by chunk: the texts of a chunk are made ready once, and every pair of it finds both.

use hashbrown::HashMap;

pub use super::sentences::{TextSums, scores_of_copy, scores_of_sums};

use super::prepare::not_learnt;
use super::{Kernel, misfit};
use crate::error::Result;
use crate::method::Comparer;
use crate::scores::Scores;

/// The texts of the chunk at hand.
pub struct Chunk {
    numbers: HashMap<i64, u32>,
    /// Nothing until all is learnt.
    texts: Option<Box<dyn Comparer>>,
}

impl Chunk {
    /// A chunk without texts.
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            numbers: HashMap::new(),
            texts: kernel.plan.fitted().map(|fitted| fitted.comparer()),
        }
    }

    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.numbers.clear();
        if let Some(texts) = &mut self.texts {
            texts.clear();
        }
    }

    /// Makes a text ready; one that is there already counts.
    ///
    /// # Errors
    /// When what has to be learnt before is not.
    pub fn add(&mut self, doc: i64, text: &str) -> Result<()> {
        let number = self.numbers.len() as u32;
        if !self.numbers.contains_key(&doc) {
            let texts = self.texts.as_mut().ok_or_else(not_learnt)?;
            texts.push(text, None);
            self.numbers.insert(doc, number);
        }
        Ok(())
    }

    /// The scores of two texts of the chunk.
    ///
    /// # Errors
    /// When one is not there.
    pub fn compare(&mut self, a: i64, b: i64) -> Result<Scores> {
        let number = |doc: i64| {
            let number = self.numbers.get(&doc).copied();
            number.ok_or_else(|| {
                misfit(format!(
                    "the text {doc} of a pair is not in the chunk: texts come before pairs"
                ))
            })
        };
        let (a, b) = (number(a)? as usize, number(b)? as usize);
        let texts = self.texts.as_mut().ok_or_else(not_learnt)?;
        Ok(texts.score(a, b))
    }
}
