// Charts as drawings: lines over time, and bars. Each has a title, named axes, a description for those who do not see it, and its
// figures in a table.

import { draw, freshId, make, refill } from "./dom.js";

/**
 * One line or row of bars.
 * @typedef {object} Series
 * @property {string} name
 * @property {number[]} values
 */

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} across what the axis from left to right shows
 * @property {string} up what the axis upwards shows
 * @property {string[]} labels of the points or bars
 * @property {string[]} [longLabels] the same in the table
 * @property {number[]} [times] when the points of lines were; without them they lie at equal distances
 * @property {Series[]} series
 * @property {(value: number) => string} format
 * @property {boolean} [fromZero] whether the axis upwards begins at 0
 * @property {"lines" | "bars"} kind
 * @property {string} description
 */

const HEIGHT = 240;
/** Room for the label of a point in time. */
const LABEL = 80;
const MARGIN = { top: 12, right: 14, bottom: 44, left: 76 };

/**
 * @param {Chart} chart
 * @returns {HTMLElement}
 */
export function chartFigure(chart) {
  const place = make("div.chartbox");
  const figure = make(
    "figure.chartfigure",
    {},
    make("figcaption", {}, make("h3", {}, chart.title)),
    chart.series.length > 1 && legend(chart.series),
    place,
    make("details.figures-table", {}, make("summary", {}, `Figures: ${chart.title.toLowerCase()}`), table(chart)),
  );
  // Drawn at the width it has, so that its letters are as large on a phone as on a desk.
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width === 0 || width === drawn) return;
    drawn = width;
    refill(place, drawing(chart, width));
  }).observe(place);
  return figure;
}

/** @param {Series[]} series */
function legend(series) {
  return make(
    "ul.legend",
    {},
    series.map(({ name }, index) =>
      make(
        "li",
        {},
        draw(
          `svg.swatch.line-${index + 1}`,
          { viewBox: "0 0 24 12", "aria-hidden": "true" },
          draw("line", { x1: 1, x2: 23, y1: 6, y2: 6 }),
        ),
        name,
      ),
    ),
  );
}

/**
 * @param {Chart} chart
 * @param {number} width
 */
function drawing(chart, width) {
  const [title, description] = [freshId("chart"), freshId("chart")];
  const svg = draw(
    "svg.chart",
    {
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-labelledby": `${title} ${description}`,
    },
    draw("title", { id: title }, chart.title),
    draw("desc", { id: description }, chart.description),
  );
  const values = chart.series.flatMap((series) => series.values);
  const ticks = niceTicks(chart.fromZero ? 0 : Math.min(...values), Math.max(...values));
  const [low, high] = [ticks[0], ticks[ticks.length - 1]];
  const [w, h] = [width - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const y = (/** @type {number} */ value) => MARGIN.top + h - ((value - low) / (high - low)) * h;
  for (const tick of ticks) {
    svg.append(draw("line.grid", { x1: MARGIN.left, x2: MARGIN.left + w, y1: y(tick), y2: y(tick) }));
    svg.append(draw("text.tick", { x: MARGIN.left - 6, y: y(tick) + 4, "text-anchor": "end" }, chart.format(tick)));
  }
  if (chart.kind === "bars") bars(svg, chart, w, y);
  else lines(svg, chart, w, y);
  svg.append(draw("text.axis", { x: MARGIN.left + w / 2, y: HEIGHT - 6, "text-anchor": "middle" }, chart.across));
  svg.append(
    draw(
      "text.axis",
      { x: 12, y: MARGIN.top + h / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${MARGIN.top + h / 2})` },
      chart.up,
    ),
  );
  return svg;
}

/**
 * @param {SVGElement} svg
 * @param {Chart} chart
 * @param {number} w
 * @param {(value: number) => number} y
 */
function lines(svg, chart, w, y) {
  const points = chart.labels.length;
  const times = chart.times ?? chart.labels.map((_, index) => index);
  const [first, span] = [times[0], times[points - 1] - times[0]];
  const x = (/** @type {number} */ index) => MARGIN.left + (span > 0 ? ((times[index] - first) / span) * w : w / 2);
  chart.series.forEach(({ values }, number) => {
    const path = values
      .map((value, index) => `${index === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
      .join("");
    svg.append(draw(`path.line-${number + 1}`, { d: path }));
    if (points === 1) svg.append(draw(`circle.line-${number + 1}`, { cx: x(0), cy: y(values[0]), r: 3 }));
  });
  let free = -Infinity;
  for (let index = 0; index < points; index += 1) {
    if (x(index) < free) continue;
    free = x(index) + LABEL;
    const anchor =
      index === 0 && span > 0 ? "start" : x(index) > MARGIN.left + w - LABEL / 3 && span > 0 ? "end" : "middle";
    svg.append(
      draw("text.tick", { x: x(index), y: HEIGHT - MARGIN.bottom + 16, "text-anchor": anchor }, chart.labels[index]),
    );
  }
}

/**
 * @param {SVGElement} svg
 * @param {Chart} chart
 * @param {number} w
 * @param {(value: number) => number} y
 */
function bars(svg, chart, w, y) {
  const wide = w / chart.labels.length;
  const each = Math.max(1, Math.ceil(chart.labels.length / Math.max(1, Math.floor(w / 52))));
  chart.series[0].values.forEach((value, index) => {
    const left = MARGIN.left + index * wide;
    const bar = draw("rect.bar", {
      x: (left + 1).toFixed(1),
      y: y(value).toFixed(1),
      width: Math.max(1, wide - 2).toFixed(1),
      height: Math.max(0, y(0) - y(value)).toFixed(1),
    });
    bar.append(draw("title", {}, `${(chart.longLabels ?? chart.labels)[index]}: ${chart.format(value)}`));
    svg.append(bar);
    if (index % each === 0)
      svg.append(
        draw(
          "text.tick",
          { x: left + wide / 2, y: HEIGHT - MARGIN.bottom + 16, "text-anchor": "middle" },
          chart.labels[index],
        ),
      );
  });
}

/**
 * Round numbers that span the values, four or five of them.
 * @param {number} least
 * @param {number} most
 * @returns {number[]}
 */
export function niceTicks(least, most) {
  if (most <= least) [least, most] = least > 0 ? [Math.max(0, least - 1), least + 1] : [0, 1];
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  // What is counted has no halves.
  const step = Math.max(
    [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough,
    most <= 5 ? 1 : 0,
  );
  const ticks = [];
  const from = Math.floor(least / step) * step;
  for (let tick = from; tick < most + step; tick += step) ticks.push(tick);
  return ticks;
}

/** Rows of a table at most; a long history is told by the newest. */
const ROWS = 200;

/** @param {Chart} chart */
function table(chart) {
  const labels = chart.longLabels ?? chart.labels;
  const first = Math.max(0, labels.length - ROWS);
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, chart.across),
    chart.series.map(({ name }) => make("th.number", { scope: "col" }, name)),
  );
  const rows = labels.slice(first).map((label, index) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, label),
      chart.series.map(({ values }) => make("td.number", {}, chart.format(values[first + index]))),
    ),
  );
  return make(
    "div.wide",
    { tabindex: "0", role: "region", "aria-label": `Table: ${chart.title}` },
    make(
      "table",
      {},
      make("caption.visually-hidden", {}, chart.title),
      make("thead", {}, head),
      make("tbody", {}, rows),
    ),
  );
}
