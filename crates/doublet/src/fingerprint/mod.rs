//! Stage 4, fingerprint: from a text's tokens to one 64-bit number a shingle.
//!
//! A shingle is a run of `size` tokens; a text with fewer tokens is one shingle of all of them, and a text without tokens has
//! none. Fingerprints are given in the order of the text, repeated ones repeated.

pub(crate) mod distinct;
pub mod rabin;

use crate::hash::{MULTIPLIER, finish};
use crate::options::{FingerprintKind, ShingleOptions};
use crate::segment::Token;
use rabin::{Rabin, Word};

/// What a shingler needs of each token; filled by [`Shingler::push`].
#[derive(Clone, Debug, Default)]
pub struct TokenBuffer {
    hashes: Vec<u64>,
    words: Vec<Word>,
    form: Vec<u8>,
}

impl TokenBuffer {
    /// Forgets the tokens, keeps the memory.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.words.clear();
    }

    /// Hashes of the tokens, in order.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Forgets all but the last `count` tokens.
    pub(crate) fn keep_last(&mut self, count: usize) {
        self.hashes.drain(..self.hashes.len().saturating_sub(count));
        self.words.drain(..self.words.len().saturating_sub(count));
    }
}

/// Turns tokens into shingle fingerprints.
#[derive(Clone, Debug)]
pub struct Shingler {
    size: usize,
    rabin: Option<Box<Rabin>>,
    /// Weight of the token that leaves the window.
    leaving: u64,
}

impl Shingler {
    /// A shingler for valid options.
    pub fn new(options: &ShingleOptions) -> Self {
        let size = options.size.max(1);
        Self {
            size,
            rabin: (options.fingerprint == FingerprintKind::Rabin).then(Box::default),
            leaving: MULTIPLIER.wrapping_pow(u32::try_from(size).unwrap_or(u32::MAX)),
        }
    }

    /// Tokens in a shingle.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether fingerprints are polynomials, of which short strings have small ones.
    pub fn is_linear(&self) -> bool {
        self.rabin.is_some()
    }

    /// Takes one more token of a text.
    #[inline(always)]
    pub fn push(&self, token: &Token<'_>, buffer: &mut TokenBuffer) {
        buffer.hashes.push(token.hash);
        if let Some(rabin) = &self.rabin {
            buffer.form.clear();
            token.push_form(&mut buffer.form);
            buffer.words.push(rabin.word(&buffer.form));
        }
    }

    /// Appends the fingerprint of each shingle of the text.
    pub fn shingles(&self, buffer: &TokenBuffer, out: &mut Vec<u64>) {
        match &self.rabin {
            Some(rabin) => rabin.shingles(&buffer.words, self.size, out),
            None => self.fold_shingles(&buffer.hashes, out),
        }
    }

    fn fold_shingles(&self, hashes: &[u64], out: &mut Vec<u64>) {
        let (first, rest) = hashes.split_at(self.size.min(hashes.len()));
        if first.is_empty() {
            return;
        }
        out.reserve(rest.len() + 1);
        let roll = |state: u64, hash: u64| state.wrapping_mul(MULTIPLIER).wrapping_add(hash);
        let mut state = first.iter().fold(0, |state, &hash| roll(state, hash));
        out.push(finish(state));
        let leaving = self.leaving;
        out.extend(hashes.iter().zip(rest).map(|(&old, &new)| {
            state = roll(state, new).wrapping_sub(old.wrapping_mul(leaving));
            finish(state)
        }));
    }
}

/// The `bits` highest bits of a fingerprint, the others zero.
pub fn truncate(fingerprint: u64, bits: u32) -> u64 {
    if bits >= 64 {
        fingerprint
    } else {
        fingerprint & !(u64::MAX >> bits)
    }
}
