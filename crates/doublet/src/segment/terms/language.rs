//! Which language a text is in: its script first, then a vote of its function words and letters.
//!
//! Short texts give n-gram models little to go by and take them long. A message of six words nearly always has a function word,
//! and one look-up a word finds it (see [`super::function_words`]). A word that few languages share counts more than one of
//! many; letters that few languages write count as well; words in no list do not vote.

use super::forms::Forms;
use super::function_words::FunctionWords;
use super::kind::{Kind, KindTable};
use super::scan::{Piece, PieceKind, Scripts, scan};
use crate::hash::hash_bytes;
use crate::options::NormalizeOptions;

macro_rules! languages {
    ($($language:ident $code:literal $script:ident)*) => {
        /// A language by name, or the choice to find it out.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Language {
            /// Each text's own language. As an answer: it cannot be told.
            #[default]
            Auto,
            $(#[doc = concat!("`", $code, "`.")] $language,)*
        }

        impl Language {
            /// Every language that has a name here.
            pub const ALL: &[Self] = &[$(Self::$language),*];

            /// ISO 639-1 code; `auto` for [`Self::Auto`].
            pub const fn code(self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    $(Self::$language => $code,)*
                }
            }

            /// The kind of its letters.
            const fn script(self) -> Kind {
                match self {
                    Self::Auto => Kind::Break,
                    $(Self::$language => Kind::$script,)*
                }
            }
        }
    };
}

// At a tie the earlier one wins.
languages! {
    English "en" Latin
    German "de" Latin
    French "fr" Latin
    Spanish "es" Latin
    Portuguese "pt" Latin
    Dutch "nl" Latin
    Russian "ru" Cyrillic
    Chinese "zh" Han
    Japanese "ja" Kana
    Korean "ko" Hangul
    Italian "it" Latin
    Indonesian "id" Latin
    Swedish "sv" Latin
    Danish "da" Latin
    Norwegian "no" Latin
    Finnish "fi" Latin
    Polish "pl" Latin
    Czech "cs" Latin
    Slovak "sk" Latin
    Hungarian "hu" Latin
    Romanian "ro" Latin
    Turkish "tr" Latin
    Catalan "ca" Latin
    Vietnamese "vi" Latin
    Tagalog "tl" Latin
    Croatian "hr" Latin
    Lithuanian "lt" Latin
    Latvian "lv" Latin
    Estonian "et" Latin
    Ukrainian "uk" Cyrillic
    Bulgarian "bg" Cyrillic
    Belarusian "be" Cyrillic
    Kazakh "kk" Cyrillic
    Greek "el" Greek
    Hebrew "he" Hebrew
    Arabic "ar" Arabic
    Persian "fa" Arabic
    Urdu "ur" Arabic
    Hindi "hi" Devanagari
    Marathi "mr" Devanagari
    Nepali "ne" Devanagari
    Bengali "bn" Letter
    Tamil "ta" Letter
    Gujarati "gu" Letter
    Armenian "hy" Letter
    Thai "th" Complex
}

impl serde::Serialize for Language {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

impl<'de> serde::Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code: String = serde::Deserialize::deserialize(from)?;
        let unknown = || serde::de::Error::custom(format_args!("unknown language `{code}`"));
        Self::from_code(&code).ok_or_else(unknown)
    }
}

impl Language {
    /// The language of an ISO 639-1 code, or of `auto`.
    pub fn from_code(code: &str) -> Option<Self> {
        let mut all = [Self::Auto].into_iter().chain(Self::ALL.iter().copied());
        all.find(|language| language.code() == code)
    }

    /// Its bit in a set of languages; [`Self::Auto`] has none.
    pub(super) const fn bit(self) -> u64 {
        match self {
            Self::Auto => 0,
            _ => 1 << (self as u8 - 1),
        }
    }

    fn or(self, other: Self) -> Self {
        match self {
            Self::Auto => other,
            _ => self,
        }
    }

