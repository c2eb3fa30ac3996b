// One cluster: its members, and how each differs from the representative, word by word.

import { cluster, pause, Problem, readDocument } from "./api.js";
import { button, fill, make, refill } from "./dom.js";
import { changesView } from "./changes.js";
import { linkTo } from "./documents.js";
import { count, counted, idText, score } from "./format.js";
import { Task } from "./task.js";

const PAGE = 100;

/**
 * Asks for a cluster until the clusters were found.
 * @param {number} number
 * @param {{members?: number, cursor?: string}} query
 * @param {import("./api.js").Ask} ask
 */
async function whenFound(number, query, ask) {
  for (;;) {
    try {
      return await cluster(number, query, ask);
    } catch (problem) {
      if (!(problem instanceof Problem && problem.type.endsWith("/computing"))) throw problem;
      await pause(1000 * (problem.retryAfter || 1), ask.signal);
    }
  }
}

/** The view of one cluster. */
export class ClusterView {
  constructor() {
    this.title = "Cluster";
    this.heading = make("h1", { tabindex: "-1" });
    this.status = make("div.status");
    this.members = make("ul.memberlist");
    this.more = make("div");
    this.differenceStatus = make("div.status");
    this.difference = make("div");
    this.task = new Task(this.status);
    this.differenceTask = new Task(this.differenceStatus);
    this.panel = make(
      "section.side.difference",
      { "aria-label": "Differences", hidden: true },
      this.differenceStatus,
      this.difference,
    );
    this.element = make(
      "section",
      {},
      make("p.kicker", {}, make("a", { href: "#/clusters" }, "All clusters")),
      this.heading,
      this.status,
      make(
        "div.clusterview",
        {},
        make("section.memberside", { "aria-label": "Members" }, this.members, this.more),
        this.panel,
      ),
    );
    this.number = 0;
    this.representative = /** @type {any} */ (null);
  }

  /**
   * @param {URLSearchParams} _query
   * @param {string} number
   */
  show(_query, number) {
    this.number = Number(number);
    this.heading.textContent = "Cluster";
    this.chosen = null;
    refill(this.members);
    refill(this.difference);
    this.differenceTask.stop();
    this.panel.hidden = true;
    this.load(undefined);
  }

  /** @param {string | undefined} cursor */
  load(cursor) {
    refill(this.more);
    this.task.run(
      "Loading the cluster",
      (ask) => whenFound(this.number, { members: PAGE, cursor }, ask),
      (answer) => this.present(answer, cursor !== undefined),
    );
  }

  /**
   * @param {any} answer
   * @param {boolean} further
   */
  present(answer, further) {
    if (!further) {
      this.representative = answer.representative;
      refill(this.heading, `${counted(answer.size, "document")} like `, make("bdi", {}, idText(answer.representative)));
    }
    const items = answer.members.map((/** @type {any} */ member) => this.item(member));
    fill(this.members, items);
    const next = answer.next;
    const shown = this.members.children.length;
    if (next)
      fill(
        this.more,
        make(
          "p.buttons",
          {},
          button(`Show ${PAGE} more`, () => this.load(next)),
          make("span.muted", {}, `${count(shown)} of ${count(answer.size)}`),
        ),
      );
    if (further) items[0]?.querySelector("button, a")?.focus();
    else this.chooseFirst(answer.members);
  }

  /** @param {any[]} members */
  chooseFirst(members) {
    const other = members.findIndex((member) => member.id !== this.representative);
    if (other >= 0) this.choose(members[other].id, this.members.children[other].querySelector("button"));
  }

  /** @param {any} member */
  item(member) {
    if (member.id === this.representative) {
      return make(
        "li.member",
        {},
        make("a.key", { href: linkTo(member.id) }, make("bdi", {}, idText(member.id))),
        make("span.badge.kept", {}, "representative"),
      );
    }
    const head = make(
      "button.member-head",
      { type: "button", "aria-pressed": "false" },
      make("bdi.key", {}, idText(member.id)),
      typeof member.score === "number" && make("span.muted.score", {}, score(member.score)),
    );
    head.addEventListener("click", () => this.choose(member.id, head));
    return make("li.member", {}, head);
  }

  /**
   * Shows how a member differs.
   * @param {string | number} id
   * @param {HTMLElement} head
   */
  choose(id, head) {
    this.members
      .querySelectorAll("[aria-pressed=true]")
      .forEach((/** @type {Element} */ other) => other.setAttribute("aria-pressed", "false"));
    head.setAttribute("aria-pressed", "true");
    this.panel.hidden = false;
    refill(this.difference);
    const representative = this.representative;
    this.differenceTask.run(
      "Comparing word by word",
      async (ask) => Promise.all([readDocument(representative, ask), readDocument(id, ask)]),
      ([one, other]) => {
        const title = make(
          "h2.who",
          {},
          "From ",
          make("a", { href: linkTo(representative) }, make("bdi", {}, idText(representative))),
          " to ",
          make("a", { href: linkTo(id) }, make("bdi", {}, idText(id))),
        );
        refill(this.difference, title, changesView(one.text ?? "", other.text ?? ""));
      },
    );
  }
}
