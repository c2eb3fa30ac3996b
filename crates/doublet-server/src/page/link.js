// Which passage of one text belongs to which of another, told by their words: the service names passages of both, but not in pairs.
// Numbers are alike, as they are for most indexes.

import { wordsOf } from "./words.js";

/** Beyond so many passages only equal ones are put together. */
const MOST = 300;

/**
 * @typedef {{start: number, end: number}} Range
 */

/**
 * Numbers the passages so that those of the same words have the same number.
 * @param {string} a
 * @param {Range[]} inA
 * @param {string} b
 * @param {Range[]} inB
 * @returns {{a: number[], b: number[]}} a number for each passage, in the order of the first text; -1 for those without a twin
 */
export function linkPassages(a, inA, b, inB) {
  const key =
    (/** @type {string} */ text) =>
    (/** @type {Range} */ { start, end }) =>
      ` ${wordsOf(text.slice(start, end))
        .join(" ")
        .toLowerCase()
        .replace(/\p{N}+/gu, "0")} `;
  const [left, right] = [inA.map(key(a)), inB.map(key(b))];
  const parent = [...left, ...right].map((_, index) => index);
  const root = (/** @type {number} */ one) => {
    while (parent[one] !== one) one = parent[one] = parent[parent[one]];
    return one;
  };
  for (const [one, other] of twins(left, right)) parent[root(left.length + other)] = root(one);
  return numbered(left.length, right.length, root);
}

/**
 * @param {string[]} left
 * @param {string[]} right
 * @returns {[number, number][]}
 */
function twins(left, right) {
  /** @type {Map<string, number>} */
  const places = new Map();
  right.forEach((words, index) => places.has(words) || places.set(words, index));
  /** @type {[number, number][]} */
  const pairs = [];
  left.forEach((words, index) => {
    const same = places.get(words);
    if (same !== undefined) pairs.push([index, same]);
  });
  const seen = [new Set(pairs.map(([one]) => one)), new Set(pairs.map(([, other]) => other))];
  if (left.length > MOST || right.length > MOST) return pairs;
  left.forEach((words, one) =>
    right.forEach((others, other) => {
      if (seen[0].has(one) && seen[1].has(other)) return;
      if (words.trim() && others.trim() && alike(words, others)) pairs.push([one, other]);
    }),
  );
  return pairs;
}

/**
 * Whether one passage holds the other, or most of their words are the same.
 * @param {string} one
 * @param {string} other
 */
function alike(one, other) {
  if (one.includes(other) || other.includes(one)) return true;
  const [words, others] = [new Set(one.trim().split(" ")), new Set(other.trim().split(" "))];
  let common = 0;
  words.forEach((word) => others.has(word) && (common += 1));
  return common * 2 > Math.min(words.size, others.size);
}

/**
 * @param {number} left
 * @param {number} right
 * @param {(one: number) => number} root
 */
function numbered(left, right, root) {
  const sides = new Map();
  for (let one = 0; one < left + right; one += 1) {
    const set = sides.get(root(one)) ?? new Set();
    set.add(one < left ? "a" : "b");
    sides.set(root(one), set);
  }
  const numbers = new Map();
  const numberOf = (/** @type {number} */ one) => {
    const group = root(one);
    if (sides.get(group).size < 2) return -1;
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    return numbers.get(group);
  };
  const a = Array.from({ length: left }, (_, index) => numberOf(index));
  const b = Array.from({ length: right }, (_, index) => numberOf(left + index));
  return { a, b };
}
