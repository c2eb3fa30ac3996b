// Groups of documents that are copies of each other, the largest first.

import { clusters, pause, Problem } from "./api.js";
import { announce, button, fill, make, refill } from "./dom.js";
import { count, counted, idText, percent } from "./format.js";
import { Task } from "./task.js";

const PAGE = 20;
const MEMBERS = 6;

/** The view of all clusters. */
export class ClustersView {
  constructor() {
    this.title = "Clusters";
    this.status = make("div.status");
    this.about = make("p.lede");
    this.note = make("div");
    this.list = make("ol.clusterlist");
    this.more = make("div");
    this.task = new Task(this.status);
    this.element = make(
      "section",
      {},
      make("h1", { tabindex: "-1" }, "Clusters of copies"),
      this.about,
      this.note,
      this.status,
      this.list,
      this.more,
    );
  }

  show() {
    refill(this.list);
    refill(this.about);
    refill(this.note);
    this.load(undefined);
  }

  hide() {
    this.task.stop();
  }

  /** @param {string | undefined} cursor */
  load(cursor) {
    refill(this.more);
    this.task.run(
      "Loading clusters",
      (ask) => waitForClusters({ limit: PAGE, members: MEMBERS, cursor }, ask, this.note),
      (answer) => this.present(answer, cursor !== undefined),
    );
  }

  /**
   * @param {any} answer
   * @param {boolean} further
   */
  present(answer, further) {
    refill(this.note);
    if (answer.stale)
      fill(
        this.note,
        make(
          "p.warning",
          {},
          "The index has changed since these were found. ",
          button("Load again", () => this.show()),
        ),
      );
    const total = answer.clusters_total;
    this.about.textContent =
      total === 0
        ? "No two documents of this index are copies of each other."
        : `${counted(answer.documents_in_clusters, "document")} in ${counted(total, "cluster")}, the largest first.`;
    const items = answer.clusters.map(item);
    if (answer.again) {
      refill(this.list);
      fill(this.note, make("p.warning", {}, "The clusters were found anew: this is the new list from its beginning."));
    }
    fill(this.list, items);
    const shown = this.list.children.length;
    if (answer.next)
      fill(
        this.more,
        make(
          "p.buttons",
          {},
          button(`Show ${PAGE} more`, () => this.load(answer.next)),
          make("span.muted", {}, `${count(shown)} of ${count(total)} shown`),
        ),
      );
    if (further) {
      items[0]?.querySelector("a").focus();
      announce(`${counted(shown, "cluster")} shown`);
    }
  }
}

/** @param {any} cluster */
function item(cluster) {
  const others = cluster.members.filter((/** @type {any} */ member) => member.id !== cluster.representative);
  const named = others.map((/** @type {any} */ member, /** @type {number} */ index) => [
    index > 0 && ", ",
    make("bdi", {}, idText(member.id)),
  ]);
  const rest = cluster.size - 1 - others.length;
  return make(
    "li.cluster",
    {},
    make("span.size", {}, make("b", {}, count(cluster.size)), " documents"),
    make(
      "div",
      {},
      make("a.key", { href: `#/clusters/${cluster.cluster}` }, make("bdi", {}, idText(cluster.representative))),
      make("p.members", {}, named, rest > 0 && ` and ${count(rest)} more`),
    ),
  );
}

/**
 * Asks until the clusters are there, and shows how far the work has come.
 * @param {any} query
 * @param {import("./api.js").Ask} ask
 * @param {Element} place
 */
async function waitForClusters(query, ask, place) {
  for (let tries = 0; ; tries += 1) {
    const answer = await fromStart(query, ask);
    if (answer.state !== "computing" || answer.clusters?.length > 0) return answer;
    showProgress(place, answer.progress);
    await pause(Math.min(500 + tries * 250, 3000), ask.signal);
  }
}

/**
 * Where the clusters were found anew since the last page, the list begins again.
 * @param {any} query
 * @param {import("./api.js").Ask} ask
 */
async function fromStart(query, ask) {
  try {
    return await clusters(query, ask);
  } catch (problem) {
    if (!(problem instanceof Problem && problem.status === 422 && query.cursor)) throw problem;
    return { ...(await clusters({ ...query, cursor: undefined }, ask)), again: true };
  }
}

/**
 * @param {Element} place
 * @param {number} [progress]
 */
function showProgress(place, progress) {
  const said = progress === undefined ? "" : percent(progress);
  const bar = place.querySelector("progress");
  if (!bar) {
    const label = make(
      "label",
      {},
      "Comparing the documents of the index with each other ",
      make("progress", { max: "1" }),
      " ",
      make("span"),
    );
    refill(place, make("p.progressline", {}, label));
  }
  if (progress !== undefined) {
    /** @type {any} */ (place.querySelector("progress")).value = progress;
    /** @type {any} */ (place.querySelector("span")).textContent = said;
  }
}
