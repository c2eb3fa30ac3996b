//! One pass over a text: from characters to pieces, each a word, a number, an address, an emoji, or a run of a script that
//! does not separate words.
//!
//! Words are those of UAX #29 (`don't`, `gr8`, `3.14`, `U.S`), found with one look-up a character. On top of them come the
//! shapes of [`super::shapes`], and numbers with a colon or a percent sign. What lies between pieces is no term.

use super::kind::{Kind, KindTable};
use super::shapes;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A word of a script that separates words; the script is Hangul or that of its first letter.
    Word(Kind),
    /// A numeral by its shape.
    Number,
    /// Chinese characters and Japanese syllables.
    Han,
    /// Thai, Lao, Khmer or Burmese.
    Complex,
    /// A web or e-mail address.
    Url,
    /// A name after `@`.
    Mention,
    /// A word after `#`.
    Hashtag,
    /// One emoji.
    Emoji,
}

/// A piece of a text: bytes `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: PieceKind,
}

/// How much of a text stands in which script, and what points at a language.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scripts {
    /// Chinese characters.
    pub(super) han: usize,
    /// Japanese syllables.
    pub(super) kana: usize,
    /// Bytes of Hangul words.
    pub(super) hangul: usize,
    /// Bytes of other words.
    pub(super) letters: usize,
    /// Bytes of Thai, Lao, Khmer and Burmese.
    pub(super) complex: usize,
    /// Whether `¿` or `¡` opens something.
    pub(super) spanish_marks: bool,
}

/// A word as UAX #29 bounds it.
#[derive(Clone, Copy, Debug)]
struct Word {
    end: usize,
    /// Script of the first letter, or Hangul.
    script: Option<Kind>,
    digits: bool,
    /// Whether punctuation stands inside.
    joined: bool,
}

/// Fills `pieces` with the pieces of `text`, in order.
pub(super) fn scan(text: &str, kinds: KindTable, pieces: &mut Vec<Piece>) -> Scripts {
    pieces.clear();
    let mut scan = Scan {
        text,
        kinds,
        scripts: Scripts::default(),
    };
    let mut at = 0;
    while let Some(kind) = scan.kind_at(at) {
        let piece = scan.piece(at, kind);
        at = piece.end;
        if let Some(kind) = piece.kind {
            let Found { start, end, .. } = piece;
            pieces.push(Piece { start, end, kind });
        }
    }
    scan.scripts
}

/// A stretch of text that was passed, and what it is, if it is a piece.
struct Found {
    start: usize,
    end: usize,
    kind: Option<PieceKind>,
}

struct Scan<'a> {
    text: &'a str,
    kinds: KindTable,
    scripts: Scripts,
}

