import type * as z from "zod";
import { isIdempotencyKey } from "../service/contract/limits.ts";
import { type EndpointName, routes } from "../service/contract/routes.ts";
import { schemas } from "../service/contract/schemas.ts";
import type { Bodies, Queries } from "../service/contract/types.ts";
import { invalid, Refusal } from "./engine/refusal.ts";
import type { SandboxRequest } from "./request.ts";

type Contract = { readonly [Name in EndpointName]: { readonly body: z.ZodType<Bodies[Name]>; readonly query: z.ZodType<Queries[Name]> } };
const contract: Contract = schemas;

/** The value as the schema has it. Throws Refusal VALIDATION that names the first field that is wrong. */
export const checked = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String).join(".") ?? "";
  if (issue?.code === "unrecognized_keys") throw unknownFields(path, issue.keys);
  if (path === "") throw new Refusal(400, "VALIDATION", `The body is not as expected: ${issue?.message ?? "not valid"}.`);
  throw invalid(path, `${path}: ${issue?.message ?? "not valid"}.`);
};
const namedMax = 3;
const nameMax = 40;
/** Names the first few fields, and a part of each: a body of a megabyte must not come back as its own error. */
const unknownFields = (path: string, keys: readonly string[]): Refusal => {
  const names = keys.slice(0, namedMax).map((key) => `${path === "" ? "" : `${path}.`}${key.length > nameMax ? `${key.slice(0, nameMax)}…` : key}`);
  const more = keys.length > namedMax ? ` and ${keys.length - namedMax} more` : "";
  return invalid(names[0] ?? path, `${names.join(", ")}${more}: there is no such field.`);
};

/** Throws Refusal VALIDATION for text that is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "VALIDATION", "The body is not JSON.");
  }
};

/** The JSON body of a creation, checked against the contract. */
export const parseBody = <Name extends EndpointName>(name: Name, request: SandboxRequest): Bodies[Name] => {
  const type = request.headers["content-type"];
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type))
    throw invalid("Content-Type", "A body is sent as Content-Type: application/json.");
  return checked(contract[name].body, parseJson(request.body));
};

/** The query, checked against the contract: digits are a number, an empty value is an absent one, and unknown names are ignored. */
export const parseQuery = <Name extends EndpointName>(name: Name, search: string): Queries[Name] => {
  const { query } = schemas[name];
  if (!("shape" in query)) return checked(contract[name].query, undefined);
  const given = search === "" ? [] : [...new URLSearchParams(search)].reverse();
  const known = given.filter(([field, text]) => Object.hasOwn(query.shape, field) && text !== "");
  return checked(contract[name].query, Object.fromEntries(known.map(([field, text]) => [field, /^\d{1,12}$/.test(text) ? Number(text) : text])));
};

/** Bare or quoted, 1 to 255 visible ASCII characters. */
export const parseIdempotencyKey = (request: SandboxRequest): string | undefined => {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = /^".*"$/.test(header) && header.length > 1 ? header.slice(1, -1) : header;
  if (!isIdempotencyKey(key)) throw invalid("Idempotency-Key", "Idempotency-Key must have 1 to 255 visible ASCII characters.");
  return key;
};

export type EndpointRoute = (typeof routes)[keyof typeof routes];
export type Matched = { readonly route: EndpointRoute; readonly params: Readonly<Record<string, string>> };

export const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

type Params = Matched["params"];
/** Returns a function that gives the parameters of a matching path, or undefined. Most paths have no parameters and are compared as texts. */
const matcherOf = (path: string): ((pathname: string) => Params | undefined) => {
  if (!path.includes(":")) return (pathname) => (pathname === path ? {} : undefined);
  const pattern = new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
  return (pathname) => {
    const groups = pattern.exec(pathname)?.groups;
    return groups && Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeSegment(text)]));
  };
};

/** Finds the endpoint of a request by the contract's routes; `allow` if the path is known and the method is another. */
export const createRouter = (): ((method: string, pathname: string) => Matched | { readonly allow: string } | undefined) => {
  const matchers = Object.values(routes).map((route) => ({ route, paramsIn: matcherOf(route.path) }));
  return (method, pathname) => {
    const wanted = method === "HEAD" ? "GET" : method;
    const allow: string[] = [];
    for (const { route, paramsIn } of matchers) {
      const params = paramsIn(pathname);
      if (params !== undefined && route.method === wanted) return { route, params };
      if (params !== undefined) allow.push(route.method);
    }
    return allow.length === 0 ? undefined : { allow: allow.join(", ") };
  };
};
