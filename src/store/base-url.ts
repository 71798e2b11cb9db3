import { usageError } from "../kernel/errors.ts";

/** Is this host this very machine? Keys may go there without https, and never by a proxy (cli.md, Money safety). */
export const isLoopbackHost = (hostname: string): boolean => {
  const host = hostname.toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
};

/**
 * The one way a base URL is written: lower-case scheme and host, no default port, no slash at its end.
 * Keys belong to a base URL (cli.md, Where settings come from), so two of them are the same exactly when these texts are.
 * Throws CliError usage for what is no http(s) URL, for plain http off loopback, and for a URL with a password, query or fragment.
 */
export const normaliseBaseUrl = (text: string, name = "The base URL"): string => {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) {
    throw usageError(`${name} is not a web address: it begins with https:// and names a host.`, "Give it in full, like https://payments.example.com");
  }
  const url = new URL(trimmed);
  if (url.username !== "" || url.password !== "") throw usageError(`${name} may not hold a user name or password.`);
  if (url.search !== "" || url.hash !== "") throw usageError(`${name} may not hold a query or a fragment (nothing after ? or #).`);
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    throw usageError(`${name} uses plain http, which would show the key to the network: use https (http is for this machine alone).`);
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
};
