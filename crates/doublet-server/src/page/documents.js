// The documents of the index by their ids: found by how an id begins, page by page.

import { documents } from "./api.js";
import { announce, button, fill, make, refill } from "./dom.js";
import { addText } from "./dialog.js";
import { acceptFiles } from "./files.js";
import { counted, idText } from "./format.js";
import { mayWrite, onSession } from "./session.js";
import { Task } from "./task.js";

const PAGE = 100;

/**
 * Where a document is looked at.
 * @param {string | number} id
 */
export function linkTo(id) {
  return `#/document?id=${encodeURIComponent(String(id))}`;
}

/** The view of all documents. */
export class DocumentsView {
  /** @param {(hash: string) => void} go changes the address */
  constructor(go) {
    this.title = "Documents";
    this.go = go;
    this.prefix = make("input.wide-field", {
      id: "prefix",
      type: "search",
      autocomplete: "off",
      spellcheck: "false",
      dir: "auto",
    });
    this.status = make("div.status");
    this.list = make("ul.ids");
    this.more = make("div");
    this.task = new Task(this.status);
    this.adder = this.addForm();
    const form = make(
      "form.searchrow",
      { role: "search", onsubmit: (/** @type {Event} */ event) => this.search(event) },
      make("div.grow", {}, make("label.field-label", { for: "prefix" }, "Ids that begin with"), this.prefix),
      make("button.primary", { type: "submit" }, "Show"),
    );
    this.element = make(
      "section",
      {},
      make("h1", { tabindex: "-1" }, "Documents"),
      form,
      this.adder,
      this.status,
      this.list,
      this.more,
    );
    onSession(() => (this.adder.hidden = !mayWrite()));
  }

  /** @param {URLSearchParams} query */
  show(query) {
    this.prefix.value = query.get("prefix") ?? "";
    refill(this.list);
    this.load(undefined);
  }

  /** @param {Event} event */
  search(event) {
    event.preventDefault();
    const prefix = this.prefix.value;
    this.go(prefix === "" ? "#/documents" : `#/documents?prefix=${encodeURIComponent(prefix)}`);
  }

  /** @param {string | undefined} cursor */
  load(cursor) {
    const prefix = this.prefix.value;
    refill(this.more);
    this.task.run(
      "Loading documents",
      (ask) => documents({ limit: PAGE, prefix: prefix === "" ? undefined : prefix, cursor }, ask),
      (answer) => this.present(answer, prefix, cursor !== undefined),
    );
  }

  /**
   * @param {any} answer
   * @param {string} prefix
   * @param {boolean} further whether these follow others
   */
  present(answer, prefix, further) {
    const items = answer.documents.map((/** @type {any} */ { id }) =>
      make("li", {}, make("a", { href: linkTo(id) }, make("bdi", {}, idText(id)))),
    );
    const first = items[0];
    if (further) fill(this.list, items);
    else refill(this.list, items);
    if (!first && !further)
      refill(
        this.list,
        make("li.empty.muted", {}, prefix === "" ? "The index is empty." : `No id begins with “${prefix}”.`),
      );
    const shown = this.list.querySelectorAll("a").length;
    if (answer.next)
      fill(
        this.more,
        make(
          "p.buttons",
          {},
          button(`Show ${PAGE} more`, () => this.load(answer.next)),
          make("span.muted", {}, `${counted(shown, "document")} shown`),
        ),
      );
    if (further) {
      first?.querySelector("a").focus();
      announce(`${counted(shown, "document")} shown`);
    }
  }

  addForm() {
    const area = make("textarea", { id: "new-text", rows: "5", dir: "auto", spellcheck: "false" });
    const note = make("p.small.muted", { role: "status" });
    const place = make("div");
    const task = new Task(place);
    const drop = make(
      "div.drop",
      {},
      make("label.field-label", { for: "new-text" }, "Text of the document"),
      area,
      note,
    );
    const text = acceptFiles(drop, area, note, "Text of the document");
    const add = () => {
      if (text.value().trim() === "") {
        note.textContent = "Paste a text first, or drop a file.";
        area.focus();
        return;
      }
      addText(text.value(), task, (said, id) => {
        text.clear();
        refill(note, `${said} `, make("a", { href: linkTo(id) }, "Look at it"));
        refill(this.list);
        this.load(undefined);
      });
    };
    const details = make(
      "details.adder",
      {},
      make("summary", {}, "Add a document"),
      drop,
      make("p.buttons", {}, button("Add", add, { class: "primary" })),
      place,
    );
    return details;
  }
}
