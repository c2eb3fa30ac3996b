//! New texts from real ones: a walk along the source that changes sentence at words they share.
//!
//! Whole sentences would be repeated dozens of times in a large collection, and no run of five words
//! would be rare any more. So the walk follows the source for a few words and then, with probability
//! `JUMP`, goes on from another place where the same two words stand. Common phrases stay common, for
//! their places are many and go on alike; most longer runs are new, as in real text. `benchmarks/README.md`
//! says how `JUMP` was set.

use super::random::Random;
use super::source::{Source, Word};

/// How likely the walk is to change place after a word.
const JUMP: f64 = 0.9;
/// A pair of words that stands in fewer places than this offers little choice: the last word alone decides.
const PLACES: usize = 60;
/// How likely a rare word gives way to another.
const SWAP: f64 = 0.9;
/// How likely the next sentence is the one that follows in the source.
const STAY: f64 = 0.3;
/// How likely a sentence ends its paragraph.
const PARAGRAPH: f64 = 0.25;

/// A text of about `length` words in one register of the source. It goes on to the end of its sentence, but
/// for no more than `overrun` words.
pub(crate) fn text(
    source: &Source,
    random: &mut Random,
    length: usize,
    overrun: usize,
) -> Vec<Word> {
    // On average the end of the sentence is half the overrun away.
    let length = length.saturating_sub(overrun / 2).max(1);
    let sentences = register(source.registers(), random);
    let mut words = Vec::with_capacity(length + overrun);
    let mut position = sentences[random.below(sentences.len())];
    let mut count = 0;
    loop {
        let here = source.word(position);
        count += source.count(here);
        words.push(written(source, random, here));
        let enough = count >= length && here.ends_sentence();
        // The second bound is for sources that hardly hold a word.
        if enough || count >= length + overrun || words.len() >= 4 * (length + overrun) {
            return words;
        }
        position = next_position(source, random, sentences, position);
    }
}

/// One of the registers, in proportion to their sentences.
pub(super) fn register<'a>(registers: &'a [Vec<u32>], random: &mut Random) -> &'a [u32] {
    let total: usize = registers.iter().map(Vec::len).sum();
    let mut chosen = random.below(total);
    for starts in registers {
        if chosen < starts.len() {
            return starts;
        }
        chosen -= starts.len();
    }
    &registers[0]
}

/// The word as the text has it: a rare one may give way to its like, for a large collection knows more
/// names than a small source, and a sentence may end its paragraph.
pub(super) fn written(source: &Source, random: &mut Random, word: Word) -> Word {
    let mut word = word;
    if let Some(peers) = source.peers_of_rare(word)
        && random.chance(SWAP)
    {
        word = word.with_form_of(peers[random.below(peers.len())]);
    }
    if word.ends_sentence() && random.chance(PARAGRAPH) {
        word.with_paragraph_end()
    } else {
        word
    }
}

fn next_position(source: &Source, random: &mut Random, sentences: &[u32], position: u32) -> u32 {
    if source.word(position).ends_sentence() {
        let follows = (position as usize + 1) < source.len();
        if follows && random.chance(STAY) {
            return position + 1;
        }
        return sentences[random.below(sentences.len())];
    }
    let position = step(source, random, position);
    // The place jumped to may end a sentence where this one did not; the next sentence follows then.
    if (position as usize + 1) < source.len() {
        position + 1
    } else {
        sentences[random.below(sentences.len())]
    }
}

/// The place to go on from: this one, or mostly another with the same words.
pub(super) fn step(source: &Source, random: &mut Random, position: u32) -> u32 {
    if random.chance(JUMP) {
        jump(source, random, position)
    } else {
        position
    }
}

/// Another place where the same two words stand, or the same word if the pair is rare.
fn jump(source: &Source, random: &mut Random, position: u32) -> u32 {
    let pairs = source.places_of_pair(position);
    let places = if pairs.len() < PLACES {
        source.places_of_word(position)
    } else {
        pairs
    };
    places[random.below(places.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source::from_texts(&["one two three four. Two three five six. Three five seven"])
    }

    #[test]
    fn a_text_has_about_the_length_asked_for() {
        let words = text(&source(), &mut Random::new(1, 1), 500, 20);
        assert!((490..=510).contains(&words.len()), "{}", words.len());
    }

    #[test]
    fn the_walk_goes_on_where_the_same_word_stands() {
        let source = source();
        let mut random = Random::new(1, 1);
        let mut position = 0;
        for _ in 0..1000 {
            let next = next_position(&source, &mut random, &source.registers()[0], position);
            if !source.word(position).ends_sentence() {
                let before = source.word(next - 1);
                assert_eq!(before.form(), source.word(position).form());
            }
            position = next;
        }
    }

    #[test]
    fn a_rare_word_gives_way_to_one_that_looks_alike() {
        let source = source();
        let mut random = Random::new(1, 1);
        for position in 0..source.len() as u32 {
            let word = source.word(position);
            let written = written(&source, &mut random, word);
            let mark = |word| source.form(word).ends_with('.');
            assert_eq!(mark(word), mark(written));
            assert_eq!(word.ends_sentence(), written.ends_sentence());
        }
    }
}
