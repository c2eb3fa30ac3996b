//! The small changes by which copies of messages differ: particles and pronouns, numbers, marks.
//!
//! They work on the written text. A change always changes something: a text that has nothing of
//! the kind gets a particle or a mark at its end.

use super::edit::touched;
use super::random::Random;
use super::source::Script;

/// How many of the places where a change is possible are changed, beside the one that always is.
const RATE: f64 = 0.3;

/// Words that may stand for each other.
const ENGLISH: [&[&str]; 3] = [
    &["the", "a"],
    &["u", "you", "i", "me", "my", "ur"],
    &["la", "lar", "ok", "so", "to"],
];
const CHINESE: [&[char]; 3] = [
    &['我', '你', '他'],
    &['的', '了', '吗', '呢', '啊'],
    &['是', '就', '也', '都'],
];
const ENGLISH_MARKS: [&str; 5] = ["", ".", "...", "!", ","];
const CHINESE_MARKS: [char; 6] = ['，', '。', '！', '？', '；', '～'];

/// Particles and pronouns changed for others.
pub(crate) fn particles(text: &str, script: Script, random: &mut Random) -> String {
    match script {
        Script::Spaced => change_pieces(text, random, " la", |piece, random| {
            let (core, marks) = split_marks(piece);
            let core = core.to_lowercase();
            let group = ENGLISH.iter().find(|group| group.contains(&&*core))?;
            Some(format!("{}{marks}", another(random, group, &&*core)))
        }),
        Script::Chinese => change_characters(text, random, "啊", |character, random| {
            let group = CHINESE.iter().find(|group| group.contains(&character))?;
            Some(Some(another(random, group, &character)))
        }),
    }
}

/// Digits changed for others; particles if there are none.
pub(crate) fn numbers(text: &str, script: Script, random: &mut Random) -> String {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return particles(text, script, random);
    }
    const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    change_characters(text, random, "", |character, random| {
        let digit = character.is_ascii_digit();
        digit.then(|| Some(another(random, &DIGITS, &character)))
    })
}

/// Marks changed for others, or left out.
pub(crate) fn punctuation(text: &str, script: Script, random: &mut Random) -> String {
    match script {
        Script::Spaced => change_pieces(text, random, "!", |piece, random| {
            let (core, marks) = split_marks(piece);
            let marked = !core.is_empty() && !marks.is_empty();
            marked.then(|| format!("{core}{}", another(random, &ENGLISH_MARKS, &marks)))
        }),
        Script::Chinese => change_characters(text, random, "！", |character, random| {
            let marked = CHINESE_MARKS.contains(&character);
            marked.then(|| {
                let drop = random.chance(0.3);
                (!drop).then(|| another(random, &CHINESE_MARKS, &character))
            })
        }),
    }
}

/// A member of the group, but not this one.
fn another<T: PartialEq + Copy>(random: &mut Random, group: &[T], this: &T) -> T {
    let others: Vec<T> = group.iter().copied().filter(|one| one != this).collect();
    others[random.below(others.len())]
}

/// A piece without the marks at its end, and the marks.
fn split_marks(piece: &str) -> (&str, &str) {
    let core = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
    piece.split_at(core.len())
}

/// Change some of the pieces between spaces that `change` knows another form of; add `otherwise` if there are none.
fn change_pieces(
    text: &str,
    random: &mut Random,
    otherwise: &str,
    change: impl Fn(&str, &mut Random) -> Option<String>,
) -> String {
    let mut pieces: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let changed: Vec<(usize, String)> = pieces
        .iter()
        .enumerate()
        .filter_map(|(place, piece)| Some((place, change(piece, random)?)))
        .collect();
    if changed.is_empty() {
        return format!("{text}{otherwise}");
    }
    let chosen = touched(random, changed.len(), RATE);
    for ((place, piece), _) in changed.into_iter().zip(chosen).filter(|(_, is)| *is) {
        pieces[place] = piece;
    }
    pieces.join(" ")
}

/// Change some of the characters that `change` knows another for (or nothing); add `otherwise` if there are none.
fn change_characters(
    text: &str,
    random: &mut Random,
    otherwise: &str,
    change: impl Fn(char, &mut Random) -> Option<Option<char>>,
) -> String {
    let changes: Vec<_> = text.chars().map(|c| change(c, random)).collect();
    let possible = changes.iter().flatten().count();
    if possible == 0 {
        return format!("{text}{otherwise}");
    }
    let mut chosen = touched(random, possible, RATE).into_iter();
    let mut changed = String::with_capacity(text.len());
    for (character, change) in text.chars().zip(changes) {
        match change {
            Some(other) if chosen.next() == Some(true) => changed.extend(other),
            _ => changed.push(character),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&str, Script, &mut Random) -> String;

    fn check(change: Change, script: Script, text: &str, holds: impl Fn(&str) -> bool) {
        for stream in 0..50 {
            let changed = change(text, script, &mut Random::new(1, stream));
            assert!(changed != text && holds(&changed), "{text} -> {changed}");
        }
    }

    #[test]
    fn particles_give_way_to_particles() {
        check(particles, Script::Spaced, "Call me... the bus", |text| {
            text.starts_with("Call ") && text.contains("... ") && text.ends_with(" bus")
        });
        check(particles, Script::Spaced, "no", |text| text == "no la");
        check(particles, Script::Chinese, "我在北京了", |text| {
            text.contains("在北京") && text.chars().count() == 5
        });
        check(particles, Script::Chinese, "好", |text| text == "好啊");
    }

    #[test]
    fn numbers_stay_numbers() {
        check(numbers, Script::Spaced, "at 5pm in room 12", |text| {
            text.replace(|c: char| c.is_ascii_digit(), "0") == "at 0pm in room 00"
        });
        check(numbers, Script::Spaced, "at five", |text| {
            text == "at five la"
        });
    }

    #[test]
    fn marks_change_and_words_stay() {
        let letters = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "");
        check(punctuation, Script::Spaced, "ok... see you!", |text| {
            letters(text) == "okseeyou"
        });
        check(
            punctuation,
            Script::Chinese,
            "好的，明天见。",
            |text| letters(text) == "好的明天见",
        );
        check(punctuation, Script::Chinese, "好", |text| text == "好！");
    }
}
