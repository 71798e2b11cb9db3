import { extname } from "node:path";
import { escapeHtml } from "../../html.ts";
import { isLoopbackName, type Reply, type SandboxRequest } from "../request.ts";
import { readAssets } from "./assets.ts";

/** Undefined for what is no page of its own. */
export type Pages = (request: SandboxRequest) => Reply | undefined;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
};
/** Nothing from outside, no inline script or style, never inside another page, and no address passed to another site. */
const guarded = {
  "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Another program's pages may stand under a name of their own below localhost. */
const isOwnName = (host: string): boolean => isLoopbackName(host) && !/\.localhost(?::|$)/i.test(host);
const isLoopbackAddress = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/**
 * The dashboard's page and files.
 *
 * `apiKey` is the sandbox's own, never a live one. It is put into the page only for a person on this machine: asked by a
 * loopback name (so that no foreign name pointing here gets it) and, where the listener tells, from a loopback address.
 * Anybody else is asked for it by the page and keeps it for the tab. It is never in a URL.
 */
export const createPages = (options: { readonly apiKey?: string | undefined } = {}): Pages => {
  const assets = readAssets();
  return ({ method, path, headers, remoteAddress }) => {
    const [at = ""] = path.split("?", 1);
    const name = at === "/" ? "index.html" : at === "/assets/index.html" ? "" : at.replace(/^\/assets\//, "");
    const content = name !== at && Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (content === undefined) return undefined;
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, headers: { ...guarded, allow: "GET, HEAD", "content-type": "text/plain; charset=utf-8" }, body: "This page is read with GET.\n" };
    const isTrusted = isOwnName(headers["host"] ?? "") && (remoteAddress === undefined || isLoopbackAddress(remoteAddress));
    const body = name === "index.html" ? content.replace("{{sandboxKey}}", () => (isTrusted ? escapeHtml(options.apiKey ?? "") : "")) : content;
    return { status: 200, headers: { ...guarded, "content-type": types[extname(name)] ?? "text/plain; charset=utf-8" }, body };
  };
};

/** To a person's browser what is no page is said in a page; undefined for a program, which gets the service's own 404. */
export const noSuchPage: Pages = ({ method, headers }) => {
  if ((method !== "GET" && method !== "HEAD") || headers["accept"]?.includes("text/html") !== true) return undefined;
  const body = '<!doctype html>\n<html lang="en"><title>No such page</title><p>There is no such page. <a href="/">To the dashboard</a></p></html>\n';
  return { status: 404, headers: { ...guarded, "content-type": "text/html; charset=utf-8" }, body };
};
