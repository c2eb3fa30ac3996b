//! Stage 1, read: the text of an HTML page, with offsets.
//!
//! html5gum finds the tags; the text is what stands between them in the source, so that its offsets are known, and entities
//! in it are decoded one by one. Block elements and `<br>` end a line, inline elements do not end a word. Scripts, styles,
//! templates and `noscript` are dropped; the title stays.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Token, Tokenizer};
use memchr::memchr;

use super::offsets::Extract;

/// Elements whose content is no text.
const DROPPED: [&[u8]; 4] = [b"script", b"style", b"template", b"noscript"];

/// Elements in the middle of a word leave it whole.
const INLINE: [&[u8]; 38] = [
    b"a", b"abbr", b"acronym", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"data", b"del",
    b"dfn", b"em", b"font", b"i", b"ins", b"kbd", b"label", b"mark", b"nobr", b"q", b"rb", b"rp",
    b"rt", b"ruby", b"s", b"samp", b"small", b"span", b"strike", b"strong", b"sub", b"sup",
    b"time", b"tt", b"u", b"var", b"wbr",
];

/// Takes the text out of a page. Any bytes are a page to HTML, so this cannot fail.
pub(super) fn extract(source: &str) -> Extract {
    let mut walk = Walk {
        source,
        out: Extract::default(),
        text_from: 0,
        string_end: 0,
        tag: Vec::new(),
        dropping: None,
        preformatted: 0,
    };
    let mut emitter = CallbackEmitter::new(
        |event: CallbackEvent<'_>, span: Span| -> Option<Infallible> {
            walk.event(&event, span);
            None
        },
    );
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(source, emitter).finish();
    walk.end();
    walk.out
}

/// Whether an element of HTML may stand in the middle of a word.
fn is_inline(name: &[u8]) -> bool {
    INLINE.binary_search(&name).is_ok()
}

struct Walk<'s> {
    source: &'s str,
    out: Extract,
    /// Where the text after the last tag starts.
    text_from: usize,
    /// Where the tokenizer's last run of characters ends.
    string_end: usize,
    /// Name of the start tag that is being read.
    tag: Vec<u8>,
    /// The element that is being dropped, and how deep it is nested in itself.
    dropping: Option<(Vec<u8>, usize)>,
    preformatted: usize,
}

impl Walk<'_> {
    fn event(&mut self, event: &CallbackEvent<'_>, span: Span) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.text_until(span.start);
                self.tag.clear();
                self.tag.extend_from_slice(name);
            }
            CallbackEvent::CloseStartTag { .. } => {
                let name = std::mem::take(&mut self.tag);
                self.start_tag(&name);
                self.tag = name;
                self.text_from = span.end;
            }
            CallbackEvent::EndTag { name } => {
                self.text_until(span.start);
                self.end_tag(name);
                self.text_from = span.end;
            }
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } => {
                self.text_until(span.start);
                self.text_from = span.end;
            }
            CallbackEvent::String { .. } => self.string_end = span.end,
            _ => {}
        }
    }

    /// What stands behind the last tag is text only as far as the tokenizer says: a tag cut off by the end is none.
    fn end(&mut self) {
        if self.string_end > self.text_from {
            self.text_until(self.string_end);
        }
    }

    fn start_tag(&mut self, name: &[u8]) {
        if let Some((dropped, depth)) = &mut self.dropping {
            *depth += usize::from(dropped == name);
            return;
        }
        if DROPPED.contains(&name) {
            self.dropping = Some((name.to_vec(), 1));
        }
        self.preformatted += usize::from(is_preformatted(name));
        self.boundary(name);
    }

    fn end_tag(&mut self, name: &[u8]) {
        if let Some((dropped, depth)) = &mut self.dropping {
            *depth -= usize::from(dropped == name);
            if *depth == 0 {
                self.dropping = None;
            }
            return;
        }
        if is_preformatted(name) {
            self.preformatted = self.preformatted.saturating_sub(1);
        }
        self.boundary(name);
    }

    fn boundary(&mut self, name: &[u8]) {
        if !is_inline(name) {
            self.out.line_break(self.text_from);
        }
    }

    /// Adds the text from the last tag up to `end`.
    fn text_until(&mut self, end: usize) {
        let from = std::mem::replace(&mut self.text_from, end);
        if self.dropping.is_some() {
            return;
        }
        let Some(text) = self.source.get(from..end) else {
            return;
        };
        push_with_entities(&mut self.out, text, from, self.preformatted > 0);
    }
}

