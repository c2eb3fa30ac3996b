// Takes a text from a file, dropped or chosen, into a box.

import { button, make } from "./dom.js";
import { bytes } from "./format.js";

/** Longer files are not even read. */
const MOST_BYTES = 64e6;
/** A box that holds more characters makes browsers slow: it shows the beginning, and the whole is kept beside it. */
const MOST_SHOWN = 100_000;
const SHOWN = 5_000;
const ENDINGS = ".txt,.text,.md,.markdown,.html,.htm,.json,.jsonl,.csv,.tsv,.xml,.log,text/*";

/**
 * The text of a box, however long.
 * @typedef {object} BoxText
 * @property {() => string} value
 * @property {(text: string) => void} set
 * @property {() => void} clear
 */

/**
 * Lets files be dropped on an element or chosen by a button after the box.
 * @param {HTMLElement} zone
 * @param {HTMLTextAreaElement} area
 * @param {HTMLElement} note where it says what was read
 * @param {string} label name of the box
 * @returns {BoxText}
 */
export function acceptFiles(zone, area, note, label) {
  const box = boxText(area, note);
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    try {
      const { text, remark } = await readText(file);
      box.set(text);
      note.prepend(`Read ${file.name} (${bytes(file.size)}).${remark} `);
      area.focus();
    } catch (error) {
      note.textContent = `${file.name} was not read: ${error instanceof Error ? error.message : error}`;
    }
  };
  const picker = make("input", {
    type: "file",
    accept: ENDINGS,
    hidden: true,
    tabindex: "-1",
    "aria-label": `File for: ${label}`,
  });
  picker.addEventListener("change", () => {
    take(picker.files[0]);
    picker.value = "";
  });
  const choose = button("Choose a file", () => picker.click(), { "aria-label": `Choose a file for: ${label}` });
  area.after(make("p.fileline.small", {}, choose, make("span.muted", {}, " or drop one here"), picker));
  dropZone(zone, take);
  return box;
}

/**
 * @param {HTMLTextAreaElement} area
 * @param {HTMLElement} note
 * @returns {BoxText}
 */
function boxText(area, note) {
  /** A text that is too long for the box. @type {string | null} */
  let held = null;
  const set = (/** @type {string} */ text) => {
    // As a box does it, and as JSON wants it.
    const plain = text.replace(/\r\n?/g, "\n");
    held = plain.length > MOST_SHOWN ? plain : null;
    area.readOnly = held !== null;
    area.value = held === null ? plain : `${plain.slice(0, SHOWN)} …`;
    note.textContent = "";
    if (held !== null)
      note.append(
        "The box shows its beginning; the whole is taken. ",
        button("Take it out", () => set("")),
      );
  };
  area.addEventListener("input", () => (note.textContent = ""));
  return {
    value() {
      const text = held ?? area.value;
      return text.toWellFormed?.() ?? text;
    },
    set,
    clear: () => set(""),
  };
}

/**
 * @param {HTMLElement} zone
 * @param {(file: File | undefined) => void} take
 */
function dropZone(zone, take) {
  const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  zone.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(/** @type {Node | null} */ (event.relatedTarget))) zone.classList.remove("over");
  });
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!holdsFiles(event)) return;
    event.preventDefault();
    take(event.dataTransfer?.files[0]);
  });
}

/**
 * @param {File} file
 * @returns {Promise<{text: string, remark: string}>}
 */
async function readText(file) {
  if (file.size > MOST_BYTES) throw new Error(`it has more than ${bytes(MOST_BYTES)}`);
  const { text, remark } = decode(new Uint8Array(await file.arrayBuffer()));
  if (text.includes("\0")) throw new Error("it is no text");
  if (/\.html?$/i.test(file.name) || file.type === "text/html")
    return { text: withoutMarkup(text), remark: `${remark} Its markup was left out.` };
  return { text, remark };
}

/** @param {Uint8Array} data */
function decode(data) {
  if (data[0] === 0xff && data[1] === 0xfe) return { text: new TextDecoder("utf-16le").decode(data), remark: "" };
  if (data[0] === 0xfe && data[1] === 0xff) return { text: new TextDecoder("utf-16be").decode(data), remark: "" };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(data), remark: "" };
  } catch {
    return {
      text: new TextDecoder("windows-1252").decode(data),
      remark: " It is no UTF-8 and was read as Windows-1252.",
    };
  }
}

/**
 * The text of a page. Its tags are taken out before anything reads it as a page, so that nothing of it is run, loaded or styled.
 * @param {string} html
 */
function withoutMarkup(html) {
  const bare = html
    .replace(/<!--[^]*?-->|<(script|style|noscript|template|head)\b[^]*?<\/\1\s*>/gi, " ")
    .replace(/<\/?(?:p|div|li|ul|ol|br|h[1-6]|tr|table|section|article|blockquote|pre)\b[^>]*>/gi, "\n")
    .replace(/<\/?[a-z!?][^>]*>/gi, "")
    .replaceAll("<", "&lt;");
  // What is left has no tags; the browser knows all the names such as &eacute;.
  const text = new DOMParser().parseFromString(bare, "text/html").body.textContent ?? "";
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{2,}/g, "\n\n")
    .trim();
}
