import { join } from "node:path";
import type { Profile } from "../../accounts/profiles.ts";
import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Cell, Style } from "../../outcome.ts";
import { localTime } from "../../output/format.ts";
import type { Context } from "../../ports.ts";
import type { Claim } from "../../sandbox/running.ts";
import type { Sandbox, SandboxEvent } from "../../sandbox/sandbox.ts";
import type { Listening } from "../../sandbox/serve.ts";
import { createQueue, type Queue } from "../../webhooks/forward-queue.ts";
import { openPage } from "../open-page.ts";
import type { sandboxSpec } from "./spec.ts";

/** `sandbox`: the embedded service on a port, until Ctrl-C or SIGTERM, which end it well (0). */
export const run: Run<typeof sandboxSpec> = async ({ flags }, context) => {
  const { port, seed, host, ephemeral, open, data: dataFlag } = flags;
  if (ephemeral && dataFlag !== undefined) throw usageError("--data and --ephemeral exclude each other.");
  const folder = ephemeral ? undefined : (dataFlag ?? join(context.paths.data, "sandbox"));
  const started = await start(context, { port, host, seed, folder });
  const { apiKey, webhookSecret } = started.sandbox;
  const { baseUrl } = started.listening;
  const dashboardUrl = `${baseUrl}/`;
  if (open) await openPage("dashboard", dashboardUrl, context);
  const queue = createQueue<Json>(() => undefined);
  let unsubscribe = (): void => undefined;
  // Under --json the ready line is the one that is printed (rules.md); people see what happens.
  if (context.flags.output !== "table") queue.push({ baseUrl, apiKey, webhookSecret, dashboardUrl, pid: process.pid });
  else {
    for (const text of banner(started, ephemeral || dataFlag !== undefined ? "--profile sandbox" : "--sandbox")) queue.push({ text });
    unsubscribe = started.sandbox.subscribe((event) => pushLine(queue, event));
  }
  if (context.signal.aborted) queue.end();
  else context.signal.addEventListener("abort", () => queue.end(), { once: true });
  return { rows: untilEnd(queue, unsubscribe, started), stream: true, view: { kind: "lines", line: lineOf } };
};

type Started = { readonly sandbox: Sandbox; readonly listening: Listening; readonly claim: Claim | undefined };

type Wanted = { readonly port: number; readonly host: string; readonly seed: number | undefined; readonly folder: string | undefined };
const start = async (context: Pick<Context, "clock" | "paths" | "note">, { folder, host, port, seed }: Wanted): Promise<Started> => {
  const [{ createSandbox }, { serveSandbox }, { claimFolder }] = await Promise.all([
    import("../../sandbox/sandbox.ts"),
    import("../../sandbox/serve.ts"),
    import("../../sandbox/running.ts"),
  ]);
  const claim = folder === undefined ? undefined : await claimFolder(folder);
  let sandbox: Sandbox | undefined;
  try {
    const opened = await createSandbox({ data: folder ?? "ephemeral", seed, clock: context.clock });
    sandbox = opened;
    const listening = await serveSandbox(opened, { port, host });
    const { apiKey, webhookSecret } = opened;
    await claim?.announce({ pid: process.pid, baseUrl: listening.baseUrl, apiKey, webhookSecret });
    await writeProfile(context, listening.baseUrl, opened);
    return { sandbox: opened, listening, claim };
  } catch (error) {
    await sandbox?.close();
    await claim?.release();
    throw error;
  }
};

/** Its address is plain http; what else calls itself a sandbox is an account that a person logged in to, with keys that must not be lost. */
const isSandboxOfThisProgram = ({ mode, baseUrl, storage, hasWithdrawalKey }: Profile): boolean =>
  mode === "sandbox" && !baseUrl.startsWith("https:") && storage !== "keychain" && !hasWithdrawalKey;

