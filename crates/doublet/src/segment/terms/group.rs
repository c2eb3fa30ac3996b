//! The part-of-speech groups of terms: what weights are given to.
//!
//! Taggers of different languages speak different tag sets; all of them come down to these few groups. What a text of the
//! network has besides words (addresses, mentions, hashtags, emoji) has groups of its own.

use super::tagger::Tag;

macro_rules! groups {
    ($($group:ident $name:literal $what:literal)*) => {
        /// What kind of word a term is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Group {
            $(#[doc = $what] $group,)*
        }

        impl Group {
            /// Every group, in the order of their numbers.
            pub const ALL: [Self; 14] = [$(Self::$group),*];

            /// The group's name in options and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$group => $name),* }
            }
        }
    };
}

groups! {
    Noun "noun" "Common nouns; words of time and place in Chinese."
    ProperNoun "proper-noun" "Names."
    Verb "verb" "Verbs, auxiliary ones too."
    Adjective "adjective" "Adjectives; idioms in Chinese."
    Adverb "adverb" "Adverbs."
    Pronoun "pronoun" "Pronouns, articles and other determiners."
    Numeral "numeral" "Numbers in digits or words; measure words in Chinese."
    Connective "connective" "Prepositions, conjunctions, particles; every function word where there is no tagger."
    Interjection "interjection" "Interjections and sound words."
    Url "url" "Web and e-mail addresses."
    Mention "mention" "Names after `@`."
    Hashtag "hashtag" "Words after `#`, or between two of them."
    Emoji "emoji" "Emoji, each with its skin tone or as the flag or family it makes."
    Other "other" "What is none of these, or cannot be told."
}

impl Group {
    /// The group of this name, as [`Self::name`] spells it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    /// The group of a tag of jieba's dictionary.
    pub(super) fn from_jieba(tag: &str) -> Self {
        match tag.as_bytes() {
            [b'e', b'n', b'g', ..] => Self::Other,
            [b'n', b'r' | b's' | b't' | b'z', ..] => Self::ProperNoun,
            [b'n' | b't' | b's' | b'f' | b'j' | b'g', ..] => Self::Noun,
            [b'v', ..] => Self::Verb,
            [b'a' | b'z' | b'b' | b'i' | b'l', ..] => Self::Adjective,
            [b'd', ..] => Self::Adverb,
            [b'r', ..] => Self::Pronoun,
            [b'm' | b'q', ..] => Self::Numeral,
            [b'c' | b'p' | b'u' | b'y' | b'h' | b'k', ..] => Self::Connective,
            [b'e' | b'o', ..] => Self::Interjection,
            _ => Self::Other,
        }
    }
}

impl From<Tag> for Group {
    fn from(tag: Tag) -> Self {
        match tag {
            Tag::Noun => Self::Noun,
            Tag::Propn => Self::ProperNoun,
            Tag::Verb | Tag::Aux => Self::Verb,
            Tag::Adj => Self::Adjective,
            Tag::Adv => Self::Adverb,
            Tag::Pron | Tag::Det => Self::Pronoun,
            Tag::Num => Self::Numeral,
            Tag::Adp | Tag::Cconj | Tag::Sconj | Tag::Part => Self::Connective,
            Tag::Intj => Self::Interjection,
            Tag::Punct | Tag::Sym | Tag::X => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_groups() {
        for (number, group) in Group::ALL.into_iter().enumerate() {
            assert_eq!(group as usize, number);
            assert_eq!(Group::from_name(group.name()), Some(group));
        }
        assert_eq!(Group::from_name("nouns"), None);
    }

    #[test]
    fn tags_of_jieba_fall_into_groups() {
        for (tag, group) in [
            ("n", Group::Noun),
            ("nr", Group::ProperNoun),
            ("nrt", Group::ProperNoun),
            ("t", Group::Noun),
            ("vn", Group::Verb),
            ("m", Group::Numeral),
            ("q", Group::Numeral),
            ("uj", Group::Connective),
            ("eng", Group::Other),
            ("e", Group::Interjection),
            ("x", Group::Other),
            ("", Group::Other),
        ] {
            assert_eq!(Group::from_jieba(tag), group, "{tag}");
        }
    }
}
