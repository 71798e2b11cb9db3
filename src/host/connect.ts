import { isIP, type Socket } from "node:net";
import { errorCode } from "../errors.ts";
import { TransportError, type TransportFailure } from "../service/transport.ts";
import { addressesOf, dialAny, ready } from "./dial.ts";
import { type Env, proxyFor } from "./proxy.ts";

const dnsCodes: readonly string[] = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME", "EAI_MEMORY", "EAI_SYSTEM"];
const refusedCodes: readonly string[] = ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN", "EADDRNOTAVAIL", "EACCES", "EPERM"];

const codeOf = (error: unknown): string => errorCode(error) ?? "";
const isLost = (code: string): boolean => code === "ECONNRESET" || code === "EPIPE";

const nameOf = (url: URL): string => `${url.hostname}:${portOf(url)}`;
const portOf = (url: URL): number => Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port);
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/** Nothing of a request can have left before its connection stands, so every fault here says so. */
const connectFailure = (error: unknown, url: URL): TransportError => {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  if (dnsCodes.includes(code)) return failureBy("dns", `The host ${url.hostname} was not found`, error);
  if (refusedCodes.includes(code)) return failureBy("refused", `Nothing answers at ${nameOf(url)}`, error);
  if (code === "ETIMEDOUT") return failureBy("timeout", `${nameOf(url)} did not answer in time`, error);
  if (isLost(code)) return failureBy("reset", `${nameOf(url)} closed the connection before the request was sent`, error);
  return failureBy("other", `No connection to ${nameOf(url)} could be made`, error);
};

/** The code that Node gave its error, if any, ends the sentence. */
const failureBy = (reason: TransportFailure, words: string, error: unknown): TransportError =>
  new TransportError(reason, false, `${words}${codeOf(error) === "" ? "" : ` (${codeOf(error)})`}.`, error);

/** A fault on the way to or through the proxy: the service never saw the request. */
const proxyFailure = (proxy: URL, detail: string, cause?: unknown): TransportError =>
  new TransportError("proxy", false, `The proxy ${nameOf(proxy)} ${detail}.`, cause);

const openTcp = async (url: URL, signal: AbortSignal): Promise<Socket> => {
  const host = hostOf(url);
  return await dialAny(isIP(host) === 0 ? await addressesOf(host, signal) : [host], portOf(url), signal);
};

/** The certificate is checked before anything of the request is written. */
const secure = async (socket: Socket, url: URL, way: Way, signal: AbortSignal): Promise<Socket> => {
  const tls = await import("node:tls");
  const host = hostOf(url);
  let handshake: Socket | undefined;
  try {
    handshake = tls.connect({
      socket,
      host,
      ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(way.ca === undefined ? {} : { ca: way.ca }),
      ...(way.unverified === true ? { rejectUnauthorized: false } : {}),
    });
    return await ready(handshake, "secureConnect", signal);
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw error;
    const code = codeOf(error);
    if (isLost(code)) throw connectFailure(error, url);
    const failure = failureBy("tls", tlsWords(code, url), error);
    if (isUntrusted(code)) failure.hint = await missingAuthorities(way);
    throw failure;
  }
};

const isUntrusted = (code: string): boolean => /SELF_SIGNED|UNABLE_TO|ISSUER/.test(code);

/** An authority of the merchant's own may be missing because its file is. */
const missingAuthorities = async ({ env }: Way): Promise<string | undefined> => {
  const { readExtraCertificates } = await import("../service/extra-certificates.ts");
  const found = await readExtraCertificates(env);
  if (found === undefined || "count" in found) return undefined;
  return `NODE_EXTRA_CA_CERTS names ${found.path}, which ${found.fault}: correct the path.`;
};

