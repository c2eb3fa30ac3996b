// A checked text and its sources side by side. A passage leads to its place in the source, and from there back.

import { readDocument } from "./api.js";
import { announce, bringIntoView, button, fill, make, refill } from "./dom.js";
import { count, counted, idText, percent, score } from "./format.js";
import { COLOURS, MarkedText } from "./marked.js";
import { paint } from "./paint.js";
import { Task } from "./task.js";
import { characters, CodePoints } from "./text.js";

/** Sources on one page of the list, and buttons of sources that share a passage. */
const PAGE = 25;
const SHARED = 12;

/**
 * A passage of the checked text and its place in a source.
 * @typedef {object} Linked
 * @property {number} start in UTF-16 units of the checked text
 * @property {number} end
 * @property {number} rank number of its source, from 0
 * @property {number} index number of the passage in its source
 */

/** The two sides. */
export class Sides {
  /**
   * @param {string} text
   * @param {any} answer what the service said of it
   */
  constructor(text, answer) {
    this.sources = answer.sources;
    this.found = answer.found ?? answer.sources.length;
    this.passages = linkedPassages(text, answer.sources);
    /** The source that is open. */
    this.open = -1;
    this.first = 0;
    /** @type {import("./paint.js").Stretch[]} */
    this.stretches = [];
    this.left = new MarkedText(text, "The checked text", (mark) => this.leave(mark));
    this.shared = make("div.shared", { "aria-live": "polite" });
    this.list = make("ol.sources");
    this.pager = make("nav.pager", { "aria-label": "Pages of sources" });
    this.element = make("div.sides", {}, this.leftSide(text), this.rightSide());
    this.repaint();
    this.showPage(0);
    if (this.sources.length > 0) this.openSource(0);
  }

  /** Makes everything, for paper. */
  fillAll() {
    // A text of many thousand passages is printed with those that were looked at.
    if (this.stretches.length <= 5000) this.left.fillAll();
    this.view?.right?.fillAll();
  }

  /** @param {string} text */
  leftSide(text) {
    const length = counted(characters(text), "character");
    const hint =
      this.passages.length > 0 &&
      make("p.small.muted.hint", {}, "Choose a coloured passage to see where it stands in its source.");
    return make(
      "section.side.own",
      { "aria-label": "Checked text" },
      make("h3.who", {}, "Your text ", make("span.length.muted", {}, length)),
      hint,
      this.shared,
      this.left.element,
    );
  }

  rightSide() {
    const named = this.sources.length;
    const total = this.found > named ? `${count(named)} best of ${count(this.found)}` : count(named);
    return make(
      "section.side.others",
      { "aria-label": "Sources" },
      make("h3.who", {}, "Sources ", make("span.length.muted", {}, total)),
      this.list,
      this.pager,
    );
  }

  /** Colours the checked text; the passages of the open source lie on top. */
  repaint() {
    const ranked = this.passages.map((passage) => ({
      ...passage,
      rank: passage.rank === this.open ? -1 : passage.rank,
    }));
    this.stretches = paint(ranked);
    this.left.setMarks(
      this.stretches.map(({ start, end, passage, others }) => {
        const { rank } = this.passages[passage];
        const more = others > 0 ? `, and ${counted(others, "other passage")}` : "";
        return {
          start,
          end,
          colour: rank,
          tag: others > 0 ? `${rank + 1}+${others}` : `${rank + 1}`,
          title: `Source ${rank + 1}: ${idText(this.sources[rank].id)}${more}`,
          strong: rank === this.open,
        };
      }),
    );
  }

  /**
   * From a passage of the checked text to its source.
   * @param {number} mark
   */
  leave(mark) {
    const stretch = this.stretches[mark];
    const passage = this.passages[stretch.passage];
    this.showShared(stretch);
    this.openSource(passage.rank, passage.index);
  }

  /**
   * Names the sources that share a stretch.
   * @param {import("./paint.js").Stretch} stretch
   */
  showShared(stretch) {
    refill(this.shared);
    if (stretch.others === 0) return;
    const here = this.passages.filter(({ start, end }) => start < stretch.end && end > stretch.start);
    const firsts = new Map();
    here.forEach((passage) => firsts.has(passage.rank) || firsts.set(passage.rank, passage));
    const chosen = [...firsts.values()].sort((a, b) => a.rank - b.rank);
    if (chosen.length < 2) return;
    const buttons = chosen.slice(0, SHARED).map((passage) => {
      const label = `Source ${passage.rank + 1}: ${idText(this.sources[passage.rank].id)}`;
      return button(String(passage.rank + 1), () => this.openSource(passage.rank, passage.index), {
        class: `tag colour-${(passage.rank % COLOURS) + 1}`,
        "aria-label": label,
        title: label,
      });
    });
    const rest = chosen.length - buttons.length;
    fill(
      this.shared,
      make(
        "p.small",
        {},
        `This passage stands in ${counted(chosen.length, "source")}: `,
        buttons,
        rest > 0 && ` and ${count(rest)} more`,
      ),
    );
  }

