// A readable reference, made from the description of the API that the service gives of itself.

import { request } from "./api.js";
import { announce, byId, make, refill, withCode } from "./dom.js";
import { counted } from "./format.js";
import { allProblems } from "./kinds.js";
import { curlOf, exampleOf, fieldsOf, resolve, typeOf } from "./schema.js";
import { themeSwitch } from "./switch.js";
import { Task } from "./task.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

/**
 * A section that can be searched.
 * @typedef {{group: string, label: string, anchor: string, element: HTMLElement, words: string}} Section
 */

/** @param {any} api */
function present(api) {
  document.title = `Reference – ${api.info?.title ?? "doublet"}`;
  refill(byId("about"), paragraphs(api.info?.description), make("p.muted", {}, `Version ${api.info?.version ?? ""}`));
  const sections = [...routes(api), ...problems(api)];
  const none = make("p.note", { hidden: true }, "Nothing of this reference has these words.");
  const groups = [...new Set(sections.map(({ group }) => group))];
  const blocks = groups.map((group) => {
    const own = sections.filter((section) => section.group === group);
    return make(
      "section",
      { "aria-label": group },
      make("h2", {}, group),
      about(api, group),
      own.map(({ element }) => element),
    );
  });
  refill(byId("routes"), none, blocks);
  contents(groups, sections);
  byId("wanted").addEventListener("input", () => search(sections, blocks, none));
  byId("search").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  addEventListener("hashchange", goToHash);
  goToHash();
}

/**
 * @param {any} api
 * @param {string} group
 */
function about(api, group) {
  return paragraphs(api.tags?.find((/** @type {any} */ { name }) => name === group)?.description);
}

/** Goes to what the address names: it was not there yet when the page came. */
function goToHash() {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    // Not encoded: it is taken as it stands.
  }
  document.querySelector(".target")?.classList.remove("target");
  const wanted = id === "" ? null : document.getElementById(id);
  wanted?.classList.add("target");
  wanted?.scrollIntoView();
}

/**
 * @param {string[]} groups
 * @param {Section[]} sections
 */
function contents(groups, sections) {
  refill(
    byId("contents"),
    groups.map((group) => [
      make("h2", {}, group),
      make(
        "ul",
        {},
        sections
          .filter((section) => section.group === group)
          .map(({ anchor, label }) => make("li", { "data-for": anchor }, make("a", { href: `#${anchor}` }, label))),
      ),
    ]),
  );
}

/**
 * @param {Section[]} sections
 * @param {HTMLElement[]} blocks
 * @param {HTMLElement} none
 */
function search(sections, blocks, none) {
  const words = byId("wanted").value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const section of sections) {
    const fits = words.every((/** @type {string} */ word) => section.words.includes(word));
    section.element.hidden = !fits;
    const link = document.querySelector(`[data-for="${CSS.escape(section.anchor)}"]`);
    if (link) /** @type {HTMLElement} */ (link).hidden = !fits;
    if (fits) found += 1;
  }
  for (const block of blocks)
    block.hidden = ![...block.querySelectorAll(".route")].some((route) => !(/** @type {HTMLElement} */ (route).hidden));
  none.hidden = found > 0;
  announce(`${counted(found, "section")} found`);
}

/**
 * @param {any} api
 * @returns {Section[]}
 */
function routes(api) {
  const made = [];
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method];
      const anchor = operation.operationId ?? `${method}${path.replace(/[^a-z0-9]+/gi, "-")}`;
      const element = route(api, path, method, operation, anchor, item.parameters ?? []);
      const label = `${method.toUpperCase()} ${path}`;
      made.push({
        group: groupOf(api, operation),
        label,
        anchor,
        element,
        words: (element.textContent ?? "").toLowerCase(),
      });
    }
  }
  return inOrderOfGroups(api, made);
}

/**
 * @param {any} api
 * @param {any} operation
 */
function groupOf(api, operation) {
  const tag = operation.tags?.[0];
  return (
    api.tags?.find((/** @type {any} */ { name }) => name === tag)?.["x-displayName"] ??
    (tag ? tag[0].toUpperCase() + tag.slice(1) : "Routes")
  );
}

/**
 * @param {any} api
 * @param {Section[]} sections
 */
function inOrderOfGroups(api, sections) {
  const order = (api.tags ?? []).map((/** @type {any} */ { name }) => name.toLowerCase());
  const place = (/** @type {Section} */ { group }) => {
    const at = order.indexOf(group.toLowerCase());
    return at < 0 ? order.length : at;
  };
  return sections
    .map((section, index) => ({ section, index }))
    .sort((a, b) => place(a.section) - place(b.section) || a.index - b.index)
    .map(({ section }) => section);
}

/**
 * @param {any} api
 * @param {string} path
 * @param {string} method
 * @param {any} operation
 * @param {string} anchor
 * @param {any[]} shared parameters of all methods of the path
 * @returns {HTMLElement}
 */