    /// The language whose bit this is the number of.
    pub(super) fn of_bit(bit: u32) -> Self {
        Self::ALL.get(bit as usize).copied().unwrap_or_default()
    }
}

/// The language of a text, [`Language::Auto`] when nothing in it tells.
pub fn detect(text: &str) -> Language {
    let mut voter = Voter::default();
    let kinds = KindTable::get();
    let mut pieces = Vec::new();
    let scripts = scan(text, kinds, &mut pieces);
    let forms = Forms::new(&NormalizeOptions::default(), false);
    let mut form = String::new();
    for piece in &pieces {
        let PieceKind::Word(script) = piece.kind else {
            continue;
        };
        let word = &text[piece.start..piece.end];
        forms.word(word, &mut form);
        voter.word(word, script, hash_bytes(form.as_bytes()));
    }
    voter.decide(&scripts, &pieces, Language::Auto).main
}

/// The language that most of the texts are in, [`Language::Auto`] when no text tells. Of two that are as frequent, the one that
/// [`Language::ALL`] names first. A few hundred texts of a collection are enough.
pub fn majority<'a>(texts: impl IntoIterator<Item = &'a str>) -> Language {
    most_frequent(texts.into_iter().map(|text| (detect(text), 1)))
}

/// The language that most texts are in, given how many are in each.
pub(crate) fn most_frequent(texts: impl IntoIterator<Item = (Language, u64)>) -> Language {
    let mut counts = [0; 65];
    for (language, texts) in texts {
        counts[language as usize] += texts;
    }
    let most = Language::ALL
        .iter()
        .rev()
        .max_by_key(|language| counts[**language as usize]);
    most.copied()
        .filter(|language| counts[*language as usize] > 0)
        .unwrap_or_default()
}

/// What was decided about a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    /// The language of most of it.
    pub(super) main: Language,
    /// The language of its Chinese characters: Chinese or Japanese.
    pub(super) han: Language,
    latin: Language,
    cyrillic: Language,
    arabic: Language,
    devanagari: Language,
    other: Language,
}

impl Decision {
    /// The same with a language that is given: it is the main one and that of all words in its script. Words in Latin letters
    /// inside Japanese or Korean belong to it, and where nothing tells, they are taken for English, and Cyrillic ones for Russian.
    pub(super) fn settled(mut self, given: Language) -> Self {
        if given != Language::Auto {
            self.main = given;
            match given.script() {
                Kind::Latin => self.latin = given,
                Kind::Cyrillic => self.cyrillic = given,
                Kind::Arabic => self.arabic = given,
                Kind::Devanagari => self.devanagari = given,
                Kind::Han | Kind::Kana => self.han = given,
                Kind::Letter => self.other = given,
                _ => {}
            }
        }
        if matches!(self.main, Language::Japanese | Language::Korean) {
            self.latin = self.main;
        }
        self.latin = self.latin.or(Language::English);
        self.cyrillic = self.cyrillic.or(Language::Russian);
        self.main = self.main.or(self.latin);
        self
    }

    /// The language of the words in a script.
    #[inline]
    pub(super) fn language_of(&self, script: Kind) -> Language {
        match script {
            Kind::Latin => self.latin,
            Kind::Cyrillic => self.cyrillic,
            Kind::Arabic => self.arabic,
            Kind::Devanagari => self.devanagari,
            Kind::Hangul => Language::Korean,
            Kind::Greek => Language::Greek,
            Kind::Hebrew => Language::Hebrew,
            Kind::Complex => Language::Thai,
            _ => self.other,
        }
    }
}

/// Points of a function word by the number of languages that list it.
const LISTED_POINTS: [u32; 9] = [0, 12, 8, 6, 4, 3, 3, 2, 2];
/// Points of a frequent word by the number of languages in which it is frequent.
const FREQUENT_POINTS: [u32; 9] = [0, 20, 14, 11, 9, 8, 7, 6, 5];
/// Points of an elided word: languages that elide are few.
const ELIDED_POINTS: u32 = 14;
/// Points of a letter that few languages write.
const LETTER_POINTS: u32 = 8;
/// Points of `¿` and `¡` for Spanish.
const MARK_POINTS: u32 = 24;
/// Points of the fallback language: less than any one word of its own.
const PRIOR_POINTS: u32 = 5;

