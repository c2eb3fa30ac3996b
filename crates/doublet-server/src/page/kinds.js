// The kinds of problems that the service tells, and what to do about each.

/**
 * @typedef {{name: string, title: string, status: number, help: string}} Kind
 */

/**
 * All kinds: those that the description of the API lists, with what is known here about each.
 * @param {any} api
 * @returns {Kind[]}
 */
export function allProblems(api) {
  const known = new Map(KINDS.map((kind) => [kind.name, kind]));
  const listed = api["x-problems"];
  if (!Array.isArray(listed)) return KINDS;
  return listed.map((/** @type {any} */ { name, title, status, detail }) => ({
    name: String(name),
    title: String(title ?? known.get(name)?.title ?? name),
    status: Number(status),
    help: String(detail ?? known.get(name)?.help ?? ""),
  }));
}

/** @type {Kind[]} */
const KINDS = [
  {
    name: "bad-request",
    status: 400,
    title: "The request cannot be understood",
    help: "`detail` says which part of its head or address is wrong.",
  },
  {
    name: "bad-json",
    status: 400,
    title: "The body is not JSON",
    help: "Send one object of JSON in UTF-8. `line` and `column` say where reading ended.",
  },
  {
    name: "unauthorized",
    status: 401,
    title: "A token is needed",
    help: "Send the header `Authorization: Bearer TOKEN`. Whoever runs the service has tokens in its `--token-file`.",
  },
  {
    name: "forbidden",
    status: 403,
    title: "The token may only read",
    help: "Adding and removing need a token of a line that begins with `write`.",
  },
  {
    name: "foreign-host",
    status: 403,
    title: "The service is not called by this name",
    help: "Without tokens it answers only to the names of its own machine. Ask it by the address that it listens on.",
  },
  {
    name: "foreign-origin",
    status: 403,
    title: "Pages of this origin may not ask",
    help: "A page of another origin may ask when the service was started with `--allow-origin` and the name of that origin.",
  },
  {
    name: "not-found",
    status: 404,
    title: "There is nothing at this address",
    help: "This reference lists all addresses.",
  },
  {
    name: "no-document",
    status: 404,
    title: "There is no such document",
    help: "`GET /v1/documents` lists the ids that there are.",
  },
  {
    name: "no-cluster",
    status: 404,
    title: "There is no such cluster",
    help: "`GET /v1/clusters` lists them; their numbers change when they are found anew.",
  },
  {
    name: "wrong-method",
    status: 405,
    title: "The address does not know this method",
    help: "The header `Allow` names those that it knows.",
  },
  {
    name: "slow-body",
    status: 408,
    title: "The body came too slowly",
    help: "Send it again with a better connection, or in smaller parts.",
  },
  {
    name: "no-texts",
    status: 409,
    title: "The index keeps no texts",
    help: "Texts and clusters are there only in an index that was made without `--no-texts`.",
  },
  {
    name: "too-large",
    status: 413,
    title: "The request is too large",
    help: "`limit` says how much is taken. Send less at a time, or start the service with a larger `--max-body` or `--max-text`.",
  },
  {
    name: "wrong-type",
    status: 415,
    title: "The body has another type or encoding than is taken",
    help: "Send `application/json`, or `application/x-ndjson` where documents are added; plain, or as gzip or zstd.",
  },
  {
    name: "wrong-fields",
    status: 422,
    title: "A field or parameter is wrong",
    help: "`path` says which, `detail` says what it should be.",
  },
  {
    name: "overloaded",
    status: 429,
    title: "There is too much to do at the moment",
    help: "Nothing was done. Send it again after as many seconds as `Retry-After` says.",
  },
  {
    name: "headers-too-large",
    status: 431,
    title: "The head of the request is too large",
    help: "Send fewer or shorter headers.",
  },
  {
    name: "failed",
    status: 500,
    title: "The service failed",
    help: "The log of the service says what happened, under the id that is given as `instance`.",
  },
  {
    name: "read-only",
    status: 503,
    title: "Nothing can be changed at the moment",
    help: "The disk of the service failed. It answers questions; changes wait until it is started again.",
  },
  {
    name: "computing",
    status: 503,
    title: "The answer is being computed",
    help: "Ask again after as many seconds as `Retry-After` says.",
  },
  { name: "ending", status: 503, title: "The service is ending", help: "Try again when it is back." },
  {
    name: "full",
    status: 507,
    title: "There is no room for more",
    help: "Remove documents, make room on the disk, or start the service with a larger `--max-documents`.",
  },
];
