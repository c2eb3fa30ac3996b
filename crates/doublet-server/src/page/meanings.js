// What the scores mean, in the words of the reports, with the counts behind them.

import { count } from "./format.js";

/**
 * @param {string} name
 * @param {any} answer of a comparison
 */
export function meaningOf(name, answer) {
  const { common, distinct_a: a, distinct_b: b, covered_a, covered_b, tokens_a, tokens_b } = answer;
  switch (name) {
    case "resemblance":
      return `The texts are cut into pieces: short runs of words, sentences or words, as the index has it. Of all that are different, the share that stands in both: ${count(common)} of ${count(a + b - common)}.`;
    case "coverage":
      return `The share of all words, of both texts together, that lie inside a passage the two have in common: ${count(covered_a + covered_b)} of ${count(tokens_a + tokens_b)}.`;
    case "degree":
      return "As resemblance, with every word counted by its weight: nouns and verbs much, particles and pronouns little.";
    case "agreement":
      return "The share in which the sketches of the two texts agree, which estimates their resemblance.";
    case "containment_a":
      return `How much of the first text is found again in the second: ${count(common)} of ${count(a)}.`;
    case "containment_b":
      return `How much of the second text is found again in the first: ${count(common)} of ${count(b)}.`;
    case "coverage_a":
      return `The words of the first text inside a common passage: ${count(covered_a)} of ${count(tokens_a)}.`;
    case "coverage_b":
      return `The words of the second text inside a common passage: ${count(covered_b)} of ${count(tokens_b)}.`;
    default:
      return "";
  }
}