  /** @param {number} first */
  showPage(first) {
    this.closeSource();
    this.first = first;
    const last = Math.min(first + PAGE, this.sources.length);
    const cards = [];
    for (let rank = first; rank < last; rank += 1) cards.push(this.card(rank));
    this.list.start = first + 1;
    refill(this.list, cards);
    this.showPager(last);
    if (this.sources.length === 0)
      refill(this.list, make("li.empty.muted", {}, "No source has anything of this text."));
  }

  /** @param {number} last */
  showPager(last) {
    refill(this.pager);
    if (this.sources.length <= PAGE) return;
    const turn = (/** @type {number} */ first) => {
      this.showPage(first);
      bringIntoView(this.list, "start");
      announce(`Sources ${first + 1} to ${Math.min(first + PAGE, this.sources.length)}`);
    };
    fill(
      this.pager,
      button("Previous", () => turn(Math.max(0, this.first - PAGE)), { disabled: this.first === 0 }),
      make("span", {}, `${count(this.first + 1)}–${count(last)} of ${count(this.sources.length)}`),
      button("Next", () => turn(this.first + PAGE), { disabled: last === this.sources.length }),
    );
  }

  /** @param {number} rank */
  card(rank) {
    const source = this.sources[rank];
    const head = make(
      "button.source-head",
      {
        type: "button",
        "aria-expanded": "false",
        onclick: () => (this.view?.rank === rank ? this.closeSource() : this.openSource(rank)),
      },
      make(`span.tag.colour-${(rank % COLOURS) + 1}`, {}, String(rank + 1)),
      make("bdi.key", {}, idText(source.id)),
      make("span.figures-line.muted", {}, describe(source)),
    );
    return make("li.source", { "data-rank": rank }, head, make("div.source-body", { hidden: true }));
  }

  /** Closes the source that is open. */
  closeSource() {
    if (!this.view) return;
    this.view.head.setAttribute("aria-expanded", "false");
    this.view.body.hidden = true;
    refill(this.view.body);
    this.view.right?.close();
    this.view.task.stop();
    this.view = null;
  }

  /**
   * Shows a source, and one of its passages if asked.
   * @param {number} rank
   * @param {number} [passage]
   */
  openSource(rank, passage) {
    if (rank < this.first || rank >= this.first + PAGE) this.showPage(Math.floor(rank / PAGE) * PAGE);
    if (this.view?.rank !== rank) this.beginSource(rank);
    const view = /** @type {any} */ (this.view);
    view.wanted = passage;
    if (view.right || view.textless) this.arrive();
    else if (passage !== undefined) bringIntoView(view.head);
  }

  /** @param {number} rank */
  beginSource(rank) {
    this.closeSource();
    const card = this.list.querySelector(`[data-rank="${rank}"]`);
    const [head, body] = [card.querySelector(".source-head"), card.querySelector(".source-body")];
    const place = make("div");
    head.setAttribute("aria-expanded", "true");
    body.hidden = false;
    refill(body, place);
    const view = { rank, head, body, task: new Task(place), right: null, textless: false, wanted: undefined };
    this.view = /** @type {any} */ (view);
    const { id } = this.sources[rank];
    this.open = rank;
    this.repaint();
    view.task.run(
      "Loading the source",
      (ask) => readDocument(id, ask),
      (found) => {
        if (this.view !== view) return;
        this.showSource(/** @type {any} */ (view), found);
        this.arrive();
      },
    );
  }