const tlsWords = (code: string, url: URL): string => {
  const of = `The certificate of ${nameOf(url)}`;
  if (code === "CERT_HAS_EXPIRED") return `${of} has expired`;
  if (code === "CERT_NOT_YET_VALID") return `${of} is not valid yet, or the clock of this machine is wrong`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${of} is for another host`;
  if (isUntrusted(code) || code.includes("CERT")) return `${of} is not signed by an authority that is trusted here`;
  return `No secure connection to ${nameOf(url)} could be made`;
};

/** A part of a URL, percent-decoded. A `%` that begins no escape, as people write it in a password, stands for itself. */
const decoded = (part: string): Buffer => {
  const bytes = part.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
};

/** Asks the proxy for a tunnel. Afterwards the socket leads to the service, and nothing on it is unread. */
const openTunnel = async (socket: Socket, url: URL, proxy: URL, signal: AbortSignal): Promise<void> => {
  const { request } = await import("node:http");
  const target = `${url.hostname}:${portOf(url)}`;
  const login = Buffer.concat([decoded(proxy.username), Buffer.from(":"), decoded(proxy.password)]);
  const headers = { Host: target, ...(login.length === 1 ? {} : { "Proxy-Authorization": `Basic ${login.toString("base64")}` }) };
  const asking = request({ createConnection: () => socket, setHost: false, method: "CONNECT", path: target, headers, signal });
  asking.removeHeader("connection");
  await new Promise<void>((resolve, reject) => {
    asking.on("error", (error) => {
      const isHttp = !codeOf(error).startsWith("HPE_") || codeOf(error) === "HPE_INVALID_EOF_STATE";
      reject(proxyFailure(proxy, isHttp ? "closed the connection" : "answered with something else than HTTP", error));
    });
    asking.on("connect", ({ statusCode = 0 }, _, behind) => {
      if (statusCode < 200 || statusCode > 299)
        reject(proxyFailure(proxy, `refused the connection to ${target} (${statusCode}${statusCode === 407 ? ", it asks for a login" : ""})`));
      else if (behind.length > 0) reject(proxyFailure(proxy, "sent more than was asked for"));
      else resolve();
    });
    asking.end();
  });
};

const throughProxy = async (url: URL, proxy: URL, way: Way, signal: AbortSignal): Promise<Socket> => {
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:")
    throw proxyFailure(proxy, `is a ${proxy.protocol.replace(":", "")} proxy, and only http and https ones can be used`);
  let socket: Socket | undefined;
  try {
    const plain = await openTcp(proxy, signal);
    socket = proxy.protocol === "https:" ? await secure(plain, proxy, { ...way, unverified: undefined }, signal) : plain;
    await openTunnel(socket, url, proxy, signal);
    return socket;
  } catch (error) {
    socket?.destroy();
    if (signal.aborted || (error instanceof TransportError && error.reason === "proxy")) throw error;
    const detail = error instanceof TransportError ? error.message.replace(/\.$/, "") : codeOf(error);
    throw proxyFailure(proxy, `cannot be used: ${detail === "" ? "no connection" : detail}`, error);
  }
};

export type Way = {
  readonly env: Env;
  /** Certificate authorities (PEM) in place of those Node trusts, NODE_EXTRA_CA_CERTS among them. */
  readonly ca?: string | undefined;
  /** Takes any certificate, to look at it: nothing is ever sent over such a connection. */
  readonly unverified?: true | undefined;
};

/**
 * A connection that stands: TCP, the proxy's tunnel where there is one, and TLS with its certificate checked.
 * Rejects with a TransportError whose `left` is false, or with the signal's reason.
 */
export const openConnection = async (url: URL, way: Way, signal: AbortSignal): Promise<Socket> => {
  let proxy: URL | undefined;
  try {
    proxy = proxyFor(url, way.env);
  } catch {
    throw new TransportError("proxy", false, "HTTPS_PROXY is not a URL.");
  }
  try {
    const socket = proxy === undefined ? await openTcp(url, signal) : await throughProxy(url, proxy, way, signal);
    return url.protocol === "https:" ? await secure(socket, url, way, signal) : socket;
  } catch (error) {
    if (signal.aborted) throw error;
    throw connectFailure(error, url);
  }
};
