//! One document, from text to fingerprints: a pure function of text and options, the same on every machine.

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::error::Result;
use crate::fingerprint::Shingler;
pub use crate::fingerprint::TokenBuffer;
use crate::hash::finish;
use crate::options::{NormalizeOptions, ShingleOptions};
use crate::segment::Segmenter;

/// Bytes past which a text is prepared in pieces, so that the hashes of its tokens are never held together.
const LONG: usize = if cfg!(test) { 64 } else { 1 << 24 };
/// Tokens in such a piece.
const PIECE: usize = if cfg!(test) { 7 } else { 1 << 16 };

/// Prepares texts under one set of options.
#[derive(Clone, Debug)]
pub struct Preparer {
    segmenter: Segmenter,
    shingler: Shingler,
}

/// What is left of a text: its fingerprints. Reused from text to text.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    buffer: TokenBuffer,
    /// Fingerprint of the shingle at each position.
    pub shingles: Vec<u64>,
    /// Number of tokens.
    pub tokens: u32,
    /// The identity of a text that was prepared in pieces.
    long_identity: Option<u128>,
}

impl Prepared {
    /// A 128-bit hash of the token sequence: equal for identical texts. Texts without tokens have 0.
    pub fn identity(&self) -> u128 {
        if self.tokens == 0 {
            return 0;
        }
        match self.long_identity {
            Some(identity) => identity,
            None => xxh3_128(bytemuck::cast_slice(self.buffer.hashes())),
        }
    }
}

/// A text's tokens with their normal forms and places, for verification and explanation.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The normal forms, each followed by a zero byte.
    pub forms: Vec<u8>,
    /// Start of each normal form in `forms`, and the end of the last.
    pub bounds: Vec<u32>,
    /// Byte range of each token in the text.
    pub spans: Vec<(u32, u32)>,
    /// Fingerprint of the shingle at each position.
    pub shingles: Vec<u64>,
}

impl Tokens {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether the text has no token.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The normal form of a token.
    pub fn form(&self, token: usize) -> &str {
        let range = self.bounds[token] as usize..self.bounds[token + 1] as usize - 1;
        std::str::from_utf8(&self.forms[range]).unwrap_or_default()
    }
}

