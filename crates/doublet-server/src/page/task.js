// Work that waits for the service: shows that it goes on, what became of it, and drops an answer that is no longer wanted.

import { Problem, pause } from "./api.js";
import { announce, bringIntoView, button, make, refill, withCode } from "./dom.js";
import { adviceFor } from "./problems.js";

/** What was refused for want of a token, to be done when there is one. @type {Set<() => void>} */
const refused = new Set();

/** Does what was refused for want of a token. */
export function retryRefused() {
  const waiting = [...refused];
  refused.clear();
  waiting.forEach((retry) => retry());
}

/** Forgets what was refused for want of a token. */
export function forgetRefused() {
  refused.clear();
}

/** One kind of work of a view. Beginning it anew ends what is under way. */
export class Task {
  /** @param {Element} place where waiting and problems are shown */
  constructor(place) {
    this.place = place;
    /** @type {AbortController | null} */
    this.controller = null;
  }

  /** Ends what is under way; its answer is dropped. */
  stop() {
    this.controller?.abort();
    this.controller = null;
    refill(this.place);
  }

  /**
   * Runs the work and shows its answer. A failure is shown with a way to try again; the answer of work that was stopped is dropped.
   * @template T
   * @param {string} doing such as `Checking the text`
   * @param {(ask: import("./api.js").Ask) => Promise<T>} work
   * @param {(answer: T) => void} show
   */
  async run(doing, work, show) {
    this.stop();
    const controller = new AbortController();
    this.controller = controller;
    const onWait = (/** @type {number} */ seconds) => this.showWaiting(seconds);
    this.showLoading(doing, controller.signal);
    let answer;
    try {
      answer = await work({ signal: controller.signal, onWait });
    } catch (problem) {
      if (controller.signal.aborted) return;
      this.stop();
      this.showProblem(problem, () => this.run(doing, work, show));
      return;
    }
    if (controller.signal.aborted) return;
    this.stop();
    show(answer);
  }

  /**
   * Quick answers show no flicker: the notice comes only after a moment.
   * @param {string} doing
   * @param {AbortSignal} signal
   */
  async showLoading(doing, signal) {
    this.place.setAttribute("aria-busy", "true");
    signal.addEventListener("abort", () => this.place.removeAttribute("aria-busy"), { once: true });
    try {
      await pause(150, signal);
    } catch {
      return;
    }
    if (this.place.querySelector(".waiting")) return;
    const cancel = button("Cancel", () => this.stop());
    refill(
      this.place,
      make("p.loading", { role: "status" }, make("span.spinner", { "aria-hidden": "true" }), `${doing} …`, cancel),
    );
    bringIntoView(this.place);
  }

  /** @param {number} seconds */
  showWaiting(seconds) {
    const cancel = button("Cancel", () => this.stop());
    const said = `The service has too much to do. Trying again in ${seconds} s.`;
    const shown = this.place.querySelector(".waiting span + span");
    if (!shown) {
      refill(
        this.place,
        make("p.loading.waiting", {}, make("span.spinner", { "aria-hidden": "true" }), make("span", {}, said), cancel),
      );
      announce(said);
      bringIntoView(this.place);
    } else {
      shown.textContent = said;
    }
  }

  /**
   * @param {unknown} error
   * @param {() => void} retry
   */
  showProblem(error, retry) {
    if (error instanceof Problem && error.status === 401) {
      // The sign-in says it all.
      refused.add(retry);
      return;
    }
    refill(this.place, problemBox(error, retry));
    bringIntoView(this.place);
    if (!(error instanceof Problem)) console.error(error);
  }
}

/**
 * What went wrong and what to do.
 * @param {unknown} error
 * @param {() => void} [retry]
 */
export function problemBox(error, retry) {
  const { title, detail, advice, again } = adviceFor(error);
  const instance = error instanceof Problem ? error.instance : "";
  return make(
    "div.problem",
    { role: "alert" },
    make("p.problem-title", {}, title),
    detail && make("p", {}, withCode(detail)),
    advice && make("p", {}, advice),
    again && retry && make("p.buttons", {}, button("Try again", retry)),
    instance && make("p.small.muted", {}, "Request ", make("code", {}, instance)),
  );
}