/** Its profile `sandbox`, not made current (sandbox.md). A settings file that cannot be written is no reason not to run. */
const writeProfile = async (context: Pick<Context, "paths" | "note">, baseUrl: string, sandbox: Sandbox): Promise<void> => {
  try {
    const [{ createProfiles }, { keyHintOf }] = await Promise.all([import("../../accounts/profiles.ts"), import("../../accounts/secrets.ts")]);
    const { apiKey, webhookSecret } = sandbox;
    await createProfiles({ paths: context.paths }).write("sandbox", (stored) => {
      if (stored !== undefined && !isSandboxOfThisProgram(stored)) throw usageError("A profile of that name is in use, and its keys are kept.");
      const plain = { name: "sandbox", baseUrl, mode: "sandbox", signature: { scheme: "standard-webhooks" }, hasWithdrawalKey: false } as const;
      return { ...plain, storage: "file", apiKey, keyHint: keyHintOf(apiKey), webhookSecrets: [webhookSecret] };
    });
  } catch (error) {
    context.note(`The profile sandbox was not written: ${error instanceof Error ? error.message : "its file cannot be written."}`);
  }
};

/** The rows, and an orderly end when they end or nobody reads them any more. */
const untilEnd = async function* (queue: Queue<Json>, unsubscribe: () => void, { sandbox, listening, claim }: Started): AsyncGenerator<readonly Json[]> {
  try {
    for await (const row of queue.rows) yield [row];
  } finally {
    unsubscribe();
    queue.end();
    await listening.close();
    await sandbox.close();
    await claim?.release();
  }
};

/** What nobody reads is left out: it only shows what happens. */
const pushLine = ({ push, hasRoom }: Queue<Json>, event: SandboxEvent): void => {
  if (!hasRoom()) return;
  if (event.kind === "request") {
    const { at, method, path, status, durationMs, scenario, fault } = event.request;
    if (path.startsWith("/_sandbox/")) return;
    push({ at, request: `${method.padEnd(4)} ${path}`, status: status ?? null, durationMs, why: scenario ?? fault ?? null });
  } else if (event.kind === "delivery") {
    const { at, durationMs = null, status = null, error = null } = event.tried;
    push({ at, callback: event.type, url: event.url, durationMs, status, error });
  }
};

/** What to copy. `--sandbox` finds a sandbox by its usual folder; one kept elsewhere, or nowhere, is reached by its profile. */
const banner = ({ sandbox, listening: { baseUrl, host, port } }: Started, reachedBy: string): readonly string[] => {
  const isOpen = !/^(localhost|127\.|\[?::1\]?$)/i.test(host);
  return [
    "The sandbox is ready: play money, real answers.",
    "",
    `  Dashboard and phone  ${baseUrl}/`,
    ...(isOpen ? [`  Open to other machines at port ${port}, to whoever has the key below.`] : []),
    "",
    "  For your own program:",
    `  export PAYMENTS_BASE_URL=${baseUrl}`,
    `  export PAYMENTS_API_KEY=${sandbox.apiKey}`,
    `  export PAYMENTS_WEBHOOK_SECRET=${sandbox.webhookSecret}`,
    "",
    "  In another terminal:",
    `  payments-cli stk ${reachedBy} --phone 0712345678 --amount 150 --reference INV-1 --wait`,
    "",
    "Each request and callback is one line below. Press Ctrl-C to end it.",
    "",
  ];
};

/** `11:00:05  200    12 ms  POST /api/v1/…`, one line a request and callback; what went well is not shouted. */
const lineOf = (row: Json, style: Style): Cell => {
  const at = (name: string): string => textOf(fieldOf(row, name)) ?? "";
  if (at("at") === "") return { text: at("text"), tone: "plain" };
  const status = at("status");
  const tone = status.startsWith("2") ? "plain" : status.startsWith("4") ? "waiting" : "bad";
  const isCallback = at("callback") !== "";
  const time = localTime(at("at"), style).slice(11, 19);
  const took = at("durationMs") === "" ? "" : `${at("durationMs")} ms`;
  const what = isCallback ? `callback ${at("callback")} to ${at("url")}` : at("request");
  const why = isCallback ? at("error") : at("why") === "ok" ? "" : at("why");
  return { text: `${time}  ${status === "" ? (isCallback ? "---" : "cut") : status}  ${took.padStart(8)}  ${what}${why === "" ? "" : `  (${why})`}`, tone };
};
