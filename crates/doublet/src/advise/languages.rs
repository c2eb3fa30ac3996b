//! What languages the texts are in, and whether markup stands in them; both told from the sampled texts.

use crate::method::terms::Language;
use crate::segment::terms::detect;

/// A text has markup if so many tags stand in it.
const TAGS: usize = 3;

/// A language and the share of the texts that are in it; [`Language::Auto`] stands for those that do not tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LanguageShare {
    /// The language.
    pub language: Language,
    /// The share of the sampled texts.
    pub share: f64,
}

/// The languages of some texts, the most frequent first.
pub(super) fn languages(texts: &[String]) -> Vec<LanguageShare> {
    let found: Vec<Language> = texts.iter().map(|text| detect(text)).collect();
    let all = std::iter::once(Language::Auto).chain(Language::ALL.iter().copied());
    let shares = all.map(|language| LanguageShare {
        language,
        share: found.iter().filter(|other| **other == language).count() as f64
            / found.len().max(1) as f64,
    });
    let mut shares: Vec<LanguageShare> = shares.filter(|found| found.share > 0.0).collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares
}

/// The share of some texts that have markup in them.
pub(super) fn markup_share(texts: &[String]) -> f64 {
    let marked = texts.iter().filter(|text| has_markup(text)).count();
    marked as f64 / texts.len().max(1) as f64
}

/// Whether tags of HTML or XML stand in a text: `<p>`, `</td>`, `<!DOCTYPE html>`.
fn has_markup(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_tag = |at: usize| {
        let rest = &bytes[at + 1..];
        let name = match rest {
            [b'/' | b'!' | b'?', rest @ ..] => rest,
            rest => rest,
        };
        // An address or a comparison is no tag.
        let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric());
        let closed = matches!(
            end.map(|end| name[end]),
            Some(b'>' | b' ' | b'/' | b'\n' | b'\r')
        );
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && closed
            && memchr::memchr(b'>', &name[..name.len().min(1000)]).is_some()
    };
    let tags = memchr::memchr_iter(b'<', bytes).filter(|&at| is_tag(at));
    tags.take(TAGS).count() == TAGS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_are_told_from_comparisons_and_addresses() {
        assert!(has_markup(
            "<!DOCTYPE html>\n<html>\r\n<body class=\"a\">Text</body></html>"
        ));
        assert!(has_markup("one<br/>two<br/>three<br/>"));
        assert!(!has_markup(
            "a < b and c <d, <anna@example.org>, <3 <3 <3, if (i<n && j<m && k<o)"
        ));
        assert!(!has_markup("<b>twice</b>"));
        assert!(!has_markup("<<<<a"));
    }

    #[test]
    fn languages_by_their_share() {
        let texts = [
            "The weather in the north is fine and it will stay so",
            "The ferry leaves from the pier at nine and comes back",
            "今天天气很好，我们去公园吧。",
            "…",
        ];
        let found = languages(&texts.map(str::to_owned));
        assert_eq!(found[0].language, Language::English);
        assert_eq!(found[0].share, 0.5);
        assert_eq!(found.iter().map(|found| found.share).sum::<f64>(), 1.0);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[<>/!a-z 一👍\r\n]*") {
            let texts = [text];
            prop_assert!((0.0..=1.0).contains(&markup_share(&texts)));
            prop_assert!(languages(&texts).len() == 1);
        }
    }
}