  /**
   * @param {any} view
   * @param {any} found the document
   */
  showSource(view, found) {
    const source = this.sources[view.rank];
    const link = make("a", { href: `#/document?id=${encodeURIComponent(String(source.id))}` }, "Open this document");
    if (typeof found.text !== "string") {
      view.textless = true;
      fill(view.body, this.placesOnly(source), make("p.small", {}, link));
      return;
    }
    const points = new CodePoints(found.text);
    const passages = source.passages.map((/** @type {any} */ passage, /** @type {number} */ index) => ({
      start: points.unit(passage.source_start),
      end: points.unit(passage.source_end),
      rank: index,
    }));
    view.stretches = paint(passages);
    view.right = new MarkedText(found.text, `Source ${view.rank + 1}`, (mark) => this.comeBack(view, mark));
    fill(view.body, scoresOf(source), view.right.element, make("p.small", {}, link));
    view.right.setMarks(
      view.stretches.map((/** @type {any} */ { start, end }) => ({
        start,
        end,
        colour: view.rank,
        tag: `${view.rank + 1}`,
        title: "Back to the checked text",
      })),
    );
  }

  /**
   * What can be said of a source whose text is not kept.
   * @param {any} source
   */
  placesOnly(source) {
    const rows = source.passages
      .slice(0, 50)
      .map((/** @type {any} */ { source_start, source_end }) =>
        make("li", {}, `characters ${count(source_start)} to ${count(source_end)}`),
      );
    const rest = source.passages.length - rows.length;
    return make(
      "div",
      {},
      make(
        "p.note",
        {},
        "This index keeps no texts, so the source cannot be shown. The copied passages stand there at",
      ),
      make("ul", {}, rows, rest > 0 && make("li", {}, `and ${count(rest)} more`)),
    );
  }

  /** Goes to the passage that was asked for. */
  arrive() {
    const view = /** @type {any} */ (this.view);
    if (view.wanted === undefined) return;
    const wanted = view.wanted;
    view.wanted = undefined;
    if (!view.right) {
      view.head.focus({ preventScroll: true });
      bringIntoView(view.head, "center");
      return;
    }
    const own = view.stretches.findIndex((/** @type {any} */ stretch) => stretch.passage === wanted);
    view.right.goTo(own >= 0 ? own : view.right.firstAfter(this.placeIn(view, wanted)));
  }

  /**
   * Where a passage stands in its source, in UTF-16 units.
   * @param {any} view
   * @param {number} index
   */
  placeIn(view, index) {
    return new CodePoints(view.right.text).unit(this.sources[view.rank].passages[index].source_start);
  }

  /**
   * From a passage of a source back to the checked text.
   * @param {any} view
   * @param {number} mark
   */
  comeBack(view, mark) {
    const index = view.stretches[mark].passage;
    const passage = this.passages.findIndex((one) => one.rank === view.rank && one.index === index);
    if (passage < 0) return;
    const own = this.stretches.findIndex((stretch) => stretch.passage === passage);
    this.left.goTo(own >= 0 ? own : this.left.firstAfter(this.passages[passage].start));
  }
}

/**
 * @param {string} text
 * @param {any[]} sources
 * @returns {Linked[]}
 */
function linkedPassages(text, sources) {
  const points = new CodePoints(text);
  /** @type {Linked[]} */
  const passages = [];
  sources.forEach((source, rank) =>
    source.passages.forEach((/** @type {any} */ { start, end }, /** @type {number} */ index) =>
      passages.push({ start: points.unit(start), end: points.unit(end), rank, index }),
    ),
  );
  return passages;
}

/**
 * A source in one line.
 * @param {any} source
 */
function describe(source) {
  const parts = [];
  if (source.sentences !== undefined)
    parts.push(`has ${percent(source.score)} of the text, ${counted(source.sentences, "sentence")}`);
  else parts.push(`${source.metric ?? "score"} ${score(source.score)}`);
  if (source.passages.length > 1) parts.push(counted(source.passages.length, "passage"));
  return parts.join(" · ");
}

/**
 * All scores of a source.
 * @param {any} source
 */
function scoresOf(source) {
  const names = [
    "resemblance",
    "coverage",
    "containment_a",
    "containment_b",
    "coverage_a",
    "coverage_b",
    "degree",
    "agreement",
    "division",
  ];
  const own = names.filter((name) => typeof source[name] === "number");
  if (own.length === 0) return null;
  return make(
    "ul.scores",
    {},
    own.map((name) =>
      make(
        "li",
        {},
        `${scoreName(name)} `,
        make("b", {}, name === "division" ? percent(source[name]) : score(source[name])),
      ),
    ),
  );
}

/** @param {string} name */
function scoreName(name) {
  if (name === "division") return "put down to it";
  return name.replace(/_a$/, " of your text").replace(/_b$/, " of the source");
}
