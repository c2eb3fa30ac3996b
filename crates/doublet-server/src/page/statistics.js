// Figures of the index and of what was asked, with charts.

import { stats } from "./api.js";
import { chartFigure } from "./charts.js";
import { button, fill, make, refill } from "./dom.js";
import { bytes, count, counted, duration, moment, percent } from "./format.js";
import { learn } from "./session.js";
import { Task } from "./task.js";

/** The view of the figures. */
export class StatisticsView {
  constructor() {
    this.title = "Statistics";
    this.status = make("div.status");
    this.body = make("div");
    this.task = new Task(this.status);
    this.span = make(
      "select",
      { id: "history-span", onchange: () => this.load() },
      make("option", { value: "minutes" }, "minutes"),
      make("option", { value: "hours" }, "hours"),
    );
    this.element = make(
      "section",
      {},
      make("h1", { tabindex: "-1" }, "Statistics"),
      make(
        "p.buttons",
        {},
        make("label", { for: "history-span" }, "History by"),
        this.span,
        button("Load again", () => this.load()),
      ),
      this.status,
      this.body,
    );
  }

  show() {
    this.load();
  }

  load() {
    this.task.run(
      "Loading the figures",
      (ask) => stats({ ...ask, query: { history: this.span.value } }),
      (answer) => {
        learn(answer);
        this.present(answer);
      },
    );
  }

  /** @param {any} answer */
  present(answer) {
    refill(this.body, facts(answer), warnings(answer), charts(answer, this.span.value), optionsOf(answer));
  }
}

/** @param {any} answer */
function facts(answer) {
  const { checks } = answer;
  const share = checks?.total > 0 ? ` (${percent(checks.duplicates / checks.total)})` : "";
  const shown = [
    ["Documents", count(answer.documents)],
    ["Size on disk", bytes(answer.bytes)],
    ["Texts checked", count(checks?.total ?? 0)],
    ["Copies among them", `${count(checks?.duplicates ?? 0)}${share}`],
    ["Running for", duration(answer.uptime_seconds)],
    ["Version", answer.version],
    ["Entries", count(answer.entries ?? 0)],
    ["Parts", count(answer.parts ?? 0)],
    ["Removed, not yet swept", count(answer.dead ?? 0)],
    ["Changes waiting", count(answer.live?.waiting ?? 0)],
    ["Longest text taken", answer.limits ? bytes(answer.limits.text_bytes) : "–"],
    ["You may", answer.rights === "write" ? "read and write" : "read only"],
  ];
  return make(
    "dl.facts",
    {},
    shown.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

/** @param {any} answer */
function warnings(answer) {
  if (!answer.live?.read_only) return null;
  return make(
    "p.warning",
    { role: "alert" },
    "The disk failed: the index takes no changes until the service is started again. It is still asked as before.",
  );
}

/**
 * @param {any} answer
 * @param {string} span
 */
function charts(answer, span) {
  const history = answer.history ?? [];
  const drawn = [];
  if (history.length > 1) drawn.push(...overTime(history, span));
  if (answer.sizes?.length > 0) drawn.push(sizesChart(answer.sizes));
  const body = make("div", {}, make("h2", {}, "Over time"));
  if (history.length <= 1)
    fill(
      body,
      make(
        "p.note.empty",
        {},
        `There is no history by ${span} yet: it begins when the service starts. Look again later.`,
      ),
    );
  if (!answer.sizes?.length)
    fill(
      body,
      make(
        "p.note.empty",
        {},
        "The sizes of documents are counted when clusters are looked for. ",
        make("a", { href: "#/clusters" }, "Look for clusters"),
      ),
    );
  fill(body, make("div.figures", {}, drawn));
  return body;
}

/**
 * @param {any[]} history
 * @param {string} span
 */
function overTime(history, span) {
  const far = history[history.length - 1].time - history[0].time > 86400;
  const short = (/** @type {any} */ { time }) =>
    new Date(time * 1000).toLocaleString(
      "en-GB",
      far ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" },
    );
  const common = {
    across: "Time",
    labels: history.map(short),
    longLabels: history.map(({ time }) => moment(time)),
    times: history.map(({ time }) => time),
    kind: /** @type {const} */ ("lines"),
  };
  const values = (/** @type {string} */ name) => history.map((point) => point[name] ?? 0);
  const last = (/** @type {string} */ name) => history[history.length - 1][name] ?? 0;
  const from = `From ${moment(history[0].time)} to ${moment(history[history.length - 1].time)}`;
  const sum = (/** @type {string} */ name) => values(name).reduce((total, value) => total + value, 0);
  const each = span === "hours" ? "hour" : "minute";
  return [
    chartFigure({
      ...common,
      title: "Documents",
      up: "Documents",
      series: [{ name: "Documents", values: values("documents") }],
      format: compact,
      description: `${from} the index went from ${counted(history[0].documents, "document")} to ${count(last("documents"))}.`,
    }),
    chartFigure({
      ...common,
      title: "Size of the index",
      up: "Size on disk",
      series: [{ name: "Size", values: values("bytes") }],
      format: bytes,
      description: `${from} its size went from ${bytes(history[0].bytes)} to ${bytes(last("bytes"))}.`,
    }),
    chartFigure({
      ...common,
      title: "Checks and copies",
      up: `Texts in a ${each}`,
      fromZero: true,
      series: [
        { name: "Texts checked", values: values("checks") },
        { name: "Copies among them", values: values("duplicates") },
      ],
      format: compact,
      description: `${from} ${counted(sum("checks"), "text")} were checked, and ${count(sum("duplicates"))} were copies.`,
    }),
    chartFigure({
      ...common,
      title: "Documents added and removed",
      up: `Documents in a ${each}`,
      fromZero: true,
      series: [
        { name: "Added", values: values("added") },
        { name: "Removed", values: values("removed") },
      ],
      format: compact,
      description: `${from} ${counted(sum("added"), "document")} were added and ${count(sum("removed"))} removed.`,
    }),
  ];
}

/** @param {{from: number, to: number, documents: number}[]} sizes */
function sizesChart(sizes) {
  const total = sizes.reduce((sum, { documents }) => sum + documents, 0);
  const most = sizes.reduce((best, one) => (one.documents > best.documents ? one : best));
  return chartFigure({
    title: "Sizes of documents",
    across: "Characters, from",
    up: "Documents",
    labels: sizes.map(({ from }) => compact(from)),
    longLabels: sizes.map(({ from, to }) => `${count(from)} to ${count(to)}`),
    series: [{ name: "Documents", values: sizes.map(({ documents }) => documents) }],
    format: compact,
    fromZero: true,
    kind: "bars",
    description: `Of ${counted(total, "document")}, most, ${count(most.documents)}, have ${count(most.from)} to ${count(most.to)} characters.`,
  });
}

const shortened = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** @param {number} value */
function compact(value) {
  return value < 10_000 ? count(value) : shortened.format(value);
}

/** @param {any} answer */
function optionsOf(answer) {
  const rows = Object.entries(answer.options ?? {}).map(([name, value]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      make("td", {}, typeof value === "string" ? value : JSON.stringify(value)),
    ),
  );
  if (rows.length === 0) return null;
  return make(
    "details.options",
    {},
    make("summary", {}, "Options of the index"),
    make("table.optiontable", {}, make("caption.visually-hidden", {}, "Options of the index"), make("tbody", {}, rows)),
  );
}
