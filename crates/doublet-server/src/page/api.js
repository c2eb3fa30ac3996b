// Asks the service. Everything that goes wrong comes out as a `Problem` that says what to do.

const TOKEN = "doublet-token";

/** Why a request was not answered as wished. */
export class Problem extends Error {
  /**
   * @param {{status: number, title: string, detail?: string, type?: string, instance?: string, retryAfter?: number}} what
   *   `status` is 0 where no answer came.
   */
  constructor(what) {
    super(what.detail || what.title);
    this.name = "Problem";
    this.status = what.status;
    this.title = what.title;
    this.detail = what.detail ?? "";
    this.type = what.type ?? "";
    this.instance = what.instance ?? "";
    this.retryAfter = what.retryAfter ?? 0;
  }
}

/** What is told when a token is missing, wrong or withdrawn. */
const listeners = new Set();

/** @param {() => void} listener is called when the service wants a token */
export function onSignedOut(listener) {
  listeners.add(listener);
}

/** @returns {string} the token of this tab, or nothing */
export function token() {
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return kept;
  }
}

// Where a browser keeps nothing, the token lives as long as the page.
let kept = "";

/** @param {string} value empty to forget it */
export function setToken(value) {
  kept = value;
  try {
    if (value) sessionStorage.setItem(TOKEN, value);
    else sessionStorage.removeItem(TOKEN);
  } catch {
    // Kept in memory only.
  }
}

/**
 * How often a request that was turned away for too much work is sent again.
 * Each time it waits as long as the service says.
 */
const MOST_TRIES = 4;
const LONGEST_WAIT = 60;

/**
 * @typedef {object} Ask
 * @property {unknown} [body] sent as JSON
 * @property {Record<string, string | number | boolean | undefined>} [query]
 * @property {AbortSignal} [signal]
 * @property {(seconds: number) => void} [onWait] told how long it waits before it tries again
 * @property {string} [token] instead of the token of this tab
 */

/**
 * Asks and waits for the answer. A 429 is waited out; anything else that is no success is thrown as a `Problem`.
 * @param {string} method
 * @param {string} path relative to the page
 * @param {Ask} [ask]
 * @returns {Promise<any>}
 */
export async function request(method, path, ask = {}) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(method, path, ask);
    } catch (problem) {
      const again = problem instanceof Problem && problem.status === 429 && tries < MOST_TRIES && ask.onWait;
      if (!again) throw problem;
      await wait(problem.retryAfter || 1, ask);
    }
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Ask} ask
 */
async function once(method, path, ask) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  const bearer = ask.token ?? token();
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  let body;
  if (ask.body !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(ask.body);
  }
  let response;
  try {
    response = await fetch(path + queryText(ask.query), {
      method,
      headers,
      body,
      signal: ask.signal,
      cache: "no-store",
    });
    if (response.ok) return JSON.parse(await response.text(), exactId);
  } catch (error) {
    if (ask.signal?.aborted) throw error;
    throw new Problem({ status: 0, title: "The service does not answer" });
  }
  const problem = await problemOf(response);
  // A token that is being tried out does not sign anyone out.
  if (problem.status === 401 && ask.token === undefined) listeners.forEach((listener) => listener());
  throw problem;
}

/**
 * Keeps an id as it was sent where a number of JavaScript is another: 1.0, or one of twenty digits.
 * @param {string} key
 * @param {unknown} value
 * @param {{source?: string}} [context]
 */
function exactId(key, value, context) {
  if (typeof value !== "number" || (key !== "id" && key !== "representative")) return value;
  return context?.source === undefined || context.source === String(value) ? value : context.source;
}

/** @param {Record<string, string | number | boolean | undefined>} [query] */
function queryText(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

/**
 * @param {Response} response
 * @returns {Promise<Problem>}
 */
async function problemOf(response) {
  let said = {};
  try {
    said = await response.json();
  } catch {
    // A proxy in between may answer with a page; its status is all that counts.
  }
  const instance = said.instance ?? response.headers.get("X-Request-Id") ?? "";
  return new Problem({
    status: response.status,
    title: String(said.title ?? `The service answered with status ${response.status}`),
    detail: said.detail === undefined ? "" : String(said.detail),
    type: String(said.type ?? ""),
    instance: String(instance),
    retryAfter: seconds(response.headers.get("Retry-After")),
  });
}

/**
 * Retry-After names seconds or a date.
 * @param {string | null} header
 */
function seconds(header) {
  if (!header) return 0;
  const number = Number(header);
  const from = Number.isFinite(number) ? number : (Date.parse(header) - Date.now()) / 1000;
  return Math.min(LONGEST_WAIT, Math.max(0, Math.ceil(from) || 0));
}

/**
 * @param {number} time in seconds
 * @param {Ask} ask
 */
async function wait(time, ask) {
  for (let left = time; left > 0; left -= 1) {
    ask.onWait?.(left);
    await pause(1000, ask.signal);
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
  return new Promise((done, stop) => {
    const aborted = () => {
      clearTimeout(timer);
      stop(new DOMException("no longer wanted", "AbortError"));
    };
    if (signal?.aborted) {
      stop(new DOMException("no longer wanted", "AbortError"));
      return;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      done();
    }, milliseconds);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

// The requests of the page, one function each. Ids go into the query, where any id may stand; a path swallows `.` and `..`.

/** @param {Ask} [ask] */
export const stats = (ask) => request("GET", "v1/stats", ask);

/**
 * @param {object} body
 * @param {boolean} add
 * @param {Ask} [ask]
 */
export const check = (body, add, ask) =>
  request("POST", "v1/check", { ...ask, body, query: { add: add ? true : undefined } });

/**
 * @param {object} body
 * @param {Ask} [ask]
 */
export const compare = (body, ask) => request("POST", "v1/compare", { ...ask, body });

/**
 * @param {{prefix?: string, limit?: number, cursor?: string}} query
 * @param {Ask} [ask]
 */
export const documents = (query, ask) => request("GET", "v1/documents", { ...ask, query });

/**
 * @param {string | number} id
 * @param {Ask} [ask]
 */
export const readDocument = (id, ask) => request("GET", "v1/documents", { ...ask, query: { id } });

/**
 * @param {string | number} id
 * @param {Ask} [ask]
 */
export const removeDocument = (id, ask) => request("DELETE", "v1/documents", { ...ask, query: { id } });

/**
 * @param {{id: string | number, text: string}} body
 * @param {Ask} [ask]
 */
export const addDocument = (body, ask) => request("POST", "v1/documents", { ...ask, body });

/**
 * @param {{limit?: number, cursor?: string, members?: number}} query
 * @param {Ask} [ask]
 */
export const clusters = (query, ask) => request("GET", "v1/clusters", { ...ask, query });

/**
 * @param {number} number
 * @param {{members?: number, cursor?: string}} query
 * @param {Ask} [ask]
 */
export const cluster = (number, query, ask) => request("GET", `v1/clusters/${number}`, { ...ask, query });
