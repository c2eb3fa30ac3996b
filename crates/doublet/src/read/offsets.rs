//! Stage 1, read: from offsets in extracted text back to the source.
//!
//! Text that was taken out of markup is a row of pieces. A piece copied byte for byte maps linearly; a decoded entity or
//! an inserted line break maps as a whole. Pieces cover the text without gaps, so that a binary search finds the one that
//! an offset falls in.

/// Maps byte offsets in extracted text back to byte offsets in the raw record it was extracted from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Where the piece ends in the text; it starts where the one before ends.
    text_end: usize,
    /// Where it starts in the source.
    source: usize,
    /// Bytes it takes in the source.
    source_len: usize,
    /// Whether each byte of the text is one byte of the source.
    linear: bool,
}

impl OffsetMap {
    /// Where the character that starts at `offset` of the text starts in the source. An offset inside a decoded entity
    /// maps to the start of the entity; an offset past the text maps to the end of the last piece.
    pub fn source(&self, offset: usize) -> usize {
        let index = self
            .pieces
            .partition_point(|piece| piece.text_end <= offset);
        match self.pieces.get(index) {
            Some(piece) if piece.linear => piece.source + (offset - self.start(index)),
            Some(piece) => piece.source,
            None => self.end(),
        }
    }

    /// Where a range of the text that ends before `offset` ends in the source: just after its last character, even when
    /// markup follows.
    pub fn source_end(&self, offset: usize) -> usize {
        let index = self.pieces.partition_point(|piece| piece.text_end < offset);
        match self.pieces.get(index) {
            Some(piece) if piece.linear => piece.source + (offset - self.start(index)),
            Some(piece) => piece.source + piece.source_len,
            None => self.end(),
        }
    }

    fn start(&self, index: usize) -> usize {
        index
            .checked_sub(1)
            .and_then(|before| self.pieces.get(before))
            .map_or(0, |piece| piece.text_end)
    }

    fn end(&self) -> usize {
        self.pieces
            .last()
            .map_or(0, |piece| piece.source + piece.source_len)
    }

    /// The map of a text that stands in one piece at `source`.
    pub(super) fn shifted(source: usize, len: usize) -> Self {
        let mut map = OffsetMap::default();
        map.copied(len, source);
        map
    }

    /// Moves the whole source by `by` bytes, for markup that is itself wrapped in something.
    pub(super) fn shift(mut self, by: usize) -> Self {
        for piece in &mut self.pieces {
            piece.source += by;
        }
        self
    }

    /// Adds a piece of `len` bytes that stands as it is at `source`.
    pub(super) fn copied(&mut self, len: usize, source: usize) {
        if len == 0 {
            return;
        }
        let start = self.start(self.pieces.len());
        if let Some(last) = self.pieces.last_mut()
            && last.linear
            && last.source + last.source_len == source
        {
            last.text_end += len;
            last.source_len += len;
            return;
        }
        self.pieces.push(Piece {
            text_end: start + len,
            source,
            source_len: len,
            linear: true,
        });
    }

    /// Adds a piece of `len` bytes that stands for `source_len` other bytes at `source`.
    pub(super) fn replaced(&mut self, len: usize, source: usize, source_len: usize) {
        if len == 0 {
            return;
        }
        let start = self.start(self.pieces.len());
        self.pieces.push(Piece {
            text_end: start + len,
            source,
            source_len,
            linear: false,
        });
    }
}

/// Text under extraction, with its map. Shared by the markup readers.
#[derive(Default)]
pub(super) struct Extract {
    pub(super) text: String,
    pub(super) map: OffsetMap,
}

impl Extract {
    /// Adds text that stands at `source`. White space alone becomes one blank, and line breaks become blanks unless
    /// `keep_breaks`: in markup they mean no more than that.
    pub(super) fn push(&mut self, text: &str, source: usize, keep_breaks: bool) {
        if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
            if !text.is_empty() && !self.ends_blank() {
                self.text.push(' ');
                self.map.replaced(1, source, text.len());
            }
            return;
        }
        self.map.copied(text.len(), source);
        if keep_breaks {
            self.text.push_str(text);
        } else {
            let blank = |c| match c {
                '\n' | '\r' | '\t' => ' ',
                c => c,
            };
            self.text.extend(text.chars().map(blank));
        }
    }

    /// Adds text that stands for `source_len` other bytes at `source`.
    pub(super) fn push_replaced(&mut self, text: &str, source: usize, source_len: usize) {
        self.text.push_str(text);
        self.map.replaced(text.len(), source, source_len);
    }

    /// Ends the line, unless nothing stands on it.
    pub(super) fn line_break(&mut self, source: usize) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
            self.map.replaced(1, source, 0);
        }
    }

    fn ends_blank(&self) -> bool {
        self.text.is_empty() || self.text.ends_with([' ', '\n'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_the_source() {
        // `<p>a&amp;b</p>`
        let mut extract = Extract::default();
        extract.push("a", 3, false);
        extract.push_replaced("&", 4, 5);
        extract.push("b", 9, false);
        extract.line_break(10);
        assert_eq!(extract.text, "a&b\n");
        let starts: Vec<usize> = (0..5).map(|at| extract.map.source(at)).collect();
        assert_eq!(starts, [3, 4, 9, 10, 10]);
        let ends: Vec<usize> = (0..5).map(|at| extract.map.source_end(at)).collect();
        assert_eq!(ends, [3, 4, 9, 10, 10]);
    }

    #[test]
    fn an_empty_map_answers() {
        assert_eq!(OffsetMap::default().source(3), 0);
        assert_eq!(OffsetMap::default().source_end(0), 0);
        assert_eq!(OffsetMap::shifted(7, 2).shift(1).source(1), 9);
    }
}
