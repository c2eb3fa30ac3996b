// Boxes that ask before something is done.

import { addDocument, Problem, readDocument } from "./api.js";
import { button, freshId, make, refill } from "./dom.js";
import { idText } from "./format.js";
import { recount } from "./session.js";
import { problemBox } from "./task.js";

/**
 * Opens a box; it is gone when it is closed, by Escape too.
 * @param {string} title
 * @param {(close: () => void) => any[]} content
 */
function openDialog(title, content) {
  const id = freshId("dialog");
  const dialog = make("dialog", { "aria-labelledby": id });
  const close = () => dialog.close();
  dialog.append(make("h2", { id }, title), ...content(close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks whether to do something that cannot be undone.
 * @param {string} title
 * @param {any[]} said
 * @param {string} action label of the button that does it
 * @returns {Promise<boolean>}
 */
export function confirmAction(title, said, action) {
  return new Promise((answer) => {
    const dialog = openDialog(title, (close) => [
      make("p", {}, said),
      make(
        "p.buttons",
        {},
        button("Cancel", close, { autofocus: true }),
        button(
          action,
          () => {
            answer(true);
            close();
          },
          { class: "danger" },
        ),
      ),
    ]);
    dialog.addEventListener("close", () => answer(false));
  });
}

/**
 * Asks for an id that a text shall have in the index. Where a document of this id is there already, it asks whether to replace it.
 * @param {string} title
 * @param {string} action label of the button
 * @returns {Promise<string | null>}
 */
export function askForId(title, action) {
  return new Promise((answer) => {
    const id = freshId("id");
    const field = make("input.wide-field", {
      id,
      required: true,
      autocomplete: "off",
      spellcheck: "false",
      dir: "auto",
      maxlength: "1000",
    });
    const said = make("div", { "aria-live": "polite" });
    const go = make("button.primary", { type: "submit" }, action);
    let replaces = "";
    field.addEventListener("input", () => {
      replaces = "";
      go.textContent = action;
      refill(said);
    });
    const dialog = openDialog(title, (close) => {
      const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (field.value === "") return;
        if (replaces !== field.value && (await isTaken(field.value, said))) {
          replaces = field.value;
          refill(said, make("p.warning", {}, "The index has a document of this id. It is replaced if you go on."));
          go.textContent = "Replace it";
          return;
        }
        if (said.querySelector(".problem")) return;
        answer(field.value);
        close();
      };
      return [
        make(
          "form",
          { onsubmit: submit },
          make("label.field-label", { for: id }, "Id of the document"),
          field,
          make("p.small.muted", {}, "Any text: a name, a number, an address. The document is found again by it."),
          said,
          make("p.buttons", {}, go, button("Cancel", close)),
        ),
      ];
    });
    dialog.addEventListener("close", () => answer(null));
    field.focus();
  });
}

/**
 * @param {string} id
 * @param {Element} said where a failure is shown
 */
async function isTaken(id, said) {
  refill(said);
  try {
    await readDocument(id);
    return true;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 404)) refill(said, problemBox(error));
    return false;
  }
}

/**
 * Adds a text under an id that it asks for.
 * @param {string} text
 * @param {import("./task.js").Task} task
 * @param {(said: string, id: string) => void} done
 */
export async function addText(text, task, done) {
  const id = await askForId("Add this text to the index", "Add");
  if (id === null) return;
  task.run(
    "Adding",
    (ask) => addDocument({ id, text }, ask),
    (answer) => {
      recount();
      done(answer.replaced > 0 ? `It replaced the document ${idText(id)}.` : `It was added as ${idText(id)}.`, id);
    },
  );
}
