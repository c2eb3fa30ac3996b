// Who is signed in, what they may do, and what the service allows.

import { stats, token } from "./api.js";

/**
 * @typedef {object} Session
 * @property {boolean} known whether the service has said anything yet
 * @property {"read" | "write"} rights
 * @property {number} textBytes the longest text it takes
 * @property {number} documents
 */

/** @type {Session} */
export const session = { known: false, rights: "read", textBytes: Infinity, documents: 0 };

/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {() => void} listener is called now and whenever something changes */
export function onSession(listener) {
  listeners.add(listener);
  listener();
}

/** Whether documents may be added and removed. */
export function mayWrite() {
  return session.known && session.rights === "write";
}

/** Whether someone signed in by a token. */
export function signedIn() {
  return token() !== "";
}

/**
 * Takes over what the service says of itself.
 * @param {any} answer of `/v1/stats`
 */
export function learn(answer) {
  session.known = true;
  session.rights = answer.rights === "write" ? "write" : "read";
  session.textBytes = answer.limits?.text_bytes ?? Infinity;
  session.documents = answer.documents ?? 0;
  listeners.forEach((listener) => listener());
}

/** Forgets it all, when someone signs out. */
export function forget() {
  session.known = false;
  session.rights = "read";
  listeners.forEach((listener) => listener());
}

/** Learns how many documents there are after a change; without an answer the old figure stays. */
export function recount() {
  refresh().catch(() => {});
}

/** @param {import("./api.js").Ask} [ask] */
export async function refresh(ask) {
  const answer = await stats(ask);
  learn(answer);
  return answer;
}
