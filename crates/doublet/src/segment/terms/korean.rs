//! Korean words carry their particles (josa) at the end: 학교에서는 is 학교, school, with "in" and a topic mark.
//!
//! Particles are told by a table. Many come in two forms, one after a final consonant (batchim) and one after a vowel, which
//! rules out most chance matches; the rest are words that merely end like a particle, kept by lists.

use super::tagger::Tag;

/// What must stand before a particle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Any,
    /// A final consonant.
    Consonant,
    /// No final consonant.
    Vowel,
    /// No final consonant but ㄹ.
    VowelOrRieul,
}

use After::{Any, Consonant, Vowel, VowelOrRieul};

/// How a particle joins others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joins {
    /// Stands alone, or after 만, 까지 and 부터.
    Alone,
    /// May follow an inner one.
    Outer,
    /// May stand before an outer one, or follow an inner one.
    Both,
    /// May stand before an outer one.
    Inner,
}

use Joins::{Alone, Both, Inner, Outer};

/// Particles, longer before shorter where one ends in another.
const PARTICLES: [(&str, After, Joins); 43] = [
    ("으로부터", Consonant, Inner),
    ("로부터", VowelOrRieul, Inner),
    ("에서부터", Any, Inner),
    ("만으로", Any, Inner),
    ("으로서", Consonant, Inner),
    ("으로써", Consonant, Inner),
    ("에게서", Any, Inner),
    ("한테서", Any, Inner),
    ("이라도", Consonant, Outer),
    ("로서", VowelOrRieul, Inner),
    ("로써", VowelOrRieul, Inner),
    ("에서", Any, Inner),
    ("에게", Any, Inner),
    ("한테", Any, Inner),
    ("께서", Any, Inner),
    ("으로", Consonant, Inner),
    ("부터", Any, Both),
    ("까지", Any, Both),
    ("보다", Any, Both),
    ("처럼", Any, Inner),
    ("만큼", Any, Both),
    ("마다", Any, Inner),
    ("조차", Any, Both),
    ("마저", Any, Both),
    ("밖에", Any, Both),
    ("이나", Consonant, Outer),
    ("이랑", Consonant, Inner),
    ("라도", Vowel, Outer),
    ("에", Any, Inner),
    ("로", VowelOrRieul, Inner),
    ("와", Vowel, Inner),
    ("과", Consonant, Inner),
    ("만", Any, Both),
    ("은", Consonant, Outer),
    ("는", Vowel, Outer),
    ("도", Any, Outer),
    ("의", Any, Outer),
    ("이", Consonant, Alone),
    ("가", Vowel, Alone),
    ("을", Consonant, Alone),
    ("를", Vowel, Alone),
    ("나", Vowel, Outer),
    ("랑", Vowel, Inner),
];

/// Stems of one syllable that take a particle which is as often part of a word.
const SHORT_STEMS: [(&str, &str); 9] = [
    (
        "이",
        "것집물돈말일밥꿈책몸눈손발방문옷산강땅달별빛힘법약꽃병술점곳날중남형",
    ),
    ("가", "내네제누뭐수차비개해나너저그새피뼈때"),
    ("도", "나너저그것돈밥물집말일꿈내"),
    ("의", "나너저그것집돈물말때년월중내"),
    ("로", "물말나너저뒤위"),
    ("와", "나너저그차개비새"),
    ("과", "것집물돈말밥꿈책몸"),
    ("만", "나너저그것말돈집물밥"),
    ("나", ""),
];

/// Words, or ends of words, whose last syllable only looks like a particle.
const WHOLE: [&str; 76] = [
    "고양이",
    "호랑이",
    "원숭이",
    "어린이",
    "젊은이",
    "늙은이",
    "목걸이",
    "귀걸이",
    "떡볶이",
    "지팡이",
    "달팽이",
    "곰팡이",
    "구렁이",
    "거북이",
    "쟁이",
    "둥이",
    "길잡이",
    "손잡이",
    "벌이",
    "경기도",
    "제주도",
    "강원도",
    "충청도",
    "충청북도",
    "충청남도",
    "전라도",
    "전라북도",
    "전라남도",
    "경상도",
    "경상북도",
    "경상남도",
    "평안도",
    "황해도",
    "함경도",
    "여의도",
    "강화도",
    "울릉도",
    "거제도",
    "한반도",
    "만족도",
    "인지도",
    "완성도",
    "기여도",
    "지지도",
    "난이도",
    "선호도",
    "신뢰도",
    "집중도",
    "이해도",
    "활용도",
    "고속도",
    "주의",
    "국무회의",
    "정상회의",
    "대책회의",
    "전체회의",
    "도로",
    "대로",
    "을지로",
    "충무로",
    "아폴로",
    "산부인과",
    "공학과",
    "영학과",
    "리학과",
    "오키나와",
    "바나나",
    "안테나",
    "코로나",
    "아르헨티나",
    "우크라이나",
    "차이나",
    "아레나",
    "마리화나",
    "만만",
    "아마도",
];

