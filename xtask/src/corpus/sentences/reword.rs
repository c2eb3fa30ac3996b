//! What happens to a sentence that is taken over and not left as it was.
//!
//! Function words come and go, words change places as in the paper's figure 4, marks, case and spaces differ, a word is
//! spelt otherwise, or one word stands for another. The first three leave what a sentence says; a method
//! that looks for it should find it again.

use super::super::random::Random;
use super::prose::{Prose, core, finish, is_content, is_final};

/// Changes with their shares in hundredths.
const SHARES: [(Change, usize); 5] = [
    (Change::FunctionWords, 36),
    (Change::Order, 18),
    (Change::Marks, 26),
    (Change::Spelling, 8),
    (Change::Content, 12),
];
/// How likely a second change follows.
const AGAIN: f64 = 0.25;
/// Words that are left out where they stand, and put in where they do not, from frequent to not so frequent.
const FUNCTION_WORDS: [&str; 12] = [
    "the", "that", "a", "some", "also", "its", "has", "now", "only", "just", "very", "then",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    FunctionWords,
    Order,
    Marks,
    Spelling,
    Content,
}

/// The sentence with a change or two.
pub(crate) fn reword(sentence: &str, prose: &Prose<'_>, random: &mut Random) -> String {
    let reworded = change(sentence, draw(random), prose, random);
    if random.chance(AGAIN) {
        change(&reworded, draw(random), prose, random)
    } else {
        reworded
    }
}

fn draw(random: &mut Random) -> Change {
    let mut chosen = random.below(100);
    for (change, share) in SHARES {
        if chosen < share {
            return change;
        }
        chosen -= share;
    }
    Change::Marks
}

fn change(sentence: &str, change: Change, prose: &Prose<'_>, random: &mut Random) -> String {
    let (body, mark) = split_mark(sentence);
    let mut words: Vec<String> = body.split_whitespace().map(str::to_owned).collect();
    match change {
        Change::FunctionWords => function_words(&mut words, random),
        Change::Order => order(&mut words, random),
        Change::Marks => return marks(body, mark, random),
        Change::Spelling => replace_content(&mut words, random, misspelt),
        Change::Content => replace_content(&mut words, random, |_, random| {
            prose.content_word(random).to_owned()
        }),
    }
    let body = words.join(" ");
    // A headline stays one.
    if mark.is_empty() {
        body
    } else {
        finish(&format!("{body}{mark}"))
    }
}

/// The sentence and the marks at its end.
fn split_mark(sentence: &str) -> (&str, &str) {
    let body = sentence.trim_end_matches(is_final);
    sentence.split_at(body.len())
}

/// Leave one out, or put one in.
fn function_words(words: &mut Vec<String>, random: &mut Random) {
    let is_function_word = |word: &String| FUNCTION_WORDS.contains(&&*word.to_lowercase());
    let places: Vec<usize> = (0..words.len())
        .filter(|&place| is_function_word(&words[place]))
        .collect();
    if !places.is_empty() && words.len() > 3 && random.chance(0.5) {
        words.remove(places[random.below(places.len())]);
    } else {
        // Most that are put in are of the frequent ones.
        let word = FUNCTION_WORDS[random
            .below(FUNCTION_WORDS.len())
            .min(random.below(FUNCTION_WORDS.len()))];
        words.insert(1 + random.below(words.len().max(2) - 1), word.to_owned());
    }
}

/// A word moves, two change places, or the end comes first.
fn order(words: &mut Vec<String>, random: &mut Random) {
    if words.len() < 3 {
        return;
    }
    match random.below(3) {
        0 => {
            let word = words.remove(1 + random.below(words.len() - 1));
            words.insert(random.below(words.len()), word);
        }
        1 => {
            let place = random.below(words.len() - 1);
            words.swap(place, place + 1);
        }
        _ => {
            let end = 1 + random.below((words.len() / 2).min(4));
            words.rotate_right(end);
        }
    }
}

/// Commas and quotes go, capitals come, spaces and lines are set otherwise. The words stay.
fn marks(body: &str, mark: &str, random: &mut Random) -> String {
    let body = match random.below(5) {
        0 => body.to_uppercase(),
        1 => body.to_lowercase(),
        2 => body.replace([',', '"', ';'], ""),
        3 => body.replacen(' ', "  ", 1 + random.below(3)),
        _ => {
            let spaces: Vec<usize> = body.match_indices(' ').map(|(place, _)| place).collect();
            let mut body = body.to_owned();
            if let Some(&place) = spaces.get(random.below(spaces.len())) {
                body.replace_range(place..=place, "\n");
            }
            body
        }
    };
    let mark = if mark == "." && random.chance(0.3) {
        "!"
    } else {
        mark
    };
    // A small letter after a full stop might join two sentences; there the first stays a capital.
    let mut letters = body.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}{mark}", letters.as_str())
}

/// Another word in the place of one that says something; its marks stay.
fn replace_content(
    words: &mut [String],
    random: &mut Random,
    other: impl Fn(&str, &mut Random) -> String,
) {
    let places: Vec<usize> = (0..words.len())
        .filter(|&place| is_content(core(&words[place])))
        .collect();
    let Some(&place) = places.get(random.below(places.len())) else {
        return;
    };
    let old = core(&words[place]).to_owned();
    words[place] = words[place].replacen(&old, &other(&old, random), 1);
}

/// A letter left out, doubled, or before the one that it should follow.
fn misspelt(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let place = 1 + random.below(letters.len().max(3) - 2);
    match random.below(3) {
        0 => {
            letters.remove(place);
        }
        1 => letters.insert(place, letters[place]),
        _ => letters.swap(place, place - 1),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::source::Source;
    use super::super::super::stats::words;
    use super::*;

    const SENTENCE: &str = "U.S. officials will reveal some rules, on security for the Internet.";

    fn check(kind: Change, holds: impl Fn(&[String], &[String]) -> bool) {
        let source =
            Source::from_texts(&["Several newspapers reported another decision yesterday."]);
        let prose = Prose::new(&source);
        let before = words(SENTENCE);
        for stream in 0..200 {
            let changed = change(SENTENCE, kind, &prose, &mut Random::new(1, stream));
            assert!(changed.ends_with(is_final), "{changed}");
            assert!(holds(&before, &words(&changed)), "{kind:?}: {changed}");
        }
    }

    fn sorted(words: &[String]) -> Vec<&String> {
        let mut sorted: Vec<&String> = words.iter().collect();
        sorted.sort();
        sorted
    }

    #[test]
    fn each_change_does_what_it_says() {
        check(Change::FunctionWords, |a, b| a.len().abs_diff(b.len()) == 1);
        check(Change::Order, |a, b| sorted(a) == sorted(b));
        check(Change::Marks, |a, b| a == b);
        check(Change::Spelling, |a, b| a.len() == b.len());
        check(Change::Content, |a, b| {
            let other = a.iter().zip(b).filter(|(a, b)| a != b).count();
            a.len() == b.len() && other <= 1
        });
    }

    #[test]
    fn a_headline_stays_one() {
        let source = Source::from_texts(&["Some text."]);
        let prose = Prose::new(&source);
        for stream in 0..200 {
            let reworded = reword(
                "Rules for the Internet today",
                &prose,
                &mut Random::new(2, stream),
            );
            assert!(!reworded.ends_with(is_final), "{reworded}");
        }
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(SHARES.iter().map(|(_, share)| share).sum::<usize>(), 100);
    }
}
