import { rewrittenPath } from "../../cli/shell-traps.ts";
import type { Input, Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { isObject, type JsonObject, parseExact, present, stringifyExact } from "../../json/exact-json.ts";
import type { Outcome } from "../../outcome.ts";
import { escapeUnseen, sanitize, sanitizeText } from "../../output/sanitize.ts";
import { commandOf } from "../../payments/command-of.ts";
import type { Account, Answer, Context } from "../../ports.ts";
import { joinUrl, parseBaseUrl } from "../../service/base-url.ts";
import { callRaw, isReading, type RawAnswer } from "../../service/raw-call.ts";
import { isStdin, readInputFile } from "../../tables/input-file.ts";
import { madeOf, orPropose, planFlags } from "../creating.ts";
import { creationAt } from "./creating-path.ts";
import { parseFields, toQuery } from "./fields.ts";
import type { apiSpec } from "./spec.ts";

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
const inputBytesMax = 16 * 1024 * 1024;

type Call = { readonly method: string; readonly path: string; readonly body: string | undefined };

type ApiInput = Input<typeof apiSpec>;

/** `api METHOD PATH`: any endpoint of the base URL; what creates a payment goes the way of its own command. */
export const run: Run<typeof apiSpec> = async (input, context) => {
  const account = await context.account();
  const { passphraseStdin } = input.flags;
  if (passphraseStdin) (await import("../../payments/consent.ts")).requireWithdrawalKey(account);
  const call = await readCall(input, context);
  const basePath = checkPath(call.path, account, context);
  const operation = creationAt(call.method, basePath, call.path);
  if (passphraseStdin && operation !== "withdraw") throw usageError("--passphrase-stdin is only for withdrawals, and this call does not make one.");
  if (operation !== undefined) {
    const { planFromBody } = await import("../../payments/plan-from-body.ts");
    const plan = { ...(await planFromBody(operation, call.body ?? "{}", context)), ...planFlags(input.flags), passphraseStdin };
    if (plan.dryRun) return (await import("../../payments/dry-run.ts")).dryRunOutcome(plan, context);
    const { createPayment } = await import("../../payments/create-payment.ts");
    const create = () => createPayment(plan, context);
    const words = commandOf(plan);
    const payment = await (words === undefined ? create() : orPropose({ words }, create));
    return { ...outcomeOf({ ...payment.answer, json: true }, input, context), made: madeOf(payment, context) };
  }
  const { dryRun, idempotencyKey } = planFlags(input.flags);
  if (dryRun) return (await import("../../payments/dry-run.ts")).requestOutcome({ ...call, idempotencyKey }, account);
  const client = await context.client();
  const { clock, random, flags, signal } = context;
  const request = { method: call.method, path: call.path, ...present({ body: call.body, idempotencyKey }), signal };
  return outcomeOf(await callRaw(request, { client, clock, random, timeoutMs: flags.timeoutMs, retries: flags.retries }), input, context);
};

const readCall = async ({ flags, args }: ApiInput, context: Pick<Context, "readStdin" | "signal">): Promise<Call> => {
  const { path } = args;
  const method = args.method.toUpperCase();
  if (!methods.includes(method)) throw usageError(`METHOD is one of ${methods.join(", ")}, not "${args.method}".`);
  const { rawField: strings, field: jsons, input: file } = flags;
  const anyField = strings.length + jsons.length > 0;
  if (file === undefined) {
    const fields = parseFields(strings, jsons);
    if (isReading(method)) return { method, path: anyField ? withQuery(path, toQuery(fields)) : path, body: undefined };
    return { method, path, body: anyField ? fieldsText(fields) : undefined };
  }
  if (isReading(method)) throw usageError(`${method} has no body: leave out --input.`);
  if (anyField) throw usageError("The body comes from --input or from -f and -F, not from both.");
  if (isStdin(file) && flags.passphraseStdin) throw usageError("Standard input cannot be both the body (--input -) and the passphrase (--passphrase-stdin).");
  return { method, path, body: readJson(isStdin(file) ? await context.readStdin(inputBytesMax) : await readInputFile(file, inputBytesMax, context.signal)) };
};

const withQuery = (path: string, query: string): string => (path.includes("?") ? `${path}&${query}` : `${path}?${query}`);

/** The body exactly as given, once it is known to be JSON. */
const readJson = (bytes: Uint8Array): string => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // What can't be written again can be neither checked nor shown.
    stringifyExact(parseExact(text));
    return text;
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : usageError("The body is not JSON in UTF-8.");
  }
};

const tooDeep = (): CliError => usageError("The body is nested too deeply to be checked.");

const fieldsText = (fields: JsonObject): string => {
  try {
    return stringifyExact(fields);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error;
  }
};

/** Refuses an unusable path before anything else is asked or sent. Returns the base URL's own path. */
const checkPath = (path: string, account: Account, context: Pick<Context, "flags">): string => {
  if (/^[a-z]:[\\/]/i.test(path)) throw usageError(`PATH ${rewrittenPath.problem}.`, rewrittenPath.hint);
  const base = context.flags.sandbox ? new URL(account.baseUrl) : parseBaseUrl(account.baseUrl);
  joinUrl(base, path);
  return base.pathname;
};

const outcomeOf = (answer: RawAnswer, { flags, args }: ApiInput, context: Pick<Context, "flags" | "terminal">): Outcome => {
  const { output, fields } = context.flags;
  const text = shownText(answer, context);
  const line: Outcome["view"] = { kind: "lines", line: (row) => stringifyExact(row) };
  if (flags.include) return { rows: [], view: line, raw: `${headText(answer)}\n${text}` };
  const empty = answer.text.trim() === "";
  if (empty || (output === "table" && fields === undefined)) return { rows: [], view: line, raw: empty ? "" : text };
  if (!answer.json && isReading(args.method.toUpperCase())) {
    const more = { status: answer.status, hint: "Leave out --json, --output and --fields." };
    throw new CliError("unavailable", "The service's answer is not JSON, so it can only be shown as it is.", more);
  }
  // What was done is never told as a failure: the text is then the document.
  const body = answer.json ? answer.body : answer.text;
  if (Array.isArray(body)) return { rows: body, document: (rows) => rows, view: line };
  return { rows: [body], ...(isObject(body) ? { single: true as const } : {}), view: line };
};

const headText = ({ status, headers }: Pick<Answer, "status" | "headers">): string =>
  [`HTTP ${status}`, ...Object.entries(headers).map(([name, value]) => sanitize(`${name}: ${value}`)), ""].join("\n");

/** The body as it came. What a terminal would act on is escaped in JSON, which means the same, and made visible elsewhere on a terminal. */
const shownText = (answer: RawAnswer, context: Pick<Context, "terminal">): string => {
  const { stdoutIsTerminal } = context.terminal;
  if (!answer.json) return stdoutIsTerminal ? `${sanitizeText(answer.text).trimEnd()}\n` : answer.text;
  const text = escapeUnseen(answer.text.replace(/^\ufeff/, "")).trimEnd();
  // Outside its strings JSON may hold carriage returns, which write one line over another.
  return `${stdoutIsTerminal ? text.replace(/\r\n?/g, "\n") : text}\n`;
};