/// Counts the votes of a text's words.
#[derive(Debug)]
pub(super) struct Voter {
    words: &'static FunctionWords,
    points: [u32; 64],
    /// Languages with points.
    voted: u64,
}

impl Default for Voter {
    fn default() -> Self {
        Self {
            words: FunctionWords::get(),
            points: [0; 64],
            voted: 0,
        }
    }
}

impl Voter {
    /// Forgets all votes.
    pub(super) fn clear(&mut self) {
        while self.voted != 0 {
            self.points[self.voted.trailing_zeros() as usize] = 0;
            self.voted &= self.voted - 1;
        }
    }

    /// Takes the vote of a word, given with the hash of its normal form, and returns the languages that list it.
    #[inline]
    pub(super) fn word(&mut self, word: &str, script: Kind, hash: u64) -> u64 {
        if is_initial(word) {
            return 0;
        }
        let belongs = self.words.belongs(hash);
        let listed = belongs.listed & of_script(script);
        let frequent = belongs.frequent & of_script(script);
        if listed | frequent != 0 {
            self.add(listed, points(listed, &LISTED_POINTS));
            self.add(frequent, points(frequent, &FREQUENT_POINTS));
        } else if let Some(before) = elided(word) {
            let languages = self.words.belongs(hash_bytes(before)).frequent;
            self.add(languages & of_script(script), ELIDED_POINTS);
        }
        if !word.is_ascii() {
            word.chars()
                .for_each(|c| self.add(writers(c), LETTER_POINTS));
        }
        listed
    }

    /// The languages that list the word with this hash.
    pub(super) fn lists(&self, hash: u64) -> u64 {
        self.words.belongs(hash).listed
    }

    fn add(&mut self, mut languages: u64, points: u32) {
        self.voted |= languages;
        while languages != 0 {
            let sum = &mut self.points[languages.trailing_zeros() as usize];
            *sum = sum.saturating_add(points);
            languages &= languages - 1;
        }
    }

    /// The languages of a text whose words have voted. `fallback` wins where they are silent or at odds.
    pub(super) fn decide(
        &mut self,
        scripts: &Scripts,
        pieces: &[Piece],
        fallback: Language,
    ) -> Decision {
        if scripts.spanish_marks {
            self.add(Language::Spanish.bit(), MARK_POINTS);
        }
        let han = if is_japanese(scripts, fallback) {
            Language::Japanese
        } else {
            Language::Chinese
        };
        let mut decision = Decision {
            main: Language::Auto,
            han,
            latin: self.best(Kind::Latin, fallback),
            cyrillic: self.best(Kind::Cyrillic, fallback),
            arabic: self.best(Kind::Arabic, fallback),
            devanagari: self.best(Kind::Devanagari, fallback),
            other: self.best(Kind::Letter, fallback),
        };
        decision.main = main_language(&decision, scripts, pieces);
        decision
    }

    fn best(&self, script: Kind, fallback: Language) -> Language {
        let mut best = (0, Language::Auto);
        let prior = of_script(script) & fallback.bit();
        let mut left = (self.voted & of_script(script)) | prior;
        while left != 0 {
            let bit = left.trailing_zeros();
            let own = if prior & (1 << bit) != 0 {
                PRIOR_POINTS
            } else {
                0
            };
            let points = self.points[bit as usize].saturating_add(own);
            if points > best.0 {
                best = (points, Language::of_bit(bit));
            }
            left &= left - 1;
        }
        best.1
    }
}

/// Whether a word is a single capital that stands for a name, and for no word of one letter.
#[inline]
fn is_initial(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        [b'B'..=b'D' | b'F'..=b'H' | b'J'..=b'N' | b'P'..=b'T' | b'V'..=b'X' | b'Z']
    )
}

