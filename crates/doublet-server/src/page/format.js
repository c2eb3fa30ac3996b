// Figures in words that people read.

const whole = new Intl.NumberFormat("en");

/** @param {number} value */
export function count(value) {
  return whole.format(value);
}

/**
 * A number and its noun.
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export function counted(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * A share of 0 to 1 in per cent; never 0 % or 100 % unless it is so.
 * @param {number} share
 */
export function percent(share) {
  const value = share * 100;
  if (value > 0 && value < 1) return "under 1 %";
  if (value > 99 && value < 100) return "over 99 %";
  return `${Math.round(value)} %`;
}

/** @param {number} value a score of 0 to 1 */
export function score(value) {
  return value.toFixed(value === 1 || value === 0 ? 0 : 3);
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** @param {number} value */
export function bytes(value) {
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 90) return counted(Math.round(seconds), "second");
  if (seconds < 90 * 60) return counted(Math.round(seconds / 60), "minute");
  if (seconds < 36 * 3600) return counted(Math.round(seconds / 3600), "hour");
  return counted(Math.round(seconds / 86400), "day");
}

/** @param {number} seconds since 1970 */
export function moment(seconds) {
  return new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/**
 * An id as it is shown: the text of a string, the digits of a number.
 * @param {string | number} id
 */
export function idText(id) {
  return id === "" ? "(empty id)" : String(id);
}
