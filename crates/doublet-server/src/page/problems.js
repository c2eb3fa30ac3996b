// What each kind of failure means to whoever looks at the page, and what helps.

import { Problem } from "./api.js";

/**
 * @param {unknown} error
 * @returns {{title: string, detail: string, advice: string, again: boolean}}
 */
export function adviceFor(error) {
  if (!(error instanceof Problem)) {
    return {
      title: "The page made a mistake",
      detail: String(error),
      advice: "Load the page again. If it comes back, tell whoever runs this service.",
      again: false,
    };
  }
  const { status, title, detail } = error;
  const advice = KINDS[error.type.replace("/problems/", "")] ?? STATUSES[status] ?? "";
  return {
    title,
    detail: sentence(detail),
    advice,
    again: status === 0 || status === 408 || status === 429 || status >= 500,
  };
}

/**
 * Details of the service begin in lower case and have no full stop.
 * @param {string} detail
 */
function sentence(detail) {
  if (detail === "") return "";
  const begun = detail[0].toUpperCase() + detail.slice(1);
  return /[.!?:]$/.test(begun) ? begun : `${begun}.`;
}

/** By the kind of problem, where one status has several. @type {Record<string, string>} */
const KINDS = {
  forbidden: "A token that may write is needed: sign out, and sign in with one.",
  "foreign-host": "Open the page by the name under which the service runs.",
  "foreign-origin": "Open the page from the service itself.",
  "no-document": "It may have been removed meanwhile.",
  "no-cluster": "The clusters may have been found anew meanwhile: look at the list again.",
};

/** By status. @type {Record<number, string>} */
const STATUSES = {
  0: "See whether it is running and whether you are connected to its network, then try again. Nothing you typed is lost.",
  401: "This service wants a token: sign in with one.",
  403: "You may not do this.",
  408: "Try again with a better connection, or with a shorter text.",
  413: "Send a shorter text, or a part of it. Whoever runs the service can raise the limit.",
  429: "Wait a little, then try again.",
  503: "Try again in a moment.",
  507: "Remove documents, or ask whoever runs the service to make room.",
};