/// Length in bytes of the stem of `word`, what is left without its particles; all of it when there are none. Only words
/// tagged as nouns, pronouns, numerals or unknown have any.
pub(super) fn stem(word: &str, tag: Tag) -> usize {
    if !matches!(tag, Tag::Noun | Tag::Propn | Tag::Pron | Tag::Num | Tag::X) {
        return word.len();
    }
    let Some((mut stem, outer, joins)) = strip(word, |_, _| true) else {
        return singular(word).len();
    };
    if joins != Inner {
        let fits = |text: &str, inner: Joins| match joins {
            Alone => matches!(text, "만" | "까지" | "부터"),
            _ => matches!(inner, Inner | Both) && text != outer,
        };
        stem = strip(stem, fits).map_or(stem, |(stem, _, _)| stem);
    }
    singular(stem).len()
}

/// Takes off the longest particle that may be one.
fn strip(word: &str, fits: impl Fn(&str, Joins) -> bool) -> Option<(&str, &'static str, Joins)> {
    let mut found: Option<(&str, &'static str, Joins)> = None;
    for (particle, after, joins) in PARTICLES {
        if let Some(stem) = word.strip_suffix(particle)
            && found.is_none_or(|(shortest, _, _)| stem.len() < shortest.len())
            && fits(particle, joins)
            && agrees(stem, after)
            && !belongs(word, stem, particle)
        {
            found = Some((stem, particle, joins));
        }
    }
    found
}

/// Whether the end of the stem suits the particle's form. The sound of other scripts is not known, so it suits all.
fn agrees(stem: &str, after: After) -> bool {
    match stem.chars().next_back() {
        Some(last @ '가'..='힣') => {
            let consonant = (last as u32 - '가' as u32) % 28;
            match after {
                Any => true,
                Consonant => consonant != 0,
                Vowel => consonant == 0,
                VowelOrRieul => consonant == 0 || consonant == 8,
            }
        }
        Some(last) => last.is_ascii_alphanumeric(),
        None => false,
    }
}

/// Whether the syllable is rather part of the word than a particle.
fn belongs(word: &str, stem: &str, particle: &str) -> bool {
    let one_syllable = stem.chars().nth(1).is_none();
    let short = SHORT_STEMS.iter().find(|(short, _)| *short == particle);
    one_syllable && short.is_some_and(|(_, stems)| !stems.contains(stem))
        || WHOLE.iter().any(|whole| word.ends_with(whole))
}

/// The word without the plural 들, when at least two syllables stay.
fn singular(word: &str) -> &str {
    match word.strip_suffix('들') {
        Some(stem) if stem.chars().nth(1).is_some() && agrees(stem, Any) => stem,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(word: &str, expected: &str) {
        assert_eq!(&word[..stem(word, Tag::Noun)], expected, "{word}");
    }

    #[test]
    fn particles_go() {
        for (word, expected) in [
            ("나는", "나"),
            ("학교는", "학교"),
            ("학교에서", "학교"),
            ("학교에서는", "학교"),
            ("학교에서의", "학교"),
            ("친구에게도", "친구"),
            ("친구한테", "친구"),
            ("집으로는", "집"),
            ("집에", "집"),
            ("서울로", "서울"),
            ("서울까지의", "서울"),
            ("부산으로부터", "부산"),
            ("미국과", "미국"),
            ("미국과의", "미국"),
            ("나라와", "나라"),
            ("사람들이", "사람"),
            ("사람들에게는", "사람"),
            ("우리들의", "우리"),
            ("책을", "책"),
            ("사과를", "사과"),
            ("커피보다", "커피"),
            ("커피라도", "커피"),
            ("물이라도", "물"),
            ("밥이나", "밥"),
            ("날마다", "날"),
            ("돈밖에", "돈"),
            ("돈만이", "돈"),
            ("이것만으로도", "이것"),
            ("내가", "내"),
            ("것이", "것"),
            ("고양이가", "고양이"),
            ("EC는", "EC"),
            ("8개가", "8개"),
        ] {
            check(word, expected);
        }
    }

    #[test]
    fn words_stay() {
        for word in [
            "아이",
            "나이",
            "고양이",
            "어린이",
            "종이",
            "길이",
            "수도",
            "속도",
            "정도",
            "온도",
            "경기도",
            "국가",
            "작가",
            "휴가",
            "회의",
            "주의",
            "민주주의",
            "강의",
            "결과",
            "효과",
            "학과",
            "도로",
            "피로",
            "고속도로",
            "하나",
            "누나",
            "바나나",
            "대만",
            "불만",
            "마을",
            "가을",
            "아들",
            "그들",
            "은",
            "는",
            "에서",
            "들",
            "",
            "a",
        ] {
            check(word, word);
        }
    }

    #[test]
    fn only_nouns_have_particles() {
        for tag in Tag::ALL {
            let cut = matches!(tag, Tag::Noun | Tag::Propn | Tag::Pron | Tag::Num | Tag::X);
            assert_eq!(stem("학교는", tag) < "학교는".len(), cut, "{tag:?}");
        }
    }

    #[test]
    fn decomposed_syllables_stay() {
        let word = "\u{1112}\u{1161}\u{11A8}\u{1100}\u{116D}\u{1102}\u{1173}\u{11AB}";
        check(word, word);
        let mixed = "\u{1112}\u{1161}\u{11A8}은";
        check(mixed, mixed);
    }

    proptest! {
        #[test]
        fn a_stem_is_never_empty(word in "[가-힣a-z0-9]{1,3}(은|는|이|가|에서|으로|들|도|만|의|나){0,3}|\\PC{1,8}") {
            let length = stem(&word, Tag::Noun);
            prop_assert!(length > 0 && word.is_char_boundary(length));
        }
    }
}
