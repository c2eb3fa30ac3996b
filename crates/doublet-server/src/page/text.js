// Places in texts. The service counts code points, JavaScript counts UTF-16 units: an emoji is one of the former and two of the latter.

/** Every so many code points the place is written down, so that finding one never walks far. */
const STRIDE = 512;

/** Turns places counted in code points into places counted in UTF-16 units. */
export class CodePoints {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    // Most texts hold no pair of surrogates, and every place is the same in both counts.
    this.plain = !/[\ud800-\udfff]/.test(text);
    /** @type {number[]} */
    this.marks = [];
    if (!this.plain) this.survey();
  }

  survey() {
    const { text, marks } = this;
    let point = 0;
    for (let unit = 0; unit < text.length; unit += width(text, unit)) {
      if (point % STRIDE === 0) marks.push(unit);
      point += 1;
    }
  }

  /**
   * The place in UTF-16 units; one past the end is the end.
   * @param {number} point
   */
  unit(point) {
    const { text, marks } = this;
    if (this.plain) return Math.min(Math.max(point, 0), text.length);
    const near = Math.floor(point / STRIDE);
    if (near >= marks.length) return text.length;
    let unit = marks[near];
    for (let left = point % STRIDE; left > 0 && unit < text.length; left -= 1) unit += width(text, unit);
    return unit;
  }
}

/**
 * UTF-16 units of the code point that begins here.
 * @param {string} text
 * @param {number} unit
 */
function width(text, unit) {
  return /** @type {number} */ (text.codePointAt(unit)) > 0xffff ? 2 : 1;
}

/**
 * Number of code points.
 * @param {string} text
 */
export function characters(text) {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g);
  return text.length - (pairs ? pairs.length : 0);
}

/**
 * Bytes of the text in UTF-8, as the service counts them.
 * @param {string} text
 */
export function utf8Length(text) {
  return new Blob([text]).size;
}

/** A block is closed at the end of a line once it holds so many units, and in the middle of a line only at many more. */
const BLOCK = 1500;
const LONGEST_BLOCK = 6000;

/**
 * Cuts a text into blocks that are shown one below the other. The newline at the end of a block belongs to it.
 * @param {string} text
 * @returns {number[]} where each block begins, and the end of the text
 */
export function blocks(text) {
  const starts = [0];
  let start = 0;
  while (text.length - start > BLOCK) {
    const line = text.indexOf("\n", start + BLOCK) + 1;
    const end = line > 0 && line - start <= LONGEST_BLOCK ? line : wordBreak(text, start);
    if (end >= text.length) break;
    starts.push(end);
    start = end;
  }
  starts.push(text.length);
  return starts;
}

/**
 * A place between two words of a line that does not end, or where there are none, between two characters.
 * @param {string} text
 * @param {number} start
 */
function wordBreak(text, start) {
  const most = start + LONGEST_BLOCK;
  if (most >= text.length) return text.length;
  const space = text.lastIndexOf(" ", most);
  if (space > start + BLOCK) return space + 1;
  const low = text.charCodeAt(most);
  return low >= 0xdc00 && low <= 0xdfff ? most + 1 : most;
}
