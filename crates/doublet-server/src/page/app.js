// The page: its views, which the address names after `#`, sign-in, and light and dark.

import { onSignedOut, setToken } from "./api.js";
import { CheckView } from "./check.js";
import { ClusterView } from "./cluster.js";
import { ClustersView } from "./clusters.js";
import { CompareView } from "./compare.js";
import { DocumentView } from "./document.js";
import { DocumentsView } from "./documents.js";
import { byId, make, refill } from "./dom.js";
import { counted } from "./format.js";
import { forget, mayWrite, onSession, refresh, session, signedIn } from "./session.js";
import { SignIn } from "./sign-in.js";
import { StatisticsView } from "./statistics.js";
import { forgetRefused, retryRefused, Task } from "./task.js";
import { themeSwitch } from "./switch.js";

/** @param {string} hash */
const go = (hash) => {
  if (location.hash === hash) route();
  else location.hash = hash;
};

const check = new CheckView();

/** Views by name; the second word of an address such as `#/clusters/3` is given to them. @type {Record<string, any>} */
const views = {
  check,
  documents: new DocumentsView(go),
  document: new DocumentView(go, (text) => {
    go("#/check");
    check.checkText(text);
  }),
  clusters: new ClustersView(),
  cluster: new ClusterView(),
  compare: new CompareView(),
  statistics: new StatisticsView(),
};

const main = byId("main");
const connection = new Task(byId("connection"));
const signIn = new SignIn(signedInNow);
/** @type {any} */
let shown = null;
let wantsToken = false;

/** What an address means. */
function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", rest] = path.split("/", 2);
  const one = name === "clusters" && rest !== undefined ? "cluster" : name;
  return { name: Object.hasOwn(views, one) ? one : "check", rest, query: new URLSearchParams(query) };
}

/** Shows the view that the address names. */
function route() {
  const { name, rest, query } = address();
  const view = views[name];
  const first = shown === null;
  if (shown !== view) shown?.hide?.();
  // Whoever goes back in the history leaves a question behind.
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  for (const other of Object.values(views)) other.element.hidden = other !== view || wantsToken;
  shown = view;
  document.title = `${view.title} – doublet`;
  markLink(name);
  if (wantsToken) return;
  view.show(query, rest);
  // Whoever follows a link by keyboard or ear begins at the top of what it led to.
  if (!first) {
    view.element.querySelector("h1").focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

/** @param {string} name */
function markLink(name) {
  const kin = { document: "documents", cluster: "clusters" }[name] ?? name;
  for (const link of document.querySelectorAll("#views a")) {
    if (link.getAttribute("href") === `#/${kin}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** The service wants a token: everything else waits. */
function askForToken() {
  if (wantsToken) return;
  wantsToken = true;
  forget();
  for (const view of Object.values(views)) view.element.hidden = true;
  signIn.open();
}

function signedInNow() {
  wantsToken = false;
  connection.stop();
  shown.element.hidden = false;
  const { name, rest, query } = address();
  const typed = name === "check" || name === "compare";
  if (typed) retryRefused();
  else forgetRefused();
  if (!typed) shown.show(query, rest);
  shown.element.querySelector("h1").focus({ preventScroll: true });
}

function signOut() {
  setToken("");
  location.reload();
}

/** Says who is here and what the index holds. */
function showSession() {
  const place = byId("session");
  refill(place);
  if (!session.known) return;
  place.append(make("span", {}, counted(session.documents, "document")));
  if (!mayWrite()) place.append(make("span.badge", {}, "read only"));
  if (signedIn()) {
    const out = make("button", { type: "button", onclick: signOut }, "Sign out");
    place.append(out);
  }
}

main.append(signIn.element, ...Object.values(views).map((view) => view.element));
byId("theme").append(themeSwitch());
byId("skip").addEventListener("click", (/** @type {Event} */ event) => {
  event.preventDefault();
  const heading = main.querySelector("section:not([hidden]) h1");
  heading?.focus();
});
onSignedOut(askForToken);
onSession(showSession);
addEventListener("hashchange", route);
route();
connection.run("Connecting", refresh, () => {});
