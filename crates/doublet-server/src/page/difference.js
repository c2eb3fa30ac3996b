// What is taken out of one text and put into it to make another: the shortest list of words, by the method
// of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986), within bounds of work.

import { isWord, pieces } from "./words.js";

/**
 * A run of text that stays, is removed, or is added.
 * @typedef {{kind: "same" | "removed" | "added", text: string}} Part
 */

/** Longer texts are compared by their beginnings. */
export const MOST_CHARACTERS = 200_000;

/** Beyond so many changes between two anchors the texts have too little in common to be laid side by side. */
const MOST_CHANGES = 600;

/**
 * The parts, in reading order; where something is replaced, what is removed stands before what is added.
 * @param {string} before
 * @param {string} after
 * @returns {Part[]}
 */
export function difference(before, after) {
  const [a, b] = [pieces(before), pieces(after)];
  const [x, y] = numbers(a, b);
  /** @type {[number, number, number, number][]} */
  const changed = [];
  between(x, 0, x.length, y, 0, y.length, changed);
  return tidy(partsOf(a, b, changed));
}

/**
 * The same piece gets the same number, so that comparing is cheap.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Int32Array[]}
 */
function numbers(a, b) {
  /** @type {Map<string, number>} */
  const known = new Map();
  const numberOf = (/** @type {string} */ piece) => {
    let number = known.get(piece);
    if (number === undefined) known.set(piece, (number = known.size));
    return number;
  };
  return [Int32Array.from(a, numberOf), Int32Array.from(b, numberOf)];
}

/**
 * Finds the changed stretches of two runs, `[from, to)` in each, and appends them.
 * @param {Int32Array} x
 * @param {number} x0
 * @param {number} x1
 * @param {Int32Array} y
 * @param {number} y0
 * @param {number} y1
 * @param {[number, number, number, number][]} changed
 */
function between(x, x0, x1, y, y0, y1, changed) {
  while (x0 < x1 && y0 < y1 && x[x0] === y[y0]) {
    x0 += 1;
    y0 += 1;
  }
  while (x0 < x1 && y0 < y1 && x[x1 - 1] === y[y1 - 1]) {
    x1 -= 1;
    y1 -= 1;
  }
  if (x0 === x1 && y0 === y1) return;
  if (x0 === x1 || y0 === y1) {
    changed.push([x0, x1, y0, y1]);
    return;
  }
  const found = shortest(x, x0, x1, y, y0, y1);
  if (found) {
    changed.push(...found);
    return;
  }
  const anchors = uniqueAnchors(x, x0, x1, y, y0, y1);
  if (anchors.length === 0) {
    changed.push([x0, x1, y0, y1]);
    return;
  }
  for (const [i, j] of [...anchors, [x1, y1]]) {
    between(x, x0, i, y, y0, j, changed);
    [x0, y0] = [i, j];
  }
}

/**
 * The shortest list of changes, or nothing when it has more than `MOST_CHANGES`.
 * @param {Int32Array} x
 * @param {number} x0
 * @param {number} x1
 * @param {Int32Array} y
 * @param {number} y0
 * @param {number} y1
 * @returns {[number, number, number, number][] | null}
 */
function shortest(x, x0, x1, y, y0, y1) {
  const [n, m] = [x1 - x0, y1 - y0];
  const most = Math.min(n + m, MOST_CHANGES);
  // reach[k + most + 1]: how far along x the best way on diagonal k has come.
  const reach = new Int32Array(2 * most + 3);
  const history = [];
  for (let changes = 0; changes <= most; changes += 1) {
    history.push(reach.slice(most + 1 - changes - 1, most + 1 + changes + 2));
    for (let k = -changes; k <= changes; k += 2) {
      const down = k === -changes || (k !== changes && reach[most + k] < reach[most + k + 2]);
      let i = down ? reach[most + k + 2] : reach[most + k] + 1;
      let j = i - k;
      while (i < n && j < m && x[x0 + i] === y[y0 + j]) {
        i += 1;
        j += 1;
      }
      reach[most + k + 1] = i;
      if (i >= n && j >= m) return walkBack(history, changes, n, m, x0, y0);
    }
  }
  return null;
}

/**
 * Follows the best way from its end to its beginning.
 * @param {Int32Array[]} history what was reached before each number of changes; its middle is diagonal 0
 * @param {number} changes
 * @param {number} n
 * @param {number} m
 * @param {number} x0
 * @param {number} y0
 * @returns {[number, number, number, number][]}
 */
