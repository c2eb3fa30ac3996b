// Two texts: how alike they are, by several scores, and what they share.

import { compare } from "./api.js";
import { announce, button, fill, make, refill } from "./dom.js";
import { acceptFiles } from "./files.js";
import { count, score } from "./format.js";
import { MarkedText } from "./marked.js";
import { linkPassages } from "./link.js";
import { meaningOf } from "./meanings.js";
import { Task } from "./task.js";
import { CodePoints } from "./text.js";

/** The view of two texts. */
export class CompareView {
  constructor() {
    this.title = "Compare";
    this.a = box("First text");
    this.b = box("Second text");
    this.status = make("div.status");
    this.result = make("div.result");
    this.task = new Task(this.status);
    this.go = make("button.primary", { type: "submit" }, "Compare");
    const form = make(
      "form",
      { onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      make("div.two", {}, this.a.element, this.b.element),
      make(
        "p.buttons",
        {},
        this.go,
        button("Clear", () => this.clear()),
      ),
    );
    form.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(event);
    });
    this.element = make(
      "section",
      {},
      make("h1", { tabindex: "-1" }, "Compare two texts"),
      make(
        "p.lede",
        {},
        "Paste two texts, or drop a file into each box. They are compared as the index compares; nothing is stored.",
      ),
      form,
      this.status,
      this.result,
    );
  }

  show() {}

  clear() {
    this.task.stop();
    refill(this.result);
    this.a.text.clear();
    this.b.text.clear();
    this.a.area.focus();
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    const [a, b] = [this.a.text.value(), this.b.text.value()];
    refill(this.result);
    const missing = [this.a, this.b].find(({ text }) => text.value().trim() === "");
    if (missing) {
      this.task.stop();
      refill(this.status, make("p.note", { role: "alert" }, "Both boxes need a text."));
      missing.area.focus();
      return;
    }
    this.task.run(
      "Comparing",
      (ask) => compare({ a, b }, ask),
      (answer) => this.present(a, b, answer),
    );
  }

  /**
   * @param {string} a
   * @param {string} b
   * @param {any} answer
   */
  present(a, b, answer) {
    const shared = answer.passages_a.length > 0;
    const words = answer.duplicate
      ? "Duplicates"
      : shared
        ? "Not duplicates, but they share passages"
        : "Not duplicates";
    const detail = `The deciding score is ${score(answer.score)}: ${answer.duplicate ? "enough" : "too little"} for duplicates by the rules of this index.`;
    const heading = make("h2.verdict-words", { tabindex: "-1" }, words);
    refill(
      this.result,
      make(`div.verdict.${answer.duplicate ? "copy" : shared ? "partly" : "new"}`, {}, heading, make("p", {}, detail)),
      scoreTable(answer),
      sharedTexts(a, b, answer),
    );
    announce(`${words}. ${detail}`);
    heading.focus();
  }
}

/** @param {string} label */
function box(label) {
  const id = `compare-${label.split(" ")[0].toLowerCase()}`;
  const area = make("textarea", { id, rows: "8", dir: "auto", spellcheck: "false" });
  const note = make("p.small.muted", { role: "status" });
  const element = make("div.drop", {}, make("label.field-label", { for: id }, label), area, note);
  return { area, element, text: acceptFiles(element, area, note, label) };
}

/** Scores in the order in which they are explained. */
const SCORES = [
  "resemblance",
  "coverage",
  "degree",
  "agreement",
  "containment_a",
  "containment_b",
  "coverage_a",
  "coverage_b",
];

