// Cuts a text into words and what stands between them, in any script.

/** @type {Intl.Segmenter | null} */
const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;

// Without a segmenter: a run of letters and digits, a single character of a script without spaces, a run of spaces, or any other character.
const PIECE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}_'’]+|\s+|[^]/gu;

/**
 * All pieces of a text; joined they are the text.
 * @param {string} text
 * @returns {string[]}
 */
export function pieces(text) {
  if (!segmenter) return text.match(PIECE) ?? [];
  const found = [];
  for (const { segment } of segmenter.segment(text)) found.push(segment);
  return found;
}

/**
 * Whether a piece is a word, and not space or punctuation.
 * @param {string} piece
 */
export function isWord(piece) {
  return /[\p{L}\p{N}]/u.test(piece);
}

/**
 * The words alone.
 * @param {string} text
 */
export function wordsOf(text) {
  return pieces(text).filter(isWord);
}
