import { BlockList, isIP } from "node:net";
import { isLoopback } from "../service/base-url.ts";

export type Env = Readonly<Record<string, string | undefined>>;

const setting = (env: Env, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
};

/**
 * The proxy for a URL by the usual variables, or undefined for none. Loopback is never proxied (rules.md, Money safety).
 * Throws TypeError for a proxy that is no URL.
 */
export const proxyFor = (url: URL, env: Env): URL | undefined => {
  if (isLoopback(url.hostname)) return undefined;
  const http = setting(env, "http_proxy", "HTTP_PROXY");
  const text = url.protocol === "https:" ? (setting(env, "https_proxy", "HTTPS_PROXY") ?? http) : http;
  if (text === undefined || isExempt(url, setting(env, "no_proxy", "NO_PROXY") ?? "")) return undefined;
  return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
};

/** A name without its last dot; an IPv6 address in its one spelling. */
const canonical = (name: string): string => (isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.replace(/\.$/, ""));

/** NO_PROXY: hosts with everything below them, `.suffix`, `*.suffix`, `host:port`, an address block, or `*` for all. */
const isExempt = (url: URL, list: string): boolean => {
  const host = canonical(url.hostname.toLowerCase().replace(/^\[|\]$/g, ""));
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => entry.replace(/^https?:\/\/|\/$/g, ""))
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry.includes("/")) return isWithin(host, entry);
      const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry);
      const [, name, entryPort] = bracketed ?? (isIP(entry) === 6 ? [entry, entry, undefined] : (/^([^:]*)(?::(\d+))?$/.exec(entry) ?? []));
      if (name === undefined || (entryPort !== undefined && entryPort !== port)) return false;
      if (name === "*") return true;
      const suffix = canonical(name.replace(/^\*?\./, ""));
      return suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`));
    });
};

const isWithin = (host: string, block: string): boolean => {
  const [network = "", bits = ""] = block.split("/");
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const blocks = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  blocks.addSubnet(network, Number(bits), kind);
  return blocks.check(host, kind);
};
