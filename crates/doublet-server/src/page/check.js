// Is this text new, and if not, where is it copied from?

import { check } from "./api.js";
import { announce, button, draw, fill, make, refill } from "./dom.js";
import { addText, askForId } from "./dialog.js";
import { acceptFiles } from "./files.js";
import { bytes, count, counted, idText, percent } from "./format.js";
import { COLOURS } from "./marked.js";
import { mayWrite, onSession, recount, session } from "./session.js";
import { Sides } from "./sides.js";
import { Task } from "./task.js";
import { characters, utf8Length } from "./text.js";

/** The view that checks a text. */
export class CheckView {
  constructor() {
    this.title = "Check";
    this.status = make("div.status");
    this.result = make("div.result");
    this.task = new Task(this.status);
    /** @type {Sides | null} */
    this.sides = null;
    this.area = make("textarea", {
      id: "check-text",
      rows: "9",
      dir: "auto",
      spellcheck: "false",
      "aria-describedby": "check-note",
    });
    this.note = make("p.small.muted", { id: "check-note", role: "status" });
    const label = make("label.field-label", { for: "check-text" }, "Text to check");
    this.zone = make("div.drop", {}, label, this.area, this.note);
    this.text = acceptFiles(this.zone, this.area, this.note, "Text to check");
    this.adding = button("Check and add", () => this.checkAndAdd(), { hidden: true });
    this.options = optionFields();
    this.element = make(
      "section",
      {},
      make("h1", { tabindex: "-1" }, "Is this text new?"),
      this.form(),
      this.status,
      this.result,
    );
    /** @type {HTMLElement | null} what adds the text of the answer */
    this.addable = null;
    onSession(() => {
      this.adding.hidden = !mayWrite();
      if (this.addable) this.addable.hidden = !mayWrite();
    });
    addEventListener("beforeprint", () => this.sides?.fillAll());
  }

  form() {
    const form = make(
      "form",
      { onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      this.zone,
      this.options.element,
      make(
        "p.buttons",
        {},
        make("button.primary", { type: "submit" }, "Check"),
        this.adding,
        button("Clear", () => this.clear()),
        make("span.small.muted.keys", {}, "Ctrl+Enter checks"),
      ),
    );
    form.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(event);
    });
    return form;
  }

  show() {}

  /**
   * Puts a text into the box and checks it, for other views.
   * @param {string} text
   */
  checkText(text) {
    this.text.set(text);
    this.start(false);
  }

  clear() {
    this.task.stop();
    this.drop();
    this.text.clear();
    this.area.focus();
  }

  drop() {
    this.sides?.left.close();
    this.sides = null;
    refill(this.result);
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    this.start(false);
  }

  async checkAndAdd() {
    if (!this.usable()) return;
    const id = await askForId("Check this text, and add it if it is no copy", "Check and add");
    if (id !== null) this.start(true, id);
  }

  /** Whether there is a text that the service would take; if not, says so. */
  usable() {
    const text = this.text.value();
    const size = utf8Length(text);
    let said = "";
    if (text.trim() === "") said = "Paste a text first, or drop a file.";
    else if (size > session.textBytes)
      said = `This text has ${bytes(size)}; the service takes at most ${bytes(session.textBytes)}. Check a part of it.`;
    if (said === "") return true;
    this.task.stop();
    refill(this.status, make("p.note", { role: "alert" }, said));
    this.area.focus();
    return false;
  }

  /**
   * @param {boolean} add
   * @param {string} [id]
   */
  start(add, id) {
    this.drop();
    if (!this.usable()) return;
    const text = this.text.value();
    const body = { text, ...(id === undefined ? {} : { id }), ...this.options.values() };
    this.task.run(
      "Checking the text",
      (ask) => check(body, add, ask),
      (answer) => this.present(text, answer, id),
    );
  }

  /**
   * @param {string} text
   * @param {any} answer
   * @param {string} [id]
   */
  present(text, answer, id) {
    const { kind, words, detail } = verdict(answer);
    const heading = make("h2.verdict-words", { tabindex: "-1" }, words);
    const outcome = make("p.outcome", { role: "status" });
    if (answer.added) recount();
    if (answer.added) outcome.textContent = `It was added to the index as ${idText(id ?? "")}.`;
    else if (answer.added === false || (id !== undefined && answer.duplicate))
      outcome.textContent = "It was not added, because it is a copy.";
    this.sides = new Sides(text, answer);
    refill(
      this.result,
      make(
        `div.verdict.${kind}`,
        {},
        heading,
        make("p", {}, detail),
        shareBar(answer.share),
        outcome,
        this.addRow(text, answer, outcome),
      ),
    );
    if (answer.sources.length > 0) fill(this.result, textMap(text, this.sides), this.sides.element);
    announce(`${words}. ${detail}`);
    heading.focus();
  }

  /**
   * @param {string} text
   * @param {any} answer
   * @param {HTMLElement} outcome
   */
  addRow(text, answer, outcome) {
    this.addable = null;
    if (answer.added) return null;
    const place = make("div");
    // The answer may be here before the service has said what is allowed.
    const row = make(
      "div",
      { hidden: !mayWrite() },
      make(
        "p.buttons",
        {},
        button(answer.duplicate ? "Add it all the same" : "Add to the index", () =>
          addText(text, new Task(place), (said) => {
            row.remove();
            outcome.textContent = said;
            outcome.tabIndex = -1;
            outcome.focus();
          }),
        ),
      ),
      place,
    );
    this.addable = row;
    return row;
  }
}

