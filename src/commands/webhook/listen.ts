import type { Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, type Json, present, textOf } from "../../json/exact-json.ts";
import type { Cell, Style } from "../../outcome.ts";
import { money, zonedTime } from "../../output/format.ts";
import type { Context, Listener } from "../../ports.ts";
import { isLoopback } from "../../service/base-url.ts";
import { createDataMask } from "../../service/mask.ts";
import { openCallbackLog } from "../../webhooks/callback-log.ts";
import { parseTarget } from "../../webhooks/deliver.ts";
import { createQueue } from "../../webhooks/forward-queue.ts";
import { requireSecrets, webhookSettingsOf } from "../../webhooks/forward-settings.ts";
import { callbackFacts } from "../../webhooks/webhook-event.ts";
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
  if (!loopback) requireSecrets(settings, `--host ${host} lets others reach this port, so deliveries have to be checked, and there is no webhook secret.`);
  let listener: Listener | undefined;
  const close = async (): Promise<void> => await listener?.close();
  const queue = createQueue<readonly Json[]>(() => void close());
  const options = {
    settings,
    loopback,
    mask: await maskOf(context, settings.secrets),
    ...present({ path, forwardTo, saveTo }),
  };
  const log = await openCallbackLog(context);
  const shown = {
    push: (received: Received, bytes: number) => {
      const { transactionId, status = "" } = callbackFacts(received.body);
      if (transactionId !== undefined) log.add({ at: received.at, way: "received", transactionId, status, valid: received.valid, answered: received.answered });
      queue.push([{ ...received }], bytes);
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
      log.dispose();
      queue.end();
    });
  if (context.signal.aborted) end();
  else context.signal.addEventListener("abort", end, { once: true });
  if (settings.secrets.length === 0)
    context.note("There is no webhook secret: deliveries are shown, not checked. Set PAYMENTS_WEBHOOK_SECRET to have them checked.");
  queue.push([{ url: `${listener.url}${path ?? "/"}` }]);
  return {
    rows: queue.rows,
    stream: true,
    columns: ["url", "at", "id", "valid", "reason", "duplicate", "answered", "headers", "body"],
    view: { kind: "lines", line: lineOf },
  };
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
  const at = (one: number): Promise<Listener> => context.listen({ host, port: one, maxBytes: bodyBytesMax, handle });
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