function route(api, path, method, operation, anchor, shared) {
  const parameters = [...shared, ...(operation.parameters ?? [])].map((one) => resolve(api, one));
  return make(
    "article.route",
    { id: anchor },
    make("h3", {}, make("span.method", {}, method.toUpperCase()), make("code", {}, path)),
    operation.summary && make("p", {}, make("strong", {}, operation.summary)),
    paragraphs(operation.description),
    parameters.length > 0 && [make("h4", {}, "Parameters"), parameterTable(api, parameters)],
    bodyOf(api, operation),
    make("h4", {}, "Example"),
    make("pre", {}, curlOf(api, path, method, operation, parameters)),
    make("h4", {}, "Answers"),
    answers(api, operation),
  );
}

/** @param {string} [text] */
function paragraphs(text) {
  if (!text) return null;
  return text.split(/\n\s*\n/).map((part) => make("p", {}, withCode(part)));
}

/**
 * @param {any} api
 * @param {any[]} parameters
 */
function parameterTable(api, parameters) {
  const rows = parameters.map((one) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, one.name), one.required && make("span.badge", {}, "needed")),
      make("td", {}, `${one.in}, ${typeOf(api, one.schema)}`),
      make("td", {}, withCode(one.description ?? "")),
    ),
  );
  return tableOf(["Name", "Where and what", "Meaning"], rows);
}

/**
 * @param {any} api
 * @param {any} operation
 */
function bodyOf(api, operation) {
  const body = resolve(api, operation.requestBody);
  if (!body) return null;
  return Object.entries(body.content ?? {}).map(([type, media]) => [
    make("h4", {}, "Body ", make("code", {}, type)),
    paragraphs(body.description),
    fieldTable(api, media.schema),
    example(api, media),
  ]);
}

/**
 * All examples that are given, else one made from the schema.
 * @param {any} api
 * @param {any} media
 */
function example(api, media) {
  const given = Object.entries(media.examples ?? {});
  if (given.length < 2) return block(exampleOf(api, media));
  return given.map(([name, one]) => [make("p.small.muted", {}, `Example: ${name}`), block(resolve(api, one).value)]);
}

/** @param {any} value */
function block(value) {
  if (value === undefined) return null;
  return make("pre", {}, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

/**
 * @param {any} api
 * @param {any} schema
 */
function fieldTable(api, schema) {
  const fields = fieldsOf(api, schema);
  if (fields.length === 0) return null;
  const rows = fields.map(({ name, type, needed, meaning }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, name), needed && make("span.badge", {}, "needed")),
      make("td", {}, type),
      make("td", {}, withCode(meaning)),
    ),
  );
  return tableOf(["Field", "What", "Meaning"], rows);
}

/**
 * @param {string[]} names
 * @param {any[]} rows
 */
function tableOf(names, rows) {
  return make(
    "table",
    {},
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        names.map((name) => make("th", { scope: "col" }, name)),
      ),
    ),
    make("tbody", {}, rows),
  );
}

/**
 * @param {any} api
 * @param {any} operation
 */
function answers(api, operation) {
  const all = Object.entries(operation.responses ?? {}).map(([status, given]) => ({ status, ...resolve(api, given) }));
  const isProblem = (/** @type {any} */ { content }) => Boolean(content?.["application/problem+json"]);
  const refused = all.filter(isProblem);
  return [
    all.filter((one) => !isProblem(one)).map((one) => answer(api, one)),
    refused.length > 0 &&
      make(
        "details",
        {},
        make("summary", {}, `Problems: ${refused.map(({ status }) => status).join(", ")}`),
        make(
          "ul.problems",
          {},
          refused.map((one) => problemLine(api, one)),
        ),
      ),
  ];
}

/**
 * @param {any} api
 * @param {any} response
 */
function answer(api, { status, description, content }) {
  const title = [make("b", {}, status), " ", withCode(description ?? "")];
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  if (!media) return make("p", {}, title);
  return make(
    "details",
    {},
    make("summary", {}, title),
    make("p.small.muted", {}, make("code", {}, type)),
    fieldTable(api, media.schema),
    example(api, media),
  );
}

/**
 * A refusal, with links to the kinds that have its status.
 * @param {any} api
 * @param {any} response
 */
function problemLine(api, { status, description }) {
  const kinds = allProblems(api).filter((kind) => String(kind.status) === status);
  const links = kinds.map(({ name }) => [" ", make("a", { href: `#problem-${name}` }, name)]);
  return make("li", {}, make("b", {}, status), " ", withCode(description ?? ""), links);
}

/**
 * What can go wrong, one section a kind; the `type` of a problem names it.
 * @param {any} api
 * @returns {Section[]}
 */
function problems(api) {
  return allProblems(api).map(({ name, title, status, help }) => {
    const anchor = `problem-${name}`;
    const element = make(
      "article.route",
      { id: anchor },
      make("h3", {}, make("span.method", {}, String(status)), title),
      make("p", {}, "Type ", make("code", {}, `/problems/${name}`)),
      help && make("p", {}, withCode(help)),
    );
    return { group: "Problems", label: `${status} ${name}`, anchor, element, words: element.textContent.toLowerCase() };
  });
}

byId("theme").append(themeSwitch());
new Task(byId("status")).run("Loading the reference", (ask) => request("GET", "openapi.json", ask), present);
