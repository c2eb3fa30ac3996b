//! What a character can be at the end of a sentence or at the beginning of the next.

/// Stops that end a sentence whatever follows, for their scripts know no other use of them and often no space after them.
pub(super) fn is_strong_stop(c: char) -> bool {
    matches!(
        c,
        '。' | '｡'
            | '！'
            | '？'
            | '．'
            | '।'
            | '॥'
            | '؟'
            | '۔'
            | '։'
            | '።'
            | '፧'
            | '፨'
            | '။'
            | '។'
            | '៕'
            | '།'
            | '༎'
            | '\u{37E}'
    )
}

/// Exclamation and question marks of scripts with spaces.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '!' | '?' | '‼' | '⁇' | '⁈' | '⁉')
}

/// All characters that can end a sentence.
pub(super) fn is_stop(c: char) -> bool {
    c == '.' || c == '…' || is_mark(c) || is_strong_stop(c)
}

/// A character that ends a line.
pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Quotes and brackets that only close.
pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        ')' | ']'
            | '}'
            | '”'
            | '’'
            | '」'
            | '』'
            | '）'
            | '】'
            | '〉'
            | '》'
            | '〕'
            | '］'
            | '｝'
            | '›'
            | '｣'
            | '〟'
    )
}

/// Quotes that close in one language and open in another.
pub(super) fn is_either_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '‘' | '«' | '»' | '＂' | '`')
}

/// Quotes and brackets that open, and the marks that open a Spanish question.
pub(super) fn is_opener(c: char) -> bool {
    matches!(
        c,
        '(' | '['
            | '{'
            | '„'
            | '‚'
            | '‹'
            | '「'
            | '『'
            | '（'
            | '【'
            | '〈'
            | '《'
            | '¿'
            | '¡'
            | '〔'
            | '［'
            | '｢'
    )
}

/// Quotes of any direction.
pub(super) fn is_quote(c: char) -> bool {
    is_either_quote(c)
        || matches!(
            c,
            '”' | '’' | '„' | '‚' | '‹' | '›' | '「' | '」' | '『' | '』'
        )
}

/// Dashes, which stand before speech in many languages.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '‐'..='―' | '−')
}

/// Characters that carry on what was before them: after a stop they show that it ends nothing.
pub(super) fn is_continuing(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | ':'
            | '/'
            | '%'
            | '&'
            | '='
            | '+'
            | '、'
            | '，'
            | '；'
            | '：'
            | '،'
            | '؛'
            | '・'
            | '_'
            | '\\'
            | '~'
    )
}

/// Marks and invisible characters that belong to whatever stands before them.
pub(super) fn is_attached(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{300}'..='\u{36F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{20D0}'..='\u{20FF}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
    )
}

/// Emoji and other pictures.
pub(super) fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}'
        | '\u{1F000}'..='\u{1FAFF}')
}

/// Letters of Korean.
pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}')
}

/// Kana and Han characters, written without spaces.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Letters of Thai and Lao, whose full stop only shortens words.
pub(super) fn is_thai_or_lao(c: char) -> bool {
    matches!(c, '\u{E01}'..='\u{EDF}')
}

/// Whether a letter has case at all.
pub(super) fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Columns on a terminal: two for East Asian characters and pictures, none for what is attached.
pub(super) fn columns(c: char) -> usize {
    match c {
        '\u{0}'..='\u{2FF}' => 1,
        _ if is_attached(c) => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE4F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => 2,
        _ => 1,
    }
}

/// The first character at `at` or after.
#[inline]
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// The last character before `at`.
#[inline]
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}
