// Reads the schemas of an OpenAPI description: what a thing is, its fields, and an example of it.

/** Schemas that lie deeper in each other are not followed. */
const DEPTH = 6;

/**
 * What a reference such as `#/components/schemas/Document` stands for.
 * @param {any} api
 * @param {any} given
 * @returns {any}
 */
export function resolve(api, given) {
  for (let step = 0; given?.$ref && step < DEPTH; step += 1) {
    const path = String(given.$ref).replace(/^#\//, "").split("/");
    given = path.reduce((place, name) => place?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], api);
  }
  return given;
}

/**
 * The type of a schema in words.
 * @param {any} api
 * @param {any} schema
 * @returns {string}
 */
export function typeOf(api, schema, depth = 0) {
  const given = resolve(api, schema);
  if (!given || depth > DEPTH) return "anything";
  if (given.const !== undefined) return JSON.stringify(given.const);
  if (given.enum) return given.enum.map((/** @type {any} */ one) => JSON.stringify(one)).join(" or ");
  const choices = given.oneOf ?? given.anyOf;
  if (choices) return choices.map((/** @type {any} */ one) => typeOf(api, one, depth + 1)).join(" or ");
  const types = [given.type ?? "object"].flat();
  const named = types.map((type) => (type === "array" ? `list of ${typeOf(api, given.items, depth + 1)}` : type));
  return `${named.join(" or ")}${limits(given)}`;
}

/** @param {any} schema */
function limits({ minimum, exclusiveMinimum, maximum, minItems, maxItems, minLength, maxLength, default: usual }) {
  const said = [];
  const [least, most] = [minimum ?? minItems ?? minLength, maximum ?? maxItems ?? maxLength];
  if (exclusiveMinimum !== undefined) said.push(`above ${exclusiveMinimum}`);
  if (least !== undefined && most !== undefined) said.push(`${least} to ${most}`);
  else if (least !== undefined) said.push(`at least ${least}`);
  else if (most !== undefined) said.push(`at most ${most}`);
  if (usual !== undefined) said.push(`usually ${JSON.stringify(usual)}`);
  return said.length > 0 ? ` (${said.join(", ")})` : "";
}

/**
 * The fields of an object, those within others too, by dotted names.
 * @param {any} api
 * @param {any} schema
 * @returns {{name: string, type: string, needed: boolean, meaning: string}[]}
 */
export function fieldsOf(api, schema, prefix = "", depth = 0) {
  const given = resolve(api, schema);
  if (!given || depth > DEPTH) return [];
  const parts = [...(given.oneOf ?? given.anyOf ?? given.allOf ?? [])].flatMap((one) =>
    fieldsOf(api, one, prefix, depth + 1),
  );
  const own = Object.entries(given.properties ?? {}).flatMap(([key, value]) => {
    const field = resolve(api, value);
    const name = prefix + key;
    const described = {
      name,
      type: typeOf(api, value),
      needed: (given.required ?? []).includes(key),
      meaning: value.description ?? field?.description ?? "",
    };
    const items = field?.type === "array" ? resolve(api, field.items) : null;
    const inner = items ? fieldsOf(api, items, `${name}[].`, depth + 1) : fieldsOf(api, field, `${name}.`, depth + 1);
    return [described, ...inner];
  });
  const seen = new Set();
  return [...own, ...parts].filter(({ name }) => !seen.has(name) && seen.add(name));
}

/**
 * An example: one that is given, else one made from the schema.
 * @param {any} api
 * @param {any} media
 */
export function exampleOf(api, media) {
  if (media.example !== undefined) return media.example;
  const first = Object.values(media.examples ?? {})[0];
  if (first) return resolve(api, first).value;
  return sample(api, media.schema);
}

/**
 * @param {any} api
 * @param {any} schema
 * @returns {any}
 */
function sample(api, schema, depth = 0) {
  const given = resolve(api, schema);
  if (!given || depth > DEPTH) return undefined;
  if (given.example !== undefined) return given.example;
  if (given.examples?.length > 0) return given.examples[0];
  if (given.const !== undefined) return given.const;
  if (given.enum) return given.enum[0];
  if (given.default !== undefined) return given.default;
  if (given.properties) {
    const entries = Object.entries(given.properties).map(([key, value]) => [key, sample(api, value, depth + 1)]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  const choice = given.oneOf?.[0] ?? given.anyOf?.[0] ?? given.allOf?.[0];
  if (choice) return sample(api, choice, depth + 1);
  switch ([given.type].flat()[0]) {
    case "array":
      return [sample(api, given.items, depth + 1)].filter((item) => item !== undefined);
    case "string":
      return "…";
    case "boolean":
      return true;
    case "integer":
      return given.minimum ?? 1;
    case "number":
      return given.minimum ?? 0.5;
    default:
      return undefined;
  }
}

/**
 * How a route is asked by curl.
 * @param {any} api
 * @param {string} path
 * @param {string} method
 * @param {any} operation
 * @param {any[]} parameters
 */
export function curlOf(api, path, method, operation, parameters) {
  const filled = parameters
    .filter((one) => one.in === "path")
    .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(String(parameterValue(api, one)))), path);
  const needed = parameters.filter((one) => one.in === "query" && one.required);
  const query = needed.map((one) => `${one.name}=${encodeURIComponent(String(parameterValue(api, one)))}`).join("&");
  const lines = [
    `curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} ${quoted(`${location.origin}${filled}${query ? `?${query}` : ""}`)}`,
  ];
  const open = operation.security?.length === 0 || !(operation.security ?? api.security)?.length;
  if (!open) lines.push(`-H ${quoted("Authorization: Bearer TOKEN")}`);
  const body = resolve(api, operation.requestBody);
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? [];
  if (type) {
    const value = exampleOf(api, media);
    lines.push(
      `-H ${quoted(`Content-Type: ${type}`)}`,
      `--data-binary ${quoted(typeof value === "string" ? value : JSON.stringify(value))}`,
    );
  }
  return lines.join(" \\\n  ");
}

/**
 * @param {any} api
 * @param {any} parameter
 */
function parameterValue(api, parameter) {
  return parameter.example ?? sample(api, parameter.schema) ?? "x";
}

/** @param {string} text quoted for a shell */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