function walkBack(history, changes, n, m, x0, y0) {
  /** @type {[number, number, number, number][]} */
  const steps = [];
  let [i, j] = [n, m];
  for (let step = changes; step > 0; step -= 1) {
    const reach = history[step];
    const at = (/** @type {number} */ k) => reach[k + step + 1];
    const k = i - j;
    const down = k === -step || (k !== step && at(k - 1) < at(k + 1));
    const before = down ? k + 1 : k - 1;
    const [fromI, fromJ] = [at(before), at(before) - before];
    steps.push(
      down
        ? [x0 + fromI, x0 + fromI, y0 + fromJ, y0 + fromJ + 1]
        : [x0 + fromI, x0 + fromI + 1, y0 + fromJ, y0 + fromJ],
    );
    [i, j] = [fromI, fromJ];
  }
  return joinSteps(steps.reverse());
}

/**
 * Steps that touch become one change.
 * @param {[number, number, number, number][]} steps
 */
function joinSteps(steps) {
  /** @type {[number, number, number, number][]} */
  const joined = [];
  for (const step of steps) {
    const last = joined[joined.length - 1];
    if (last && last[1] === step[0] && last[3] === step[2]) {
      last[1] = step[1];
      last[3] = step[3];
    } else {
      joined.push(step);
    }
  }
  return joined;
}

/**
 * Pieces that stand once in each of two runs, in the same order in both: places at which two very different texts hold together.
 * @param {Int32Array} x
 * @param {number} x0
 * @param {number} x1
 * @param {Int32Array} y
 * @param {number} y0
 * @param {number} y1
 * @returns {[number, number][]}
 */
function uniqueAnchors(x, x0, x1, y, y0, y1) {
  const once = (/** @type {Int32Array} */ run, /** @type {number} */ from, /** @type {number} */ to) => {
    const places = new Map();
    for (let at = from; at < to; at += 1) places.set(run[at], places.has(run[at]) ? -1 : at);
    return places;
  };
  const [inX, inY] = [once(x, x0, x1), once(y, y0, y1)];
  /** @type {[number, number][]} */
  const pairs = [];
  inX.forEach((i, piece) => {
    const j = inY.get(piece);
    if (i >= 0 && j !== undefined && j >= 0) pairs.push([i, j]);
  });
  return longestRising(pairs.sort((one, other) => one[0] - other[0]));
}

/**
 * The longest run of pairs that rises in both, by patience sorting.
 * @param {[number, number][]} pairs rising in the first
 */
function longestRising(pairs) {
  /** @type {number[]} */
  const tops = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([, j], index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]][1] < j) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[index] = tops[low - 1];
    tops[low] = index;
  });
  /** @type {[number, number][]} */
  const rising = [];
  for (let at = tops.length > 0 ? tops[tops.length - 1] : -1; at >= 0; at = before[at]) rising.push(pairs[at]);
  return rising.reverse();
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @param {[number, number, number, number][]} changed
 * @returns {Part[]}
 */
function partsOf(a, b, changed) {
  /** @type {Part[]} */
  const parts = [];
  const push = (/** @type {Part["kind"]} */ kind, /** @type {string[]} */ words) => {
    if (words.length > 0) parts.push({ kind, text: words.join("") });
  };
  let done = 0;
  for (const [x0, x1, y0, y1] of changed) {
    push("same", a.slice(done, x0));
    push("removed", a.slice(x0, x1));
    push("added", b.slice(y0, y1));
    done = x1;
  }
  push("same", a.slice(done));
  return parts;
}

/**
 * Two changes with nothing but a space or a comma between them read better as one.
 * @param {Part[]} parts
 */
function tidy(parts) {
  /** @type {Part[]} */
  const out = [];
  for (let at = 0; at < parts.length;) {
    if (parts[at].kind === "same") {
      out.push(parts[at]);
      at += 1;
      continue;
    }
    let [removed, added] = ["", ""];
    for (; at < parts.length; at += 1) {
      const { kind, text } = parts[at];
      const bridge = kind === "same" && at + 1 < parts.length && !isWord(text) && !text.includes("\n");
      if (kind === "same" && !bridge) break;
      if (kind !== "added") removed += text;
      if (kind !== "removed") added += text;
    }
    if (removed !== "") out.push({ kind: "removed", text: removed });
    if (added !== "") out.push({ kind: "added", text: added });
  }
  return out;
}