#[inline]
fn points(languages: u64, by_number: &[u32; 9]) -> u32 {
    by_number[(languages.count_ones() as usize).min(8)]
}

/// The words before an apostrophe, as `l` in `l'eau`, if they are short.
fn elided(word: &str) -> Option<&[u8]> {
    let bytes = word.as_bytes();
    let length = bytes
        .iter()
        .take(4)
        .position(|byte| matches!(byte, b'\'' | 0xE2))?;
    let before = &bytes[..length];
    let lower = before.iter().all(u8::is_ascii_lowercase);
    (length > 0 && lower).then_some(before)
}

/// Chinese texts have a stray `の` or a face drawn with kana; Japanese ones have kana throughout.
fn is_japanese(scripts: &Scripts, fallback: Language) -> bool {
    let Scripts { han, kana, .. } = *scripts;
    kana > 0 && (kana * 12 >= han + kana || fallback == Language::Japanese)
}

/// The language of the script that fills most of the text; a Chinese character says more than a Latin letter.
fn main_language(decision: &Decision, scripts: &Scripts, pieces: &[Piece]) -> Language {
    let ideographs = (scripts.han + scripts.kana) * 6;
    let hangul = scripts.hangul * 2;
    let most = ideographs
        .max(hangul)
        .max(scripts.letters)
        .max(scripts.complex);
    match most {
        0 => Language::Auto,
        _ if most == ideographs => decision.han,
        _ if most == hangul => Language::Korean,
        _ if most == scripts.letters => main_of_words(decision, pieces),
        _ => Language::Thai,
    }
}

/// The language of the script with the most words besides Hangul; the first of those with as many.
fn main_of_words(decision: &Decision, pieces: &[Piece]) -> Language {
    let mut counts = [0_usize; Kind::Letter as usize + 1];
    for piece in pieces {
        match piece.kind {
            PieceKind::Word(script) if script != Kind::Hangul => counts[script as usize] += 1,
            _ => {}
        }
    }
    let scripts = [
        Kind::Latin,
        Kind::Cyrillic,
        Kind::Greek,
        Kind::Hebrew,
        Kind::Arabic,
        Kind::Devanagari,
        Kind::Letter,
    ];
    let most = scripts
        .into_iter()
        .rev()
        .max_by_key(|script| counts[*script as usize]);
    most.map_or(Language::Auto, |script| decision.language_of(script))
}

/// The languages whose letters are of this kind.
#[inline]
const fn of_script(script: Kind) -> u64 {
    BY_SCRIPT[script as usize]
}

const BY_SCRIPT: [u64; 32] = {
    let mut sets = [0; 32];
    let mut at = 0;
    while at < Language::ALL.len() {
        let language = Language::ALL[at];
        sets[language.script() as usize] |= language.bit();
        at += 1;
    }
    sets
};

macro_rules! bits {
    ($($language:ident)*) => { $(Language::$language.bit())|* };
}

