import { usageError } from "../errors.ts";

/** localhost, 127.0.0.0/8 and ::1: what never leaves this machine, so plain http and no proxy are right for it. */
export const isLoopback = (hostname: string): boolean => {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
};

/**
 * A base URL as the service's address: https, or http on loopback; no user name, query or fragment (rules.md, Money safety).
 * The text is never repeated in an error, as a key may have been pasted into it. Throws CliError usage.
 */
export const parseBaseUrl = (text: string): URL => {
  const trimmed = text.trim();
  const example = "Give it like https://api.example.com, or http://127.0.0.1:4010 for a service on this machine.";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) throw usageError("The base URL must begin with https://.", example);
  if (hasForbiddenCharacter(trimmed)) throw usageError("The base URL contains a space, a backslash or a control character.", example);
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    throw usageError("The base URL is not a URL.", example);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw usageError("The base URL must begin with https:// (or http:// for a service on this machine).", example);
  // Also an empty user name, which the URL type drops, is a sign of `https://known.example@other.example`.
  if (url.username !== "" || url.password !== "" || (trimmed.split("/")[2] ?? "").includes("@")) {
    throw usageError("The base URL must not hold a user name or password.", "Leave them out: the API key is set by login or PAYMENTS_API_KEY.");
  }
  if (trimmed.includes("?")) throw usageError("The base URL must not have a query (`?…`).", example);
  if (trimmed.includes("#")) throw usageError("The base URL must not have a fragment (`#…`).", example);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw usageError(`Use https:// so nobody can read your API key (${url.hostname}).`, example);
  }
  return url;
};

const hasForbiddenCharacter = (text: string): boolean => /[\s\\\u0000-\u001f\u007f]/.test(text);

/** The one spelling of a base URL, so that `https://H/x/` and `https://h/x` are one account's address. */
export const baseUrlText = (url: URL): string => `${url.origin}${url.pathname.replace(/\/+$/, "")}`;

/** Certificates unchecked are for this machine alone (rules.md, Where settings come from). Throws CliError usage. */
export const refuseUnverifiedTls = (url: URL, env: Readonly<Record<string, string | undefined>>): void => {
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" && !isLoopback(url.hostname)) {
    throw usageError(
      `NODE_TLS_REJECT_UNAUTHORIZED=0 would send the API key to whoever answers for ${url.hostname}: unset it.`,
      "A certificate of your own authority is trusted with NODE_EXTRA_CA_CERTS=/path/to/ca.pem.",
    );
  }
};

/**
 * Joins a path to the base URL as text: the base's own path stays, and nothing in the path can lead to another host.
 * `path` starts with exactly one `/`; it may have a query. Throws CliError usage.
 */
export const joinUrl = (base: URL, path: string, query: Readonly<Record<string, string | undefined>> = {}): URL => {
  if (!path.startsWith("/") || path.startsWith("//") || hasForbiddenCharacter(path) || path.includes("#")) {
    throw usageError("The path must begin with one `/`, without spaces, backslashes or `#`.", "For example /api/v1/merchants/payments/wallet");
  }
  const prefix = base.pathname.replace(/\/+$/, "");
  let url: URL;
  try {
    url = new URL(`${base.origin}${prefix}${path}`);
  } catch {
    throw usageError("The path cannot be part of a URL.");
  }
  if (url.origin !== base.origin || url.username !== "" || url.password !== "" || !url.pathname.startsWith(`${prefix}/`)) {
    throw usageError("The path leads away from the base URL.");
  }
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(name, value);
  return url;
};

/** Whether an id can stand in a path: `..` would change it, and half a character cannot be sent. */
export const isUsableId = (id: string): boolean => id !== "" && id !== "." && id !== ".." && !/\p{Surrogate}/u.test(id);

/** Fills `:name` parts of a route's path. Throws CliError usage for an id that cannot stand there. */
export const fillPath = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name] ?? "";
    if (!isUsableId(value)) throw usageError(`${JSON.stringify(value)} cannot be an id.`);
    return encodeURIComponent(value);
  });
