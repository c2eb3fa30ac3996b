//! Elided words: `l'eau` is two words in French, Italian and Catalan, though no space parts them.

use super::group::Group;
use super::language::Language;

/// Words that lose their vowel before another, and what they are.
const FRENCH: &[(&str, Group)] = &[
    ("l", Group::Pronoun),
    ("j", Group::Pronoun),
    ("c", Group::Pronoun),
    ("m", Group::Pronoun),
    ("t", Group::Pronoun),
    ("s", Group::Pronoun),
    ("n", Group::Adverb),
    ("d", Group::Connective),
    ("qu", Group::Connective),
    ("jusqu", Group::Connective),
    ("lorsqu", Group::Connective),
    ("puisqu", Group::Connective),
    ("quoiqu", Group::Connective),
];

const ITALIAN: &[(&str, Group)] = &[
    ("l", Group::Connective),
    ("d", Group::Connective),
    ("c", Group::Connective),
    ("s", Group::Connective),
    ("m", Group::Connective),
    ("t", Group::Connective),
    ("un", Group::Connective),
    ("dell", Group::Connective),
    ("all", Group::Connective),
    ("nell", Group::Connective),
    ("sull", Group::Connective),
    ("dall", Group::Connective),
    ("quell", Group::Connective),
    ("quest", Group::Connective),
];

const CATALAN: &[(&str, Group)] = &[
    ("l", Group::Connective),
    ("d", Group::Connective),
    ("m", Group::Connective),
    ("n", Group::Connective),
    ("s", Group::Connective),
    ("t", Group::Connective),
];

/// The byte after the apostrophe of an elided word that opens `word`, and the elided word's group.
pub(super) fn elided(word: &str, language: Language) -> Option<(usize, Group)> {
    let words = match language {
        Language::French => FRENCH,
        Language::Italian => ITALIAN,
        Language::Catalan => CATALAN,
        _ => return None,
    };
    let place = word.find(['\'', '’'])?;
    let after = place + word[place..].chars().next()?.len_utf8();
    let (_, group) = words
        .iter()
        .find(|(elided, _)| elided.eq_ignore_ascii_case(&word[..place]))?;
    (after < word.len()).then_some((after, *group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elided_words_part_from_the_next() {
        for (word, language, after) in [
            ("l'eau", Language::French, Some(2)),
            ("L’eau", Language::French, Some(4)),
            ("qu'il", Language::French, Some(3)),
            ("aujourd'hui", Language::French, None),
            ("l'", Language::French, None),
            ("eau", Language::French, None),
            ("dell'arte", Language::Italian, Some(5)),
            ("l'eau", Language::English, None),
        ] {
            assert_eq!(elided(word, language).map(|found| found.0), after, "{word}");
        }
    }
}