impl Preparer {
    /// A preparer.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn new(normalize: &NormalizeOptions, shingle: &ShingleOptions) -> Result<Self> {
        shingle.check()?;
        Ok(Self {
            segmenter: Segmenter::new(normalize),
            shingler: Shingler::new(shingle),
        })
    }

    /// Tokens in a shingle.
    pub fn shingle_size(&self) -> usize {
        self.shingler.size()
    }

    /// Fingerprints of a text, into `prepared`.
    pub fn prepare(&self, text: &str, prepared: &mut Prepared) {
        prepared.buffer.clear();
        prepared.shingles.clear();
        prepared.long_identity = None;
        if text.len() > LONG {
            return self.prepare_long(text, prepared);
        }
        let buffer = &mut prepared.buffer;
        self.segmenter
            .tokens(text, |token| self.shingler.push(token, buffer));
        prepared.tokens = u32::try_from(buffer.hashes().len()).unwrap_or(u32::MAX);
        self.shingler.shingles(buffer, &mut prepared.shingles);
    }

    /// The same piece by piece: of the tokens only as many are held as the next shingle needs.
    fn prepare_long(&self, text: &str, prepared: &mut Prepared) {
        let Prepared {
            buffer, shingles, ..
        } = prepared;
        let overlap = self.shingler.size() - 1;
        let piece = PIECE.max(2 * overlap);
        let mut identity = Xxh3::new();
        // Tokens of pieces before, and those of the buffer that are among them.
        let (mut tokens, mut held) = (0, 0);
        self.segmenter.tokens(text, |token| {
            self.shingler.push(token, buffer);
            if buffer.hashes().len() > piece {
                identity.update(bytemuck::cast_slice(&buffer.hashes()[held..]));
                tokens += buffer.hashes().len() - held;
                self.shingler.shingles(buffer, shingles);
                buffer.keep_last(overlap);
                held = overlap;
            }
        });
        let rest = &buffer.hashes()[held..];
        identity.update(bytemuck::cast_slice(rest));
        if tokens == 0 || !rest.is_empty() {
            self.shingler.shingles(buffer, shingles);
        }
        tokens += rest.len();
        prepared.tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        prepared.long_identity = Some(identity.digest128());
    }

    /// The shingles of a text as numbers that are random in all their bits, which Rabin's of short shingles are not. They stand
    /// in for those of `prepared` from then on.
    pub fn mix<'a>(&self, prepared: &'a mut Prepared) -> &'a [u64] {
        self.mix_shingles(&mut prepared.shingles);
        &prepared.shingles
    }

    /// The same for shingles that lie elsewhere.
    pub fn mix_shingles(&self, shingles: &mut [u64]) {
        if self.shingler.is_linear() {
            for shingle in shingles {
                *shingle = finish(*shingle);
            }
        }
    }

    /// Appends where the words of a text stand, and the shingle at each position.
    pub(crate) fn spans(
        &self,
        text: &str,
        buffer: &mut TokenBuffer,
        spans: &mut Vec<(u32, u32)>,
        shingles: &mut Vec<u64>,
    ) {
        buffer.clear();
        self.segmenter.tokens(text, |token| {
            self.shingler.push(token, buffer);
            spans.push((token.start as u32, token.end as u32));
        });
        self.shingler.shingles(buffer, shingles);
    }

    /// Calls `each` with where the words of a text stand.
    pub(crate) fn for_each_span(&self, text: &str, mut each: impl FnMut((u32, u32))) {
        self.segmenter
            .tokens(text, |token| each((token.start as u32, token.end as u32)));
    }

    /// Whether two words have one normal form.
    pub(crate) fn same_form(&self, a: &str, b: &str) -> bool {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        self.push_form(a, &mut x);
        self.push_form(b, &mut y);
        x == y
    }

    /// Appends the normal form of a word and a zero byte.
    pub(crate) fn push_form(&self, word: &str, out: &mut Vec<u8>) {
        self.segmenter.tokens(word, |token| token.push_form(out));
        out.push(0);
    }

    /// Tokens of a text with their places.
    pub fn tokens(&self, text: &str) -> Tokens {
        let mut buffer = TokenBuffer::default();
        let mut tokens = Tokens::default();
        self.segmenter.tokens(text, |token| {
            self.shingler.push(token, &mut buffer);
            tokens.bounds.push(tokens.forms.len() as u32);
            token.push_form(&mut tokens.forms);
            tokens.forms.push(0);
            tokens.spans.push((token.start as u32, token.end as u32));
        });
        tokens.bounds.push(tokens.forms.len() as u32);
        self.shingler.shingles(&buffer, &mut tokens.shingles);
        tokens
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::FingerprintKind;

    proptest! {
        #[test]
        fn pieces_make_the_same_as_the_whole(
            text in "([ab漢é] ?|cde |\\PC){0,120}",
            size in 1usize..6,
            rabin: bool,
        ) {
            let shingle = ShingleOptions {
                size,
                fingerprint: if rabin { FingerprintKind::Rabin } else { FingerprintKind::Fold },
                ..ShingleOptions::default()
            };
            let preparer = Preparer::new(&NormalizeOptions::default(), &shingle).unwrap();
            let mut pieces = Prepared::default();
            preparer.prepare("a text before it", &mut pieces);
            pieces.buffer.clear();
            pieces.shingles.clear();
            preparer.prepare_long(&text, &mut pieces);
            let whole = preparer.tokens(&text);
            prop_assert_eq!(&pieces.shingles, &whole.shingles);
            prop_assert_eq!(pieces.tokens as usize, whole.len());
            let mut buffer = TokenBuffer::default();
            preparer.spans(&text, &mut buffer, &mut Vec::new(), &mut Vec::new());
            let identity = match whole.is_empty() {
                true => 0,
                false => xxh3_128(bytemuck::cast_slice(buffer.hashes())),
            };
            prop_assert_eq!(pieces.identity(), identity);
        }
    }
}