impl Scan<'_> {
    #[inline]
    fn kind_at(&self, at: usize) -> Option<Kind> {
        let byte = *self.text.as_bytes().get(at)?;
        Some(if byte < 128 {
            self.kinds.of_ascii(byte)
        } else {
            self.kinds.of(self.char_at(at))
        })
    }

    fn char_at(&self, at: usize) -> char {
        self.text[at..].chars().next().unwrap_or('\0')
    }

    fn char_length(&self, at: usize) -> usize {
        match self.text.as_bytes().get(at) {
            Some(byte) if *byte >= 128 => self.char_at(at).len_utf8(),
            _ => 1,
        }
    }

    /// What starts at `start` with a character of `kind`.
    #[inline]
    fn piece(&mut self, start: usize, kind: Kind) -> Found {
        if kind <= Kind::Join {
            return self.word_piece(start);
        }
        let (end, kind) = match kind {
            Kind::Break if self.text.as_bytes()[start] < 128 => (start + 1, None),
            Kind::Han | Kind::Kana => (self.ideographs(start), Some(PieceKind::Han)),
            Kind::Complex => {
                let end = self.run(start, |kind| kind == Kind::Complex);
                self.scripts.complex += end - start;
                (end, Some(PieceKind::Complex))
            }
            Kind::Number => (self.past_extends(start), Some(PieceKind::Number)),
            Kind::Picture | Kind::Flag => {
                (shapes::cluster(self.text, start), Some(PieceKind::Emoji))
            }
            Kind::At => self.sign(start, shapes::mention, PieceKind::Mention),
            Kind::Hash => self.sign(start, shapes::hashtag, PieceKind::Hashtag),
            _ => self.between(start),
        };
        Found { start, end, kind }
    }

    /// A mention or hashtag, or just its sign. Within a word the sign opens nothing.
    fn sign(
        &mut self,
        start: usize,
        shape: fn(&str, usize, KindTable) -> Option<usize>,
        kind: PieceKind,
    ) -> (usize, Option<PieceKind>) {
        let inside = self.text[..start]
            .chars()
            .next_back()
            .is_some_and(|c| self.kinds.of(c) <= Kind::Join);
        match shape(self.text, start, self.kinds) {
            Some(end) if !inside => (end, Some(kind)),
            _ => self.between(start),
        }
    }

    /// A character between pieces, unless a variation selector or keycap makes an emoji of it.
    fn between(&mut self, start: usize) -> (usize, Option<PieceKind>) {
        let c = self.char_at(start);
        let end = start + c.len_utf8();
        self.scripts.spanish_marks |= matches!(c, '¿' | '¡');
        let rest = &self.text[end..];
        let emoji = match c {
            '#' | '*' => rest.trim_start_matches('\u{FE0F}').starts_with('\u{20E3}'),
            _ => self.kinds.of(c) == Kind::Symbol && rest.starts_with('\u{FE0F}'),
        };
        if emoji {
            (shapes::cluster(self.text, start), Some(PieceKind::Emoji))
        } else {
            (end, None)
        }
    }

    fn run(&self, start: usize, belongs: impl Fn(Kind) -> bool) -> usize {
        let rest = self.text[start..].char_indices();
        rest.map(|(place, c)| (place, self.kinds.of(c)))
            .find(|&(_, kind)| kind != Kind::Extend && !belongs(kind))
            .map_or(self.text.len(), |(place, _)| start + place)
    }

    fn past_extends(&self, start: usize) -> usize {
        self.run(start + self.char_length(start), |_| false)
    }

    fn ideographs(&mut self, start: usize) -> usize {
        let (mut han, mut kana) = (0, 0);
        let mut end = self.text.len();
        for (place, c) in self.text[start..].char_indices() {
            // Most characters need no look-up.
            if matches!(c, '\u{4E00}'..='\u{9FFF}') {
                han += 1;
                continue;
            }
            match self.kinds.of(c) {
                Kind::Han => han += 1,
                Kind::Kana => kana += 1,
                Kind::Extend => {}
                _ => {
                    end = start + place;
                    break;
                }
            }
        }
        self.scripts.han += han;
        // One syllable by itself is the arm of a face.
        if han + kana > 1 {
            self.scripts.kana += kana;
        }
        end
    }

    #[inline]
    fn word_piece(&mut self, start: usize) -> Found {
        if let Some(end) = shapes::web_address(self.text, start, self.kinds) {
            let kind = Some(PieceKind::Url);
            return Found { start, end, kind };
        }
        let word = self.word(start);
        let next = self.text.as_bytes().get(word.end);
        let perhaps = word.joined || matches!(next, Some(b'.' | b'-' | b'@' | b'+' | b'/'));
        if perhaps && let Some(end) = shapes::bare_address(self.text, start, self.kinds) {
            let kind = Some(PieceKind::Url);
            return Found { start, end, kind };
        }
        match word.script {
            Some(script) => {
                let length = word.end - start;
                match script {
                    Kind::Hangul => self.scripts.hangul += length,
                    _ => self.scripts.letters += length,
                }
                let (end, kind) = (word.end, Some(PieceKind::Word(script)));
                Found { start, end, kind }
            }
            None if word.digits => self.number(start, word.end),
            None => Found {
                start,
                end: word.end,
                kind: None,
            },
        }
    }

    /// A word of digits: with the rest of a time of day or a percent sign, or a keycap.
    fn number(&self, start: usize, mut end: usize) -> Found {
        let bytes = self.text.as_bytes();
        if bytes[start] < 128 && self.text[start + 1..end].ends_with('\u{20E3}') && end - start <= 7
        {
            let kind = Some(PieceKind::Emoji);
            return Found { start, end, kind };
        }
        while bytes.get(end) == Some(&b':') && self.kind_at(end + 1) == Some(Kind::Digit) {
            let next = self.word(end + 1);
            if next.script.is_some() {
                break;
            }
            end = next.end;
        }
        let percent = self.text[end..].chars().next();
        if let Some(sign @ ('%' | '‰' | '٪' | '％')) = percent {
            end += sign.len_utf8();
        }
        let kind = Some(PieceKind::Number);
        Found { start, end, kind }
    }

    /// The word of UAX #29 that starts at `start` with a letter, digit, joining or extending character.
    #[inline]
    fn word(&self, start: usize) -> Word {
        let bytes = self.text.as_bytes();
        let mut word = Word {
            end: start,
            script: None,
            digits: false,
            joined: false,
        };
        let mut last = Kind::Break;
        while let Some(kind) = self.kind_at(word.end) {
            if kind.is_letter() {
                // A Korean particle makes a Korean word of a foreign name.
                if word.script.is_none() || kind == Kind::Hangul {
                    word.script = Some(kind);
                }
            } else if kind == Kind::Digit {
                word.digits = true;
            } else if kind == Kind::Extend {
                word.end += self.char_length(word.end);
                continue;
            } else if kind != Kind::Join {
                let length = self.char_length(word.end);
                match self.joins(last, kind, word.end + length) {
                    Joins::Next => word.joined = true,
                    Joins::Not => return word,
                    Joins::Last => {
                        word.end = self.past_extends(word.end);
                        return word;
                    }
                }
                word.end += length;
                continue;
            }
            last = kind;
            word.end += if bytes[word.end] < 128 {
                1
            } else {
                self.char_length(word.end)
            };
        }
        word
    }

    /// Whether punctuation of `kind` stands inside a word, between what `last` ended with and what stands at `after`.
    fn joins(&self, last: Kind, kind: Kind, after: usize) -> Joins {
        let within_letters = matches!(kind, Kind::MidLetter | Kind::MidBoth | Kind::Quote);
        let within_digits = matches!(kind, Kind::MidNumber | Kind::MidBoth | Kind::Quote);
        let hebrew = last == Kind::Hebrew && kind == Kind::DoubleQuote;
        if !(last.is_letter() && within_letters || last == Kind::Digit && within_digits || hebrew) {
            return Joins::Not;
        }
        let next = self.kind_at(self.run(after, |_| false));
        match next {
            Some(Kind::Hebrew) if hebrew => Joins::Next,
            Some(next) if next.is_letter() && last.is_letter() && !hebrew => Joins::Next,
            Some(Kind::Digit) if last == Kind::Digit => Joins::Next,
            _ if last == Kind::Hebrew && kind == Kind::Quote => Joins::Last,
            _ => Joins::Not,
        }
    }
}

