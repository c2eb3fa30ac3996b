// Sign-in by a token, which lives as long as the tab.

import { setToken, stats } from "./api.js";
import { make, refill } from "./dom.js";
import { learn } from "./session.js";
import { problemBox } from "./task.js";

/** The form that asks for a token. */
export class SignIn {
  /** @param {() => void} done is called when a token was taken */
  constructor(done) {
    this.done = done;
    this.field = make("input.wide-field", {
      id: "token",
      type: "password",
      required: true,
      autocomplete: "current-password",
      spellcheck: "false",
    });
    this.said = make("div");
    this.go = make("button.primary", { type: "submit" }, "Sign in");
    this.heading = make("h1", { tabindex: "-1" }, "Sign in");
    this.element = make(
      "section.signin",
      { hidden: true },
      this.heading,
      make(
        "p",
        {},
        "This service wants a token. Whoever runs it has one for you. It is kept in this tab only, and forgotten when you close it.",
      ),
      make(
        "form",
        { onsubmit: (/** @type {Event} */ event) => this.submit(event) },
        make("label.field-label", { for: "token" }, "Token"),
        this.field,
        this.said,
        make("p.buttons", {}, this.go),
      ),
    );
  }

  /** Shows the form. */
  open() {
    if (!this.element.hidden) return;
    this.element.hidden = false;
    refill(this.said);
    this.field.value = "";
    this.field.focus();
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    const token = this.field.value.trim();
    if (token === "") return;
    this.go.disabled = true;
    refill(this.said);
    try {
      // A header holds no such characters, so no token does.
      if (!/^[\x21-\x7e]+$/.test(token))
        throw new RangeError("A token has no spaces and only plain letters, digits and signs.");
      const answer = await stats({ token });
      setToken(token);
      this.element.hidden = true;
      learn(answer);
      this.done();
    } catch (error) {
      this.refuse(error);
    } finally {
      this.go.disabled = false;
    }
  }

  /** @param {any} error */
  refuse(error) {
    const wrong =
      error instanceof RangeError
        ? error.message
        : error.status === 401
          ? "The service does not know this token. See whether it was copied whole."
          : "";
    refill(this.said, wrong === "" ? problemBox(error) : make("p.problem", { role: "alert" }, wrong));
    this.field.setAttribute("aria-invalid", "true");
    this.field.focus();
    this.field.select();
  }
}
