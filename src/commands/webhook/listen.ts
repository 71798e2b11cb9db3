import type { Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Cell, Style } from "../../outcome.ts";
import { money, zonedTime } from "../../output/format.ts";
import type { Context, Listener } from "../../ports.ts";
import { isLoopback } from "../../service/base-url.ts";
import { createDataMask } from "../../service/mask.ts";
import { type CallbackLog, openCallbackLog } from "../../webhooks/callback-log.ts";
import { parseTarget } from "../../webhooks/deliver.ts";
import { callbackFacts } from "../../webhooks/forward-facts.ts";
import { createQueue } from "../../webhooks/forward-queue.ts";
import { webhookSettingsOf } from "../../webhooks/forward-settings.ts";
import { createReceiver, notChecked, type Received, type Receiver } from "./receive.ts";
import type { webhookListenSpec } from "./spec.ts";

const bodyBytesMax = 1024 * 1024;
/** Where --port is not given: the same each time, so that a callback URL can be kept. A free one where it is taken. */
const usualPort = 4020;

/** `webhook listen`: runs until Ctrl-C, which ends it well (0). */
export const run: Run<typeof webhookListenSpec> = async ({ flags }, context) => {
  const { port, host, forwardTo: target, save: saveTo } = flags;
  const path = parsePath(flags.path);
  const forwardTo = target === undefined ? undefined : parseTarget(target, "--forward-to", context.env);
  const settings = await webhookSettingsOf(flags, context);
  const loopback = isLoopback(host);
  if (settings.secrets.length === 0 && !loopback) {
    throw usageError(
      `--host ${host} lets others reach this port, so deliveries have to be checked, and there is no webhook secret.`,
      "Set PAYMENTS_WEBHOOK_SECRET, or store it: payments-cli profile set NAME --with-webhook-secret < secret.txt",
    );
  }
  let listener: Listener | undefined;
  const close = async (): Promise<void> => await listener?.close();
  const queue = createQueue<Json>(() => void close());
  const options = {
    settings,
    loopback,
    mask: await maskOf(context, settings.secrets),
    ...(path === undefined ? {} : { path }),
    ...(forwardTo === undefined ? {} : { forwardTo }),
    ...(saveTo === undefined ? {} : { saveTo }),
  };
  const log = await openLog(context);
  const shown = {
    push: (received: Received, bytes: number) => {
      remember(received, log, context);
      queue.push({ ...received }, bytes);
    },
    hasRoom: queue.hasRoom,
  };
  const handle = await createReceiver(options, context, shown);
  listener = await start(context, host, port, handle);
  if (forwardTo !== undefined && isLoopback(forwardTo.hostname) && Number(forwardTo.port || (forwardTo.protocol === "https:" ? 443 : 80)) === listener.port) {
    // Each delivery would come back as another, until no file can be opened any more.
    await listener.close();
    throw usageError(`--forward-to is this very listener, at ${listener.url}.`, "Name the port of your own endpoint, or choose another with --port");
  }
  // What is being handled is answered and shown before the end.
  const end = (): void =>
    void close().then(() => {
      log?.dispose();
      queue.end();
    });
  if (context.signal.aborted) end();
  else context.signal.addEventListener("abort", end, { once: true });
  if (settings.secrets.length === 0)
    context.note("There is no webhook secret: deliveries are shown, not checked. Set PAYMENTS_WEBHOOK_SECRET to have them checked.");
  queue.push({ url: `${listener.url}${path ?? "/"}` });
  return {
    rows: queue.rows,
    stream: true,
    columns: ["url", "at", "id", "valid", "reason", "duplicate", "answered", "headers", "body"],
    view: { kind: "lines", line: lineOf },
  };
};

/** What `tx explain` reads. A machine without a place for it listens all the same. */
const openLog = async ({ paths, note }: Pick<Context, "paths" | "note">): Promise<CallbackLog | undefined> => {
  try {
    return await openCallbackLog(paths.data);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    note(`tx explain will not know of these callbacks: ${error.message}`);
    return undefined;
  }
};

const remember = (received: Received, log: CallbackLog | undefined, { note }: Pick<Context, "note">): void => {
  const { transactionId, status } = callbackFacts(received.body);
  if (log === undefined || transactionId === undefined) return;
  try {
    log.add({ at: received.at, way: "received", transactionId, status: status ?? "", valid: received.valid, answered: received.answered });
  } catch (error) {
    note(`tx explain will not know of this callback: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** The secrets that are known here. Without an account there is no API key. */
const maskOf = async (context: Pick<Context, "client">, secrets: readonly string[]): Promise<(text: string) => string> => {
  const maskSecrets = createDataMask(secrets);
  try {
    const client = await context.client();
    return (text) => client.mask(maskSecrets(text));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return maskSecrets;
  }
};

const parsePath = (text: string | undefined): string | undefined => {
  if (text !== undefined && !/^\/[^\s?#\\]*$/.test(text)) throw usageError("--path has to start with / and hold no white space, ? or #.");
  return text;
};

const start = async (context: Pick<Context, "listen">, host: string, port: number | undefined, handle: Receiver): Promise<Listener> => {
  const { listen } = context;
  if (listen === undefined) throw new CliError("bug", "This program was built without a way to listen.");
  const at = (one: number): Promise<Listener> => listen({ host, port: one, maxBytes: bodyBytesMax, handle });
  if (port !== undefined) return await at(port);
  try {
    return await at(usualPort);
  } catch (error) {
    if (error instanceof CliError && error.kind === "usage") return await at(0);
    throw error;
  }
};

const textAt = (row: Json, name: string): string | undefined => textOf(fieldOf(row, name));

/** `2026-03-01 11:00:05  valid  payment.completed  T1  INV-1  KES 1,500.00  COMPLETED  -> 200`. */
const lineOf = (row: Json, style: Style): Cell => {
  const url = textAt(row, "url");
  if (url !== undefined) return { text: `Listening on ${url} (Ctrl-C ends it)`, tone: "strong" };
  const valid = fieldOf(row, "valid") === true;
  const reason = textAt(row, "reason");
  const unchecked = reason?.startsWith(notChecked) === true;
  const said = unchecked ? reason.slice(notChecked.length).replace(/^; /, "") : reason;
  const facts = callbackFacts(textAt(row, "body") ?? "");
  const known = [facts.type, facts.transactionId, facts.reference, facts.amount === undefined ? undefined : money(facts.amount, "KES"), facts.status];
  const parts = [
    zonedTime(textAt(row, "at"), style),
    valid ? "valid" : unchecked ? "unchecked" : "INVALID",
    ...(known.every((part) => part === undefined) ? [textAt(row, "id")] : known),
    fieldOf(row, "duplicate") === true ? "(duplicate)" : undefined,
    `-> ${textAt(row, "answered") ?? ""}`,
    said === undefined || said === "" ? undefined : `(${said})`,
  ];
  const tone = valid ? (reason === undefined ? "good" : "waiting") : unchecked ? "plain" : "bad";
  return { text: parts.filter((part) => part !== undefined && part !== "").join("  "), tone };
};