/**
 * What the answer says, in words.
 * @param {any} answer
 * @returns {{kind: string, words: string, detail: string}}
 */
function verdict(answer) {
  const { share, sentences, of, boilerplate } = answer;
  const found = answer.found ?? answer.sources.length;
  const where = found > 0 ? ` in ${counted(found, "document")} of the index` : "";
  const inSentences =
    sentences !== undefined && sentences > 0
      ? ` ${count(sentences)} of its ${counted(of, "sentence")} ${sentences === 1 ? "was" : "were"} found.`
      : "";
  const without =
    boilerplate > 0
      ? ` ${counted(boilerplate, "sentence")} of boilerplate ${boilerplate === 1 ? "was" : "were"} not counted.`
      : "";
  const part = `${share === 1 ? "All" : percent(share).replace(/^./, (letter) => letter.toUpperCase())} of its words stand${where}.${inSentences}${without}`;
  if (answer.duplicate) return { kind: "copy", words: "A copy", detail: part };
  if (share > 0 || found > 0)
    return { kind: "partly", words: "Partly copied", detail: `${part} That is too little to call it a copy.` };
  return { kind: "new", words: "New", detail: `Nothing of this text was found in the index.${without}` };
}

/** @param {number} share */
function shareBar(share) {
  const filled = make("div.share-fill");
  filled.style.setProperty("inline-size", `${Math.min(1, Math.max(0, share)) * 100}%`);
  return make(
    "div.share",
    { role: "img", "aria-label": `Share copied: ${percent(share)}` },
    filled,
    make("span.share-label", { "aria-hidden": "true" }, `${percent(share)} copied`),
  );
}

/** Places of the map; more passages than that are drawn together. */
const CELLS = 400;

/**
 * The text from beginning to end as a strip, with the copied parts in the colours of their sources.
 * @param {string} text
 * @param {Sides} sides
 */
function textMap(text, sides) {
  const cells = new Int32Array(CELLS).fill(-1);
  const length = Math.max(1, text.length);
  for (const { start, end, passage } of sides.stretches) {
    const to = Math.max(Math.floor((start / length) * CELLS) + 1, Math.round((end / length) * CELLS));
    for (let cell = Math.floor((start / length) * CELLS); cell < Math.min(CELLS, to); cell += 1)
      if (cells[cell] < 0) cells[cell] = sides.passages[passage].rank;
  }
  const map = draw("svg.map", {
    viewBox: `0 0 ${CELLS} 10`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": "Where in the text the copied passages lie",
  });
  for (let from = 0; from < CELLS;) {
    let to = from;
    while (to < CELLS && cells[to] === cells[from]) to += 1;
    if (cells[from] >= 0)
      map.append(draw(`rect.colour-${(cells[from] % COLOURS) + 1}`, { x: from, y: 0, width: to - from, height: 10 }));
    from = to;
  }
  return make(
    "figure.mapbox",
    {},
    make(
      "figcaption.small.muted",
      {},
      `The text from beginning to end, ${counted(characters(text), "character")}, with what is copied`,
    ),
    map,
  );
}

/** What may be set for a check; empty fields leave it to the index. */
function optionFields() {
  const threshold = make("input", {
    id: "check-threshold",
    type: "number",
    min: "0.01",
    max: "1",
    step: "any",
    inputmode: "decimal",
    placeholder: "as the index",
  });
  const top = make(
    "select",
    { id: "check-top" },
    [
      ["", "the best"],
      ["100", "the 100 best"],
      ["1000", "the 1,000 best"],
      ["all", "all"],
    ].map(([value, label]) => make("option", { value }, label)),
  );
  const element = make(
    "details.options",
    {},
    make("summary", {}, "Options"),
    make(
      "div.option-row",
      {},
      make("p", {}, make("label.field-label", { for: "check-threshold" }, "Least score of a copy, 0 to 1"), threshold),
      make("p", {}, make("label.field-label", { for: "check-top" }, "Sources to name"), top),
    ),
  );
  const values = () => ({
    ...(threshold.value === "" ? {} : { threshold: Number(threshold.value) }),
    ...(top.value === "" ? {} : { top: top.value === "all" ? "all" : Number(top.value) }),
  });
  return { element, values };
}
