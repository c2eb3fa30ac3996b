// A text with marked passages. However long it is and however many it has, only what is near the eye is made into elements:
// the text stands there in blocks, and a block gets its marks when it comes near.

import { make } from "./dom.js";
import { blocks } from "./text.js";

/**
 * A marked passage, in UTF-16 units. Marks lie side by side, in order.
 * @typedef {object} Mark
 * @property {number} start
 * @property {number} end
 * @property {number} colour number of its colour, from 0; -1 for the plain mark
 * @property {string} tag what stands before it in small, such as the number of its source
 * @property {string} [title] what a pointer resting on it is told
 * @property {boolean} [strong] whether it stands out from the others
 */

/** Colours that are told apart; a ninth source takes the first again, and its number tells them apart. */
export const COLOURS = 8;

/** The text of a document, scrolling in a box of its own. */
export class MarkedText {
  /**
   * @param {string} text
   * @param {string} label what the text is
   * @param {(mark: number) => void} [activate] what a click or Enter on a mark does
   */
  constructor(text, label, activate) {
    this.text = text;
    this.activate = activate;
    /** @type {Mark[]} */
    this.marks = [];
    /** The mark that the Tab key leads to; the arrow keys lead to the others. */
    this.current = 0;
    this.starts = blocks(text);
    this.inner = make("div.text", { dir: "auto" });
    this.element = make("div.textbox", { role: "region", "aria-label": label, tabindex: "0" }, this.inner);
    this.blocks = this.starts.slice(0, -1).map((start, index) => {
      return make("div.block", { "data-block": index }, text.slice(start, this.starts[index + 1]));
    });
    this.inner.append(...this.blocks);
    /** Blocks that have their marks. @type {Set<number>} */
    this.filled = new Set();
    this.near = new Set();
    this.observer = new IntersectionObserver((entries) => this.moved(entries), {
      root: this.element,
      rootMargin: "400px 0px",
    });
    this.blocks.forEach((block) => this.observer.observe(block));
    this.inner.addEventListener("click", (/** @type {MouseEvent} */ event) => this.clicked(event));
    this.inner.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.pressed(event));
  }

  /** @param {Mark[]} marks */
  setMarks(marks) {
    this.marks = marks;
    this.current = Math.min(this.current, Math.max(0, marks.length - 1));
    const shown = new Set([...this.filled, ...this.near]);
    this.filled.forEach((index) => (this.blocks[index].textContent = this.blockText(index)));
    this.filled.clear();
    shown.forEach((index) => this.fillBlock(index));
    this.keepCurrent();
  }

  /** Makes every mark, for paper. */
  fillAll() {
    this.blocks.forEach((_, index) => this.fillBlock(index));
  }

  /** Lets go of what watches the text. */
  close() {
    this.observer.disconnect();
  }

  /** @param {IntersectionObserverEntry[]} entries */
  moved(entries) {
    for (const entry of entries) {
      const index = Number(/** @type {HTMLElement} */ (entry.target).dataset.block);
      if (entry.isIntersecting) {
        this.near.add(index);
        this.fillBlock(index);
      } else {
        this.near.delete(index);
        this.emptyBlock(index);
      }
    }
  }

  /** @param {number} index */
  blockText(index) {
    return this.text.slice(this.starts[index], this.starts[index + 1]);
  }

  /** @param {number} index */
  fillBlock(index) {
    if (this.filled.has(index)) return;
    const [start, end] = [this.starts[index], this.starts[index + 1]];
    const parts = [];
    let done = start;
    for (
      let number = this.firstAfter(start);
      number < this.marks.length && this.marks[number].start < end;
      number += 1
    ) {
      const mark = this.marks[number];
      const [from, to] = [Math.max(mark.start, start), Math.min(mark.end, end)];
      if (to <= from) continue;
      if (from > done) parts.push(this.text.slice(done, from));
      parts.push(this.makeMark(number, from, to));
      done = to;
    }
    if (parts.length === 0) return;
    if (done < end) parts.push(this.text.slice(done, end));
    this.blocks[index].replaceChildren(...parts);
    this.filled.add(index);
  }

  /** @param {number} index */
  emptyBlock(index) {
    const block = this.blocks[index];
    if (!this.filled.has(index) || block.contains(document.activeElement)) return;
    if (this.blocksOf(this.current).includes(index)) return;
    block.textContent = this.blockText(index);
    this.filled.delete(index);
  }

  /**
   * @param {number} number
   * @param {number} from
   * @param {number} to
   */
  makeMark(number, from, to) {
    const mark = this.marks[number];
    const first = from === mark.start;
    const element = make("mark.passage", { "data-mark": number, title: mark.title }, this.text.slice(from, to));
    if (mark.colour >= 0) element.classList.add(`colour-${(mark.colour % COLOURS) + 1}`);
    if (mark.strong) element.classList.add("strong");
    if (first && mark.tag) element.dataset.tag = mark.tag;
    if (this.activate) {
      element.setAttribute("role", "button");
      element.tabIndex = first && number === this.current ? 0 : -1;
    }
    return element;
  }

  /**
   * The first mark that ends after a place.
   * @param {number} place
   */
  firstAfter(place) {
    let [low, high] = [0, this.marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.marks[middle].end > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /**
   * The blocks that a mark lies in.
   * @param {number} number
   * @returns {number[]}
   */
  blocksOf(number) {
    const mark = this.marks[number];
    if (!mark) return [];
    let [low, high] = [0, this.blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= mark.start) low = middle;
      else high = middle - 1;
    }
    const found = [];
    for (let index = low; index < this.blocks.length && this.starts[index] < mark.end; index += 1) found.push(index);
    return found;
  }

  /** Makes sure that the Tab key finds a mark. */
  keepCurrent() {
    this.blocksOf(this.current).forEach((index) => this.fillBlock(index));
  }

  /**
   * The element of a mark, made if need be.
   * @param {number} number
   * @returns {HTMLElement | null}
   */
  elementOf(number) {
    this.blocksOf(number).forEach((index) => this.fillBlock(index));
    return this.inner.querySelector(`[data-mark="${number}"]`);
  }

  /**
   * Makes a mark the one that Tab leads to, shows it and sets the focus on it.
   * @param {number} number
   * @param {ScrollLogicalPosition} [block]
   */
  goTo(number, block = "center") {
    const before = this.inner.querySelector(`[data-mark="${this.current}"]`);
    if (before && this.activate) before.tabIndex = -1;
    this.current = number;
    const element = this.elementOf(number);
    if (!element) return;
    element.tabIndex = this.activate ? 0 : -1;
    element.focus({ preventScroll: true });
    this.reveal(element, block);
  }

  /**
   * Scrolls until an element is seen. Blocks on the way have their true height only once they were near, so one step may miss.
   * @param {HTMLElement} element
   * @param {ScrollLogicalPosition} block
   */
  reveal(element, block, steps = 12) {
    element.scrollIntoView({ block, inline: "nearest" });
    const [top, box] = [element.getBoundingClientRect().top, this.element.getBoundingClientRect()];
    const seen = top >= box.top - 1 && top < Math.min(box.bottom, innerHeight);
    if (steps > 0)
      requestAnimationFrame(
        () => (!seen || steps > 10) && element.isConnected && this.reveal(element, block, steps - 1),
      );
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const element = /** @type {Element} */ (event.target).closest("[data-mark]");
    // Whoever selects words of a passage wants to copy them, not to go elsewhere.
    if (!element || !this.activate || !getSelection()?.isCollapsed) return;
    this.choose(Number(/** @type {HTMLElement} */ (element).dataset.mark));
  }

  /** @param {number} number */
  choose(number) {
    const before = this.inner.querySelector(`[data-mark="${this.current}"]`);
    if (before) before.tabIndex = -1;
    this.current = number;
    const element = this.elementOf(number);
    if (element) element.tabIndex = 0;
    this.activate?.(number);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const element = /** @type {Element} */ (event.target).closest("[data-mark]");
    if (!element || !this.activate || event.ctrlKey || event.altKey || event.metaKey) return;
    const number = Number(/** @type {HTMLElement} */ (element).dataset.mark);
    const last = this.marks.length - 1;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowRight: number + 1,
      ArrowDown: number + 1,
      ArrowLeft: number - 1,
      ArrowUp: number - 1,
      Home: 0,
      End: last,
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(number);
    } else if (event.key in moves) {
      event.preventDefault();
      this.goTo(Math.min(last, Math.max(0, moves[event.key])), "nearest");
    }
  }
}
