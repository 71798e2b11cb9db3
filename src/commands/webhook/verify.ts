import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, parseExact, present, textOf } from "../../json/exact-json.ts";
import { cardOutcome } from "../../output/outcomes.ts";
import { isStdin, readInputFile } from "../../tables/input-file.ts";
import { requireSecrets, webhookSettingsOf } from "../../webhooks/forward-settings.ts";
import { verifySignature } from "../../webhooks/webhook-signature.ts";
import type { webhookVerifySpec } from "./spec.ts";

const bodyBytesMax = 64 * 1024 * 1024;

/** `webhook verify`: exit 0 where the signature holds, else 2 and why (rules.md, Living with what is not shown). */
export const run: Run<typeof webhookVerifySpec> = async ({ flags }, context) => {
  const headers = parseHeaders(flags.header);
  const nowSeconds = parseMoment(flags.at, context.clock.now());
  const { body: file } = flags;
  if (file === undefined) throw usageError("--body is missing: the file with the body, or - for standard input.");
  if (Object.keys(headers).length === 0) throw usageError("--header is missing.", "Give each header that came: --header 'webhook-id: evt_1' --header …");
  const settings = await webhookSettingsOf(flags, context);
  requireSecrets(settings, "There is no webhook secret to check with.");
  const body = isStdin(file) ? await context.readStdin() : await readInputFile(file, bodyBytesMax, context.signal);
  const { scheme, header, secrets } = settings;
  const verdict = verifySignature({ scheme, header, headers, body, secrets, nowSeconds });
  if (!verdict.valid) {
    const hint = verdict.hint ?? (verdict.reason?.startsWith("the timestamp is old") && flags.at === undefined ? asOf : undefined);
    throw usageError(`The signature is not valid: ${verdict.reason ?? "it does not hold"}.`, hint);
  }
  const id = verdict.id ?? idInBody(body);
  return cardOutcome(present({ valid: true, scheme, id }), [
    ["Signature", { text: "valid", tone: "good" }],
    ["Scheme", scheme],
    ["Id", id],
  ]);
};

const asOf = "a stored delivery is checked for the moment it came with --at TIME";

const parseHeaders = (lines: readonly string[]): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*([^\r\n]*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw usageError("--header has to be like 'Name: value'.");
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return headers;
};

/** Seconds since 1970 of --at: digits are seconds (13 of them milliseconds), or ISO 8601 with a zone. */
const parseMoment = (text: string | undefined, nowMs: number): number => {
  if (text === undefined) return Math.floor(nowMs / 1000);
  if (/^\d{1,11}$/.test(text)) return Number(text);
  if (/^\d{13}$/.test(text)) return Math.floor(Number(text) / 1000);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw usageError("--at has to be a time with its zone, like 2026-03-01T08:00:05Z, or seconds since 1970.");
  return Math.floor(ms / 1000);
};

/** Where the scheme signs no id, the body's own is part of what was signed. */
const idInBody = (body: Uint8Array): string | undefined => {
  try {
    return textOf(fieldOf(parseExact(Buffer.from(body).toString("utf8")), "id"));
  } catch {
    return undefined;
  }
};