/** @param {any} answer */
function scoreTable(answer) {
  const names = SCORES.filter((name) => typeof answer[name] === "number");
  if (names.length === 0) return null;
  const deciding = decider(answer);
  const rows = names.map((name) =>
    make(
      `tr${name === deciding ? ".decides" : ""}`,
      {},
      make("th", { scope: "row" }, nameOf(name), name === deciding && make("span.badge", {}, "decides")),
      make("td.number", {}, score(answer[name])),
      make("td", {}, meter(answer[name]), make("span.explained", {}, meaningOf(name, answer))),
    ),
  );
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "Score"),
    make("th.number", { scope: "col" }, "Value"),
    make("th", { scope: "col" }, "What it means"),
  );
  return make(
    "table.scoretable",
    {},
    make("caption.visually-hidden", {}, "Scores of the two texts"),
    make("thead", {}, head),
    make("tbody", {}, rows),
  );
}

/**
 * The score that decides; of two one-sided ones, the larger.
 * @param {any} answer
 */
function decider(answer) {
  if (typeof answer[answer.metric] === "number") return answer.metric;
  const stem = answer.metric === "containment-coverage" ? "coverage" : answer.metric;
  return answer[`${stem}_a`] >= answer[`${stem}_b`] ? `${stem}_a` : `${stem}_b`;
}

/** @param {string} name */
function nameOf(name) {
  const said = name.replace(/_a$/, " of the first").replace(/_b$/, " of the second");
  return said[0].toUpperCase() + said.slice(1);
}

/** @param {number} value */
function meter(value) {
  const bar = make("span.meter", { "aria-hidden": "true" }, make("span.meter-fill"));
  bar.firstChild.style.setProperty("inline-size", `${Math.min(1, Math.max(0, value)) * 100}%`);
  return bar;
}

/**
 * Both texts with what they share.
 * @param {string} a
 * @param {string} b
 * @param {any} answer
 */
function sharedTexts(a, b, answer) {
  const [inA, inB] = [units(a, answer.passages_a), units(b, answer.passages_b)];
  const links = linkPassages(a, inA, b, inB);
  /** @type {any} */
  const views = {};
  const cross =
    (/** @type {any} */ own, /** @type {any} */ others, /** @type {any} */ other) => (/** @type {number} */ mark) => {
      const target = others.findIndex((/** @type {number} */ group) => group === own[mark] && group >= 0);
      if (target >= 0) views[other].goTo(target);
    };
  views.a = new MarkedText(a, "Words of the first text", cross(links.a, links.b, "b"));
  views.b = new MarkedText(b, "Words of the second text", cross(links.b, links.a, "a"));
  views.a.setMarks(marksOf(inA, links.a));
  views.b.setMarks(marksOf(inB, links.b));
  const side = (/** @type {string} */ label, /** @type {number} */ passages, /** @type {any} */ view) =>
    make(
      "section.side",
      { "aria-label": label },
      make("h3.who", {}, `${label} `, make("span.length.muted", {}, `${count(passages)} shared`)),
      view.element,
    );
  const sides = make(
    "div.sides.equal",
    {},
    side("First text", inA.length, views.a),
    side("Second text", inB.length, views.b),
  );
  const hint =
    inA.length > 0
      ? "Passages of the same number belong together: choose one to go to its twin."
      : "They share no passage.";
  const whole = make("div", {}, make("h2", {}, "What they share"), make("p.note", {}, hint));
  fill(whole, sides);
  return whole;
}

/**
 * @param {string} text
 * @param {{start: number, end: number}[]} passages
 */
function units(text, passages) {
  const points = new CodePoints(text);
  return passages
    .map(({ start, end }) => ({ start: points.unit(start), end: points.unit(end) }))
    .sort((x, y) => x.start - y.start);
}

/**
 * @param {{start: number, end: number}[]} passages
 * @param {number[]} groups
 */
function marksOf(passages, groups) {
  let done = 0;
  return passages.map(({ start, end }, index) => {
    // Passages that touch or overlap are shown side by side.
    const from = Math.max(start, done);
    done = Math.max(done, end);
    const group = groups[index];
    return {
      start: from,
      end: Math.max(from, end),
      colour: group,
      tag: group >= 0 ? `${group + 1}` : "",
      title: group >= 0 ? "To its twin" : undefined,
    };
  });
}