/// How punctuation belongs to the word before it.
enum Joins {
    /// It does not.
    Not,
    /// It does, and nothing follows.
    Last,
    /// It does, and so does what follows.
    Next,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    fn pieces(text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        scan(text, KindTable::get(), &mut pieces);
        pieces
    }

    fn check(text: &str, expected: &str) {
        let found: Vec<String> = pieces(text)
            .iter()
            .map(|piece| {
                let sign = match piece.kind {
                    PieceKind::Word(_) => "",
                    PieceKind::Number => "n:",
                    PieceKind::Han => "h:",
                    PieceKind::Complex => "c:",
                    PieceKind::Url => "u:",
                    PieceKind::Mention => "m:",
                    PieceKind::Hashtag => "t:",
                    PieceKind::Emoji => "e:",
                };
                format!("{sign}{}", &text[piece.start..piece.end])
            })
            .collect();
        assert_eq!(found.join("|"), expected, "{text}");
    }

    #[test]
    fn words_and_numbers() {
        check("Don't go, gr8 U.S. x_1 'tis", "Don't|go|gr8|U.S|x_1|tis");
        check(
            "3.14 1,000 10:30 50% ½ 5pm",
            "n:3.14|n:1,000|n:10:30|n:50%|n:½|5pm",
        );
        check("٣٫٥ ४५ ４５％ 1٬000", "n:٣٫٥|n:४५|n:４５％|n:1٬000");
        check("12-34 1. -5 +6 $7", "n:12|n:34|n:1|n:5|n:6|n:7");
        check("10:3x 1:2:", "n:10|3x|n:1:2");
        check(
            "cafe\u{301}s naïve\u{AD}ly a\u{200D}b",
            "cafe\u{301}s|naïve\u{AD}ly|a\u{200D}b",
        );
        check("צה\"ל ג'ירפה ר'", "צה\"ל|ג'ירפה|ר'");
        check("한국어 KBS는 3월에", "한국어|KBS는|3월에");
        check("中文ABC中カナ漢字12月", "h:中文|ABC|h:中カナ漢字|n:12|h:月");
        check("ไทย ๑๒ ລາວ ខ្មែរ မြန်မာ", "c:ไทย|n:๑๒|c:ລາວ|c:ខ្មែរ|c:မြန်မာ");
        check("___ … --- \u{301} \u{FFFD}", "");
        check("", "");
    }

