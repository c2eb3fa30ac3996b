// One document: its text, and what can be done with it.

import { readDocument, removeDocument } from "./api.js";
import { button, make, refill } from "./dom.js";
import { confirmAction } from "./dialog.js";
import { counted, idText } from "./format.js";
import { MarkedText } from "./marked.js";
import { mayWrite, onSession, recount } from "./session.js";
import { Task } from "./task.js";
import { characters } from "./text.js";

/** The view of one document. */
export class DocumentView {
  /**
   * @param {(hash: string) => void} go
   * @param {(text: string) => void} checkText
   */
  constructor(go, checkText) {
    this.title = "Document";
    this.checkText = checkText;
    this.go = go;
    this.heading = make("h1", { tabindex: "-1", dir: "auto" });
    this.status = make("div.status");
    this.body = make("div");
    this.task = new Task(this.status);
    this.element = make(
      "section",
      {},
      make("p.kicker", {}, make("a", { href: "#/documents" }, "All documents")),
      this.heading,
      this.status,
      this.body,
    );
    /** @type {HTMLElement | null} */
    this.remover = null;
    onSession(() => this.remover && (this.remover.hidden = !mayWrite()));
  }

  /** @param {URLSearchParams} query */
  show(query) {
    const id = query.get("id") ?? "";
    this.heading.textContent = idText(id);
    refill(this.body);
    this.task.run(
      "Loading the document",
      (ask) => readDocument(id, ask),
      (found) => this.present(id, found),
    );
  }

  /**
   * @param {string} id
   * @param {any} found
   */
  present(id, found) {
    const kept = typeof found.text === "string";
    const length = found.characters ?? (kept ? characters(found.text) : undefined);
    this.remover = button("Remove", () => this.remove(id), { class: "danger", hidden: !mayWrite() });
    refill(
      this.body,
      length !== undefined && make("p.muted", {}, counted(length, "character")),
      make(
        "p.buttons",
        {},
        kept && found.text !== "" && button("Check this text", () => this.checkText(found.text)),
        this.remover,
      ),
      kept
        ? this.textOf(found.text)
        : make(
            "p.note",
            {},
            "This index keeps no texts: only where each sentence stands. The document is in the index, but it cannot be shown.",
          ),
    );
  }

  /** @param {string} text */
  textOf(text) {
    if (text === "") return make("p.note.muted", {}, "Its text is empty.");
    return make("div.side.single", {}, new MarkedText(text, "Text of the document").element);
  }

  /** @param {string} id */
  async remove(id) {
    const sure = await confirmAction(
      "Remove this document?",
      [make("bdi.key", {}, idText(id)), " will no longer be found as a source. This cannot be undone."],
      "Remove",
    );
    if (!sure) return;
    this.task.run(
      "Removing",
      (ask) => removeDocument(id, ask),
      () => {
        recount();
        refill(this.body);
        refill(
          this.status,
          make(
            "p.outcome",
            { role: "status" },
            "The document was removed. ",
            make("a", { href: "#/documents" }, "All documents"),
          ),
        );
      },
    );
  }
}
