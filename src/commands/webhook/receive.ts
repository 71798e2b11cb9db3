import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError, errorCode } from "../../errors.ts";
import { present } from "../../json/exact-json.ts";
import type { Context, InboundRequest } from "../../ports.ts";
import { makeFolder } from "../../storage/make-folder.ts";
import { readInputFile } from "../../tables/input-file.ts";
import type { SignatureSettings } from "../../webhooks/forward-settings.ts";
import { type CallbackFacts, callbackFacts, contradiction } from "../../webhooks/webhook-event.ts";
import { verifySignature } from "../../webhooks/webhook-signature.ts";

/** One delivery, as `webhook listen --json` prints it (rules.md, JSON and CSV); `answered` is what the sender was told. */
export type Received = {
  readonly at: string;
  readonly id: string;
  readonly valid: boolean;
  readonly reason?: string;
  readonly duplicate: boolean;
  readonly answered: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text, to the letter: only the bytes received can be checked again. */
  readonly body: string;
  /** Where the body is no UTF-8. */
  readonly bodyBase64?: string;
};
export type ReceiverOptions = {
  readonly settings: SignatureSettings;
  readonly path?: string;
  readonly forwardTo?: URL;
  readonly saveTo?: string;
  /** Takes secrets out of what is shown and kept; what is passed on stays as it came. */
  readonly mask: (text: string) => string;
  /** Nobody but this machine reaches the port. */
  readonly loopback: boolean;
};
export type Receiver = (request: InboundRequest) => Promise<{ readonly status: number }>;

export const notChecked = "not checked";
/** Ids and states kept in memory; the oldest go. */
const rememberedMax = 100_000;

/** Where each delivery is shown. Without room nothing may be accepted: it could not be kept until somebody reads it. */
export type Shown = { push(received: Received, bytes: number): void; hasRoom(): boolean };

type Needs = Pick<Context, "clock" | "flags" | "signal" | "post">;
/**
 * Checks, keeps and passes on each delivery, and shows it. An invalid one is answered 401 and goes no further; a
 * duplicate is marked and passed on all the same, as the endpoint may not have taken it before. What an earlier run kept
 * in the folder of --save counts as seen. Answers 503, and does nothing else, while what came before has not been read.
 */
export const createReceiver = async (options: ReceiverOptions, context: Needs, shown: Shown): Promise<Receiver> => {
  const look = createMemory(options.settings);
  if (options.saveTo !== undefined) for await (const { request, atMs } of savedDeliveries(options.saveTo, context.signal)) look(request, atMs);
  let number = 0;
  return async (request) => {
    const pathname = request.target.split("?")[0] ?? "/";
    if (options.path !== undefined && pathname !== options.path) return { status: 404 };
    if (request.method !== "POST") return { status: 405 };
    if (!shown.hasRoom()) return { status: 503 };
    number += 1;
    const masked = withoutSecrets(request, options);
    const at = new Date(context.clock.now()).toISOString();
    const { valid, takes, id, duplicate, reasons } = look(request, context.clock.now());
    const faults = [...reasons];
    let answered = takes ? 200 : 401;
    if (options.saveTo !== undefined && (valid || options.loopback)) {
      await saveDelivery(options.saveTo, masked, { at, number, id }).catch((error: unknown) => {
        faults.push(`it could not be saved (${errorCode(error) ?? "unknown reason"})`);
        if (takes) answered = 500;
      });
    }
    if (answered === 200 && options.forwardTo !== undefined) {
      const forwarded = await forward(options.forwardTo, request, context);
      answered = forwarded.status;
      if (forwarded.fault !== undefined) faults.push(forwarded.fault);
    }
    const reason = faults.length === 0 ? undefined : faults.join("; ");
    const { headers } = masked;
    shown.push({ at, id, valid, ...present({ reason }), duplicate, answered, headers, ...bodyOf(masked.body) }, request.body.byteLength);
    return { status: answered };
  };
};

/** What a sender logs in with is nobody's here, and an API key or webhook secret that is repeated goes neither to the screen nor into a file. */
const withoutSecrets = (request: InboundRequest, { mask, settings }: ReceiverOptions): InboundRequest => {
  const isLogin = (name: string): boolean => /^(?:proxy-)?authorization$/.test(name) && name !== settings.header?.toLowerCase();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, isLogin(name) ? "****" : mask(value)]));
  const text = Buffer.from(request.body).toString("utf8");
  const masked = mask(text);
  return { ...request, headers, body: masked === text ? request.body : Buffer.from(masked, "utf8") };
};

/** Judges one delivery after the other, beside those before it. Only what holds is remembered: the rest must not make the true one a duplicate. */
const createMemory = (settings: SignatureSettings) => {
  const seen = new Map<string, true>();
  const heard = new Map<string, string>();
  return (request: InboundRequest, nowMs: number) => {
    const facts = callbackFacts(Buffer.from(request.body).toString("utf8"));
    const { valid, id: signedId, reason } = check(settings, request, nowMs);
    const bytes = `sha256:${createHash("sha256").update(request.body).digest("hex").slice(0, 32)}`;
    const takes = valid || settings.secrets.length === 0;
    // A header that is not signed can be anybody's: only what the signature covers tells whether this came before.
    const content = signedId === undefined || signedId.length > idLengthMax ? bytes : signedId;
    const duplicate = takes && seen.has(content);
    if (takes) remember(seen, content, true);
    const conflict = takes ? contradictionOf(heard, facts) : undefined;
    return { valid, takes, id: signedId ?? facts.id ?? bytes, duplicate, reasons: [reason, conflict].filter((one) => one !== undefined && one !== "") };
  };
};