fn is_preformatted(name: &[u8]) -> bool {
    name == b"pre" || name == b"textarea"
}

/// Adds text that stands at `source`, entities decoded.
fn push_with_entities(out: &mut Extract, text: &str, source: usize, keep_breaks: bool) {
    let mut at = 0;
    while let Some(ampersand) = memchr(b'&', &text.as_bytes()[at..]) {
        let start = at + ampersand;
        let len = reference_len(&text.as_bytes()[start..]);
        let reference = &text[start..start + len];
        out.push(&text[at..start], source + at, keep_breaks);
        match entity(reference) {
            Some(decoded) => out.push_replaced(&decoded, source + start, len),
            None => out.push(reference, source + start, keep_breaks),
        }
        at = start + len;
    }
    out.push(&text[at..], source + at, keep_breaks);
}

/// Bytes that may belong to a reference: `&`, `#`, letters and digits, `;`.
fn reference_len(bytes: &[u8]) -> usize {
    const LONGEST: usize = 40;
    let hash = usize::from(bytes.get(1) == Some(&b'#'));
    let name = bytes[1 + hash..]
        .iter()
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let end = 1 + hash + name;
    end + usize::from(name > 0 && bytes.get(end) == Some(&b';'))
}

/// What a reference such as `&auml;` stands for; `None` when it stands for itself.
pub(super) fn entity(reference: &str) -> Option<String> {
    if reference.len() < 3 {
        return None;
    }
    let mut decoded = String::new();
    for token in Tokenizer::new(reference) {
        let Ok(token) = token;
        if let Token::String(text) = token {
            decoded.push_str(&String::from_utf8_lossy(&text.value));
        }
    }
    (decoded != reference).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        extract(source).text
    }

    #[test]
    fn markup_goes_and_words_stay_whole() {
        assert_eq!(
            text("<p>A <b>bo</b>ld w<i>o</i>rd</p><p>next"),
            "A bold word\nnext"
        );
        assert_eq!(
            text("one<br>two<div>three</div>four"),
            "one\ntwo\nthree\nfour"
        );
        assert_eq!(text("<title>T</title><body>b"), "T\nb");
        assert_eq!(text("a<!-- no -->b<script>if (a<b) x()</script>c"), "ab\nc");
        assert_eq!(
            text("<style>p{}</style><noscript><p>on</p></noscript>x"),
            "x"
        );
        assert_eq!(text("<template><template>a</template>b</template>c"), "c");
        assert_eq!(text("a < b & c > d"), "a < b & c > d");
        assert_eq!(text("<pre>a\nb</pre> c\nd"), "a\nb\n c d");
        assert_eq!(text("cut <a href=\"off"), "cut ");
        assert_eq!(text(""), "");
    }

    #[test]
    fn entities_are_decoded() {
        assert_eq!(
            text("K&auml;se &amp; Br&#246;t &#x41;&lt;b&gt;"),
            "K\u{e4}se & Br\u{f6}t A<b>"
        );
        assert_eq!(text("AT&T &unknown; &"), "AT&T &unknown; &");
        assert_eq!(text("&notin; &notit; &copy"), "\u{2209} \u{ac}it; \u{a9}");
        assert_eq!(text("a&#13;b &#0;"), "a\rb \u{fffd}");
    }

    #[test]
    fn every_word_is_cut_from_the_source_by_the_map() {
        let source = "<html><head><title>The page</title></head>\r\n<body class='x'><h1>Gr\u{fc}\u{df}e</h1>\n\
            <p>from <em>all</em> of us &amp; <a href=\"/u\">others</a><br/>\nsecond\tline</p><!-- c --><ul><li>one\
            <li>two</ul></body></html>\n";
        let page = extract(source);
        for word in page.text.split_whitespace().filter(|word| *word != "&") {
            let at = word.as_ptr() as usize - page.text.as_ptr() as usize;
            let range = page.map.source(at)..page.map.source_end(at + word.len());
            assert_eq!(&source[range], word);
        }
        let at = page.text.find('&').unwrap();
        assert_eq!(
            &source[page.map.source(at)..page.map.source_end(at + 1)],
            "&amp;"
        );
    }

    #[test]
    fn the_list_of_inline_elements_is_sorted() {
        assert!(INLINE.is_sorted());
    }
}
