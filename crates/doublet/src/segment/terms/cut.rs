//! From the pieces of a text to its words: the language decides how.
//!
//! A first pass over the pieces writes the normal forms of words and takes their votes; once the language is known, a second
//! one makes a token of each word, and words of each run of a script that is written without spaces.

use super::elision::elided;
use super::forms::Forms;
use super::group::Group;
use super::kind::Kind;
use super::language::{Decision, Language, Voter};
use super::scan::{Piece, PieceKind, Scripts};
use super::{SegmentOptions, chinese, dictionary};
use crate::hash::hash_bytes;

/// A term on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    /// End of the stem: a particle follows if it is not the end.
    pub(super) stem: usize,
    pub(super) shape: Shape,
    pub(super) group: Group,
    /// The language whose tagger sees the word; [`Language::Auto`] for none.
    pub(super) language: Language,
}

/// How a token gets its normal form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// It stands in [`Cutter::forms`].
    Ready(usize, usize),
    /// The text itself is its normal form.
    Text,
    Word,
    Number,
    Url,
    Emoji,
    /// A word behind this sign.
    Tag(char),
}

/// A word's normal form in [`Cutter::forms`], and the languages that list it as a function word.
#[derive(Clone, Copy, Debug)]
struct Seen {
    start: usize,
    end: usize,
    lists: u64,
}

/// Buffers, and the tokens of the last text.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    pub(super) tokens: Vec<Token>,
    pub(super) forms: String,
    seen: Vec<Seen>,
    buffer: String,
    voter: Voter,
    chinese: chinese::Memo,
}

impl Cutter {
    /// Fills `tokens` with the tokens of a text, in order.
    pub(super) fn cut(
        &mut self,
        text: &str,
        pieces: &[Piece],
        scripts: &Scripts,
        options: &SegmentOptions,
        forms: &Forms,
    ) {
        self.tokens.clear();
        self.forms.clear();
        self.seen.clear();
        self.voter.clear();
        for piece in pieces {
            if let PieceKind::Word(script) = piece.kind {
                self.see(&text[piece.start..piece.end], script, forms);
            }
        }
        let decision = self.voter.decide(scripts, pieces, options.fallback);
        let decision = decision.settled(options.language);
        let mut words = 0;
        for piece in pieces {
            match piece.kind {
                PieceKind::Word(script) => {
                    self.word(text, piece, script, words, &decision);
                    words += 1;
                }
                PieceKind::Han if decision.han == Language::Chinese => {
                    self.chinese(text, piece, forms);
                }
                PieceKind::Han => self.japanese(text, piece),
                PieceKind::Complex => self.complex(text, piece, forms),
                kind => self.shape(piece, kind, decision.main),
            }
        }
    }

    /// Writes the form of a word and takes its vote.
    #[inline]
    fn see(&mut self, word: &str, script: Kind, forms: &Forms) {
        let start = self.forms.len();
        let mut lists = 0;
        if script != Kind::Hangul {
            forms.push_word(word, &mut self.buffer, &mut self.forms);
            lists = self.voter.word(
                word,
                script,
                listed_hash(&self.forms[start..], word, forms, &mut self.buffer),
            );
        }
        let end = self.forms.len();
        self.seen.push(Seen { start, end, lists });
    }

    #[inline]
    fn word(
        &mut self,
        text: &str,
        piece: &Piece,
        script: Kind,
        number: usize,
        decision: &Decision,
    ) {
        let language = decision.language_of(script);
        let seen = self.seen[number];
        if let Some((length, group)) = elided(&text[piece.start..piece.end], language) {
            let middle = piece.start + length;
            self.push(piece.start, middle, Shape::Word, group, Language::Auto);
            return self.push(middle, piece.end, Shape::Word, Group::Other, language);
        }
        let shape = match script {
            Kind::Hangul => Shape::Word,
            _ => Shape::Ready(seen.start, seen.end),
        };
        let group = match seen.lists & language.bit() {
            0 => Group::Other,
            _ => Group::Connective,
        };
        self.push(piece.start, piece.end, shape, group, language);
    }

    fn push(&mut self, start: usize, end: usize, shape: Shape, group: Group, language: Language) {
        self.tokens.push(Token {
            start,
            end,
            stem: end,
            shape,
            group,
            language,
        });
    }

    fn shape(&mut self, piece: &Piece, kind: PieceKind, main: Language) {
        let (shape, group, language) = match kind {
            // The words around a number see it; its group is sure.
            PieceKind::Number => (Shape::Number, Group::Numeral, main),
            PieceKind::Url => (Shape::Url, Group::Url, Language::Auto),
            PieceKind::Mention => (Shape::Tag('@'), Group::Mention, Language::Auto),
            PieceKind::Hashtag => (Shape::Tag('#'), Group::Hashtag, Language::Auto),
            _ => (Shape::Emoji, Group::Emoji, Language::Auto),
        };
        self.push(piece.start, piece.end, shape, group, language);
    }

    fn chinese(&mut self, text: &str, piece: &Piece, forms: &Forms) {
        let tokens = &mut self.tokens;
        let run = &text[piece.start..piece.end];
        let shape = match forms.keeps_han && chinese::is_common(run) {
            true => Shape::Text,
            false => Shape::Word,
        };
        chinese::cut(run, &mut self.chinese, |start, end, group| {
            tokens.push(Token {
                start: piece.start + start,
                end: piece.start + end,
                stem: piece.start + end,
                shape,
                group,
                language: Language::Auto,
            });
        });
    }

    fn japanese(&mut self, text: &str, piece: &Piece) {
        dictionary::cut(&text[piece.start..piece.end], &mut |start, end| {
            let (start, end) = (piece.start + start, piece.start + end);
            self.push(start, end, Shape::Word, Group::Other, Language::Japanese);
        });
    }

    fn complex(&mut self, text: &str, piece: &Piece, forms: &Forms) {
        dictionary::cut(&text[piece.start..piece.end], &mut |start, end| {
            let (start, end) = (piece.start + start, piece.start + end);
            forms.listed_word(&text[start..end], &mut self.buffer);
            let listed =
                self.voter.lists(hash_bytes(self.buffer.as_bytes())) & Language::Thai.bit();
            let group = if listed == 0 {
                Group::Other
            } else {
                Group::Connective
            };
            self.push(start, end, Shape::Word, group, Language::Auto);
        });
    }
}

/// The hash under which a word is looked up among function words.
#[inline]
fn listed_hash(form: &str, word: &str, forms: &Forms, buffer: &mut String) -> u64 {
    if forms.listed {
        return hash_bytes(form.as_bytes());
    }
    forms.listed_word(word, buffer);
    hash_bytes(buffer.as_bytes())
}