type Checked = { readonly valid: boolean; readonly id?: string | undefined; readonly reason: string };

const check = ({ scheme, header, secrets }: SignatureSettings, { headers, body }: InboundRequest, nowMs: number): Checked => {
  if (secrets.length === 0) return { valid: false, reason: notChecked };
  const { valid, id, reason, hint } = verifySignature({ scheme, header, headers, body, secrets, nowSeconds: Math.floor(nowMs / 1000) });
  return { valid, id, reason: [reason, hint].filter((part) => part !== undefined).join(": ") };
};

/** Longer ones are no ids: they would only fill the memory. */
const idLengthMax = 200;

const remember = <T>(map: Map<string, T>, key: string, value: T): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size <= rememberedMax) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
};

const contradictionOf = (heard: Map<string, string>, facts: CallbackFacts): string | undefined => {
  if (facts.transactionId === undefined || facts.status === undefined || facts.transactionId.length + facts.status.length > idLengthMax) return undefined;
  const { stands, conflict } = contradiction(heard.get(facts.transactionId), facts.status);
  remember(heard, facts.transactionId, stands);
  return conflict;
};

/** Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1). */
const ofTheConnection = "host connection keep-alive proxy-connection te trailer transfer-encoding upgrade content-length expect".split(" ");

type Forwarded = { readonly status: number; readonly fault?: string };
/** Bytes, headers and query go on as they came; the query of --forward-to stays in front. */
const forward = async (to: URL, request: InboundRequest, context: Pick<Context, "flags" | "signal" | "post">): Promise<Forwarded> => {
  const url = new URL(to);
  const query = request.target.split("?").slice(1).join("?");
  if (query !== "") url.search = url.search === "" ? `?${query}` : `${url.search}&${query}`;
  const dropped = new Set([...ofTheConnection, ...(request.headers["connection"] ?? "").toLowerCase().split(/\s*,\s*/)]);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.has(name)));
  try {
    return await context.post({ url, headers, body: request.body, timeoutMs: context.flags.timeoutMs, signal: context.signal });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { status: 502, fault: `not forwarded: ${error.message}` };
  }
};

const bodyOf = (body: Uint8Array): { readonly body: string; readonly bodyBase64?: string } => {
  const bytes = Buffer.from(body);
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? { body: text } : { body: text, bodyBase64: bytes.toString("base64") };
};

/**
 * Keeps a delivery as it came: `….body` has the very bytes, `….headers` one `Name: value` a line, as `webhook verify`
 * takes them. Customers' payments are in it, so the modes are those of the settings. Rejects with the file system's error.
 */
const saveDelivery = async (folder: string, request: InboundRequest, about: Pick<Received, "at" | "id"> & { readonly number: number }): Promise<void> => {
  makeFolder(folder);
  const id = about.id.replace(/[^\w-]/g, "_").slice(0, 60);
  const name = `${about.at.replace(/[:.]/g, "-")}-${String(about.number).padStart(4, "0")}-${id}`;
  const headers = Object.entries(request.headers).map(([key, value]) => `${key}: ${value}\n`);
  // `wx`: nothing there is ever overwritten or followed as a link.
  await writeFile(join(folder, `${name}.body`), request.body, { mode: 0o600, flag: "wx" });
  await writeFile(join(folder, `${name}.headers`), headers.join(""), { mode: 0o600, flag: "wx" });
};

/** So many of a folder are read again, the newest: some seconds' worth. */
const readMax = 10_000;
const fileBytesMax = 2 * 1024 * 1024;
/** What `saveDelivery` calls the headers of one: the moment it came is in front. */
const nameOfHeaders = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-\d{4,}-.*\.headers$/;

/** The deliveries that are in such a folder, in the order they came. What is no delivery or cannot be read is passed over. */
const savedDeliveries = async function* (
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly request: InboundRequest; readonly atMs: number }, void, undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => nameOfHeaders.test(name)).sort();
  for (const name of names.slice(-readMax)) {
    if (signal.aborted) return;
    try {
      const lines = Buffer.from(await readInputFile(join(folder, name), fileBytesMax, signal)).toString("utf8");
      const body = await readInputFile(join(folder, name.replace(/\.headers$/, ".body")), fileBytesMax, signal);
      const headers = Object.fromEntries([...lines.matchAll(/^(.*?): (.*)$/gm)].map(([, key = "", value]) => [key, value ?? ""]));
      yield { request: { method: "POST", target: "/", headers, body }, atMs: Date.parse(name.replace(nameOfHeaders, "$1:$2:$3.$4")) };
    } catch {
      // Half of one, or a file of somebody else's: it only serves to tell what came before.
    }
  }
};
