// Shows the differences of two texts word by word: what is gone is struck out, what is new is underlined.

import { button, fill, make } from "./dom.js";
import { count, counted } from "./format.js";
import { difference, MOST_CHARACTERS } from "./difference.js";
import { wordsOf } from "./words.js";

/** Equal text longer than this is folded, so that so many characters of it stay at either end. */
const FOLD = 600;
const KEPT = 200;

/** Parts that are shown at once. */
const PAGE = 400;

/**
 * @param {string} before
 * @param {string} after
 * @returns {HTMLElement}
 */
export function changesView(before, after) {
  const long = before.length > MOST_CHARACTERS || after.length > MOST_CHARACTERS;
  const parts = difference(clip(before), clip(after));
  const view = make("div", {}, summary(parts));
  if (long)
    fill(view, make("p.warning", {}, `Only the first ${count(MOST_CHARACTERS)} characters of each are compared.`));
  const text = make("div.text.changes", { dir: "auto" });
  const more = make("p.buttons");
  let shown = 0;
  const showMore = () => {
    const next = parts.slice(shown, shown + PAGE);
    next.forEach((part, index) => fill(text, element(part, shown + index === 0, shown + index === parts.length - 1)));
    shown += next.length;
    more.replaceChildren();
    if (shown < parts.length) fill(more, button("Show more of the text", showMore));
  };
  showMore();
  fill(view, text, more);
  return view;
}

/** @param {string} text */
function clip(text) {
  if (text.length <= MOST_CHARACTERS) return text;
  const last = text.charCodeAt(MOST_CHARACTERS - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MOST_CHARACTERS - 1 : MOST_CHARACTERS);
}

/** @param {import("./difference.js").Part[]} parts */
function summary(parts) {
  const words = (/** @type {string} */ kind) =>
    parts.reduce((sum, part) => (part.kind === kind ? sum + wordsOf(part.text).length : sum), 0);
  const [removed, added] = [words("removed"), words("added")];
  if (parts.every(({ kind }) => kind === "same"))
    return make("p.changes-summary", {}, "The two texts are the same, character by character.");
  if (removed === 0 && added === 0)
    return make("p.changes-summary", {}, "The words are the same; only spaces and punctuation differ.");
  return make(
    "p.changes-summary",
    {},
    make("del", {}, `${counted(removed, "word")} removed`),
    " ",
    make("ins", {}, `${counted(added, "word")} added`),
  );
}

/**
 * @param {import("./difference.js").Part} part
 * @param {boolean} first
 * @param {boolean} last
 */
function element({ kind, text }, first, last) {
  if (kind === "removed") return make("del", {}, visible(text));
  if (kind === "added") return make("ins", {}, visible(text));
  if (text.length <= FOLD) return document.createTextNode(text);
  const [head, tail] = [first ? 0 : KEPT, last ? 0 : KEPT];
  const [from, to] = [boundary(text, head), boundary(text, text.length - tail)];
  const hidden = text.slice(from, to);
  const fold = button(
    `${count(wordsOf(hidden).length)} equal words`,
    () => fold.replaceWith(document.createTextNode(hidden)),
    { class: "fold" },
  );
  return [text.slice(0, from), fold, text.slice(to)];
}

/**
 * A change of line ends alone would not be seen.
 * @param {string} text
 */
function visible(text) {
  return text.trim() === "" ? text.replace(/\n/g, "↵\n") : text;
}

/**
 * The next space, so that no word is cut.
 * @param {string} text
 * @param {number} place
 */
function boundary(text, place) {
  if (place <= 0 || place >= text.length) return Math.max(0, Math.min(text.length, place));
  const space = text.indexOf(" ", place);
  if (space >= 0 && space < place + 40) return space;
  const low = text.charCodeAt(place);
  return low >= 0xdc00 && low <= 0xdfff ? place + 1 : place;
}