/// The languages that write a letter, if they are few.
fn writers(c: char) -> u64 {
    match c {
        'ß' => bits!(German),
        'ä' | 'Ä' => bits!(German Swedish Finnish Slovak Estonian),
        'ö' | 'Ö' => bits!(German Swedish Finnish Turkish Hungarian Estonian),
        'ü' | 'Ü' => bits!(German Turkish Hungarian Estonian),
        'ñ' | 'Ñ' => bits!(Spanish),
        'ã' | 'Ã' | 'õ' | 'Õ' => bits!(Portuguese Vietnamese Estonian),
        'á' | 'í' | 'ó' | 'ú' => bits!(Spanish Portuguese Czech Slovak Hungarian Vietnamese),
        'é' => bits!(French Spanish Portuguese Hungarian Czech Slovak Catalan),
        'è' | 'ù' => bits!(French Italian Catalan),
        'à' => bits!(French Italian Catalan Portuguese Vietnamese),
        'ò' | 'ì' => bits!(Italian Catalan),
        'ê' => bits!(French Portuguese Vietnamese),
        'ô' => bits!(French Portuguese Slovak Vietnamese),
        'â' => bits!(French Portuguese Romanian Turkish Vietnamese),
        'î' => bits!(French Romanian),
        'û' | 'œ' | 'ï' => bits!(French),
        'ë' => bits!(French Dutch),
        'ç' | 'Ç' => bits!(French Portuguese Turkish Catalan),
        'å' | 'Å' => bits!(Swedish Danish Norwegian),
        'ø' | 'Ø' | 'æ' | 'Æ' => bits!(Danish Norwegian),
        'ł' | 'Ł' | 'ś' | 'ź' | 'ż' | 'ń' => bits!(Polish),
        'ą' | 'ę' => bits!(Polish Lithuanian),
        'ć' => bits!(Polish Croatian),
        'ğ' | 'ş' | 'ı' | 'İ' | 'Ş' => bits!(Turkish),
        'ř' | 'ě' | 'ů' => bits!(Czech),
        'š' | 'č' | 'ž' | 'Š' | 'Č' | 'Ž' => {
            bits!(Czech Slovak Croatian Lithuanian Latvian Estonian)
        }
        'ý' | 'ť' | 'ď' | 'ň' => bits!(Czech Slovak),
        'ľ' | 'ĺ' | 'ŕ' => bits!(Slovak),
        'ő' | 'ű' => bits!(Hungarian),
        'ă' => bits!(Romanian Vietnamese),
        'ș' | 'ț' | 'ţ' => bits!(Romanian),
        'đ' => bits!(Croatian Vietnamese),
        'ơ' | 'ư' | '\u{1EA0}'..='\u{1EF9}' => bits!(Vietnamese),
        'ė' | 'į' | 'ų' => bits!(Lithuanian),
        'ū' => bits!(Lithuanian Latvian),
        'ā' | 'ē' | 'ī' | 'ķ' | 'ļ' | 'ņ' | 'ģ' => bits!(Latvian),
        'і' | 'І' => bits!(Ukrainian Belarusian Kazakh),
        'ї' | 'є' | 'ґ' | 'Ї' | 'Є' => bits!(Ukrainian),
        'ў' | 'Ў' => bits!(Belarusian),
        'ы' | 'э' | 'ё' => bits!(Russian Belarusian Kazakh),
        'ъ' => bits!(Bulgarian Russian),
        'ә' | 'ғ' | 'қ' | 'ң' | 'ө' | 'ұ' | 'ү' | 'һ' => bits!(Kazakh),
        'پ' | 'چ' | 'ژ' | 'گ' => bits!(Persian Urdu),
        'ک' | 'ی' => bits!(Persian Urdu),
        'ٹ' | 'ڈ' | 'ڑ' | 'ے' | 'ں' | 'ہ' => bits!(Urdu),
        'ة' | 'ى' | 'ي' | 'ك' => bits!(Arabic),
        'ळ' => bits!(Marathi),
        '\u{980}'..='\u{9FF}' => bits!(Bengali),
        '\u{A80}'..='\u{AFF}' => bits!(Gujarati),
        '\u{B80}'..='\u{BFF}' => bits!(Tamil),
        '\u{530}'..='\u{58F}' => bits!(Armenian),
        _ => 0,
    }
}
/// The languages of at least one text in twenty, given that of each; English if none tells its own.
pub fn frequent_languages(found: &[Language]) -> Vec<Language> {
    let share = |language: Language| found.iter().filter(|other| **other == language).count();
    let enough = |language: &Language| {
        let share = share(*language);
        share > 0 && share >= found.len() / 20
    };
    let known = Language::ALL.iter().copied();
    let mut languages: Vec<Language> = known
        .filter(|language| *language != Language::Auto)
        .filter(enough)
        .collect();
    if languages.is_empty() {
        languages.push(Language::English);
    }
    languages
}