    #[test]
    fn addresses() {
        check("see http://a.b/c?d=e. ok", "see|u:http://a.b/c?d=e|ok");
        check(
            "(https://en.org/x_(y)) www.X.com!",
            "u:https://en.org/x_(y)|u:www.X.com",
        );
        check("看http://t.cn/Ab，好", "h:看|u:http://t.cn/Ab|h:好");
        check("https://de.org/Köln,", "u:https://de.org/Köln");
        check(
            "bit.ly/abc example.com, x.co.uk 163.com",
            "u:bit.ly/abc|u:example.com|u:x.co.uk|u:163.com",
        );
        check(
            "my-site.com/a-b e-mail and/or",
            "u:my-site.com/a-b|e|mail|and|or",
        );
        check("a.b+c@d-e.org, x@y a@b.c", "u:a.b+c@d-e.org|x|y|a|b.c");
        check(
            "end.of me.so U.S./x 3.5/x http:// www. ",
            "end.of|me.so|U.S|x|n:3.5|x|http|www",
        );
        check(
            "example.com:8080/x ok.com?q",
            "u:example.com:8080/x|u:ok.com?q",
        );
    }

    #[test]
    fn mentions_hashtags_and_emoji() {
        check("@anna_b: hi @ a@b", "m:@anna_b|hi|a|b");
        check("＠山田 #Über2 #1 C#x ##", "m:＠山田|t:#Über2|n:1|C|x");
        check(
            "#话题# 好 #a #b #中 #文",
            "t:#话题#|h:好|t:#a|t:#b|t:#中|t:#文",
        );
        check("#双 十一#x #हिन्दी", "t:#双 十一#|x|t:#हिन्दी");
        check("👍🏽👨‍👩‍👧🇩🇪❤\u{FE0F}☺", "e:👍🏽|e:👨‍👩‍👧|e:🇩🇪|e:❤\u{FE0F}|e:☺");
        check(
            "1\u{FE0F}\u{20E3} #\u{FE0F}\u{20E3} ©\u{FE0F} © ★",
            "e:1\u{FE0F}\u{20E3}|e:#\u{FE0F}\u{20E3}|e:©\u{FE0F}",
        );
    }

    #[test]
    fn long_texts_take_linear_time() {
        for unit in [
            "a",
            "a-",
            "a.",
            "a@",
            "#",
            "#中 ",
            "1:",
            "http://",
            "http://-",
            "www.-",
            "a/",
            "a+",
            "(",
            "@a",
            "é\u{301}",
            "👍🏽",
            "中",
            "ก",
        ] {
            let text = unit.repeat((1 << 20) / unit.len());
            let mut last = 0;
            for piece in pieces(&text) {
                assert!(last <= piece.start && piece.start < piece.end, "{unit}");
                last = piece.end;
            }
        }
    }

    /// The words of UAX #29 that have a letter or digit, and ours. Shapes beyond words are left out.
    fn words_agree(text: &str) {
        let scan = Scan {
            text,
            kinds: KindTable::get(),
            scripts: Scripts::default(),
        };
        let opens = |c: char| scan.kinds.of(c) <= Kind::Digit;
        let mut ours = Vec::new();
        let mut at = 0;
        while let Some(kind) = scan.kind_at(at) {
            let end = if kind <= Kind::Join {
                scan.word(at).end
            } else {
                at + scan.char_length(at)
            };
            if text[at..end].contains(opens) {
                ours.push((at, &text[at..end]));
            }
            at = end;
        }
        let theirs: Vec<_> = text
            .split_word_bound_indices()
            .filter(|(_, word)| word.contains(opens))
            .collect();
        assert_eq!(ours, theirs, "{text:?}");
    }

    proptest! {
        #[test]
        fn ascii_words_are_those_of_uax_29(text in "[ -~\\n\\t]{0,40}|[a-c0-2.,:;'_ \"-]{0,20}|[\\x00-\\x7F]{0,20}") {
            words_agree(&text);
        }

        #[test]
        fn words_of_alphabets_are_those_of_uax_29(
            text in "[a-zß-öæøłğйёяґЁΑ-Ωά-ώ0-9.,:;'’_ …«»\u{301}\u{AD}\u{200C}\u{200F}אבגש\"عربيهہहिन्दी한국어ㅋაბ٠-٩०-९0-9]{0,24}"
        ) {
            words_agree(&text);
        }
    }
}
