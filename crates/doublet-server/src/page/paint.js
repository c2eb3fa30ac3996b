// Overlapping passages become stretches side by side: each stretch of a text is shown in the colour of one passage.

/**
 * A passage of a text, in UTF-16 units.
 * @typedef {object} Passage
 * @property {number} start
 * @property {number} end
 * @property {number} rank the lower, the sooner it is shown where several lie over each other
 */

/**
 * A stretch that is shown for one passage.
 * @typedef {object} Stretch
 * @property {number} start
 * @property {number} end
 * @property {number} passage place of the passage among those given
 * @property {number} others how many other passages lie over it, at its most crowded place
 */

/**
 * Gives every place that a passage covers to the passage of lowest rank there, in one sweep over all the ends: n passages cost
 * n log n, however deep they lie over each other.
 * @param {Passage[]} passages
 * @returns {Stretch[]} in the order of the text, none over another
 */
export function paint(passages) {
  const places = [...new Set(passages.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const at = new Map(places.map((place, index) => [place, index]));
  const owner = new Int32Array(places.length).fill(-1);
  const deep = new Int32Array(places.length + 1);
  const free = Int32Array.from({ length: places.length + 1 }, (_, index) => index);
  const order = passages.map((_, index) => index).sort((a, b) => passages[a].rank - passages[b].rank || a - b);
  for (const index of order) {
    const from = /** @type {number} */ (at.get(passages[index].start));
    const to = /** @type {number} */ (at.get(passages[index].end));
    if (to <= from) continue;
    deep[from] += 1;
    deep[to] -= 1;
    for (let cell = nextFree(free, from); cell < to; cell = nextFree(free, cell)) {
      owner[cell] = index;
      free[cell] = cell + 1;
    }
  }
  return joined(places, owner, deep);
}

/**
 * The first cell at or after this one that no passage has yet; the way there is made shorter for the next time.
 * @param {Int32Array} free
 * @param {number} cell
 */
function nextFree(free, cell) {
  while (free[cell] !== cell) {
    free[cell] = free[free[cell]];
    cell = free[cell];
  }
  return cell;
}

/**
 * @param {number[]} places
 * @param {Int32Array} owner
 * @param {Int32Array} deep
 * @returns {Stretch[]}
 */
function joined(places, owner, deep) {
  /** @type {Stretch[]} */
  const stretches = [];
  let depth = 0;
  for (let cell = 0; cell + 1 < places.length; cell += 1) {
    depth += deep[cell];
    if (owner[cell] < 0) continue;
    const last = stretches[stretches.length - 1];
    if (last && last.passage === owner[cell] && last.end === places[cell]) {
      last.end = places[cell + 1];
      last.others = Math.max(last.others, depth - 1);
    } else {
      stretches.push({ start: places[cell], end: places[cell + 1], passage: owner[cell], others: depth - 1 });
    }
  }
  return stretches;
}
