import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registry } from "../../../src/cli/registry.ts";
import { listenForCallbacks } from "../../../src/host/callback-listener.ts";
import { routes } from "../../../src/service/contract/routes.ts";
import { signDelivery } from "../../../src/webhooks/webhook-signature.ts";
import { type CliOptions, type CliResult, createHome, runCli, type Service } from "../../support/cli.ts";
import { hasPostgres, logins, type Server, startPostgres } from "../../support/postgres.ts";
import { withdrawal } from "../../support/withdrawal.ts";

/** Every command's JSON, success and error, against the schemas that `schema` publishes, by a strict validator (rules.md, JSON and CSV). */
const home = createHome();
const file = (name: string): string => join(home, name);
const orders = file("orders.csv");
const payouts = file("payouts.csv");
const secret = "whsec_YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcywgZmFrZSE=";
const body = '{"type":"payment.completed","id":"evt_1","data":{"id":"T1","reference":"INV-1","amount":150,"status":"COMPLETED"}}';
const nowMs = Date.UTC(2026, 2, 1, 8);
const signed = signDelivery({ scheme: "standard-webhooks", secrets: [secret], id: "evt_1", timestampSeconds: nowMs / 1000, body: Buffer.from(body) });
const headers = Object.entries(signed ?? {}).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
const pages: Service = ({ path }) => ({ body: path.endsWith("providers") ? { success: true, providers: [] } : { transactions: [], total: 0 } });
const noAccount = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
const stk = (phone: string, reference: string) => ["stk", "--phone", phone, "--amount", "150", "--reference", reference];
const b2c = (reference: string) => ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", reference];
const collect = ["global", "collect", "--rail", "UG_MOMO", "--amount", "5000", "--currency", "UGX", "--msisdn", "0772000001"];

type Words = readonly string[] | (() => Promise<readonly string[]>);
type Case = {
  readonly words: Words;
  /** The schema of each line of stdout; of the whole, if it is one document. None: stdout is empty. */
  readonly prints: readonly string[];
  /** Its account is the sandbox unless it is `alone`. */
  readonly alone?: true;
  readonly options?: CliOptions;
};
const ok = (prints: string, ...words: readonly string[]): Case => ({ words, prints: [prints] });
const alone = (prints: string, words: Words, options: CliOptions = {}): Case => ({ words, prints: [prints], alone: true, options });
const refused = (words: Words, more: Partial<Case> = {}): Case => ({ words, prints: [], ...more });
const refusedAlone = (...words: readonly string[]): Case => refused(words, { alone: true });

const sandboxJson = async (...words: readonly string[]) => JSON.parse((await runCli([...words, "--sandbox", "--json"], { home })).stdout);
const propose = async (reference: string): Promise<string> => (await sandboxJson(...b2c(reference), "--propose", "why")).id;
const transactionId = async (): Promise<string> => (await sandboxJson("tx", "get", "--reference", "INV-1")).id;
const attemptId = async (): Promise<string> => (await sandboxJson("journal", "list")).attempts[0].id;
/** A run that would go on for ever: it is stopped after its last line, and `onFirst` gets the first one. */
const until = (count: number, onFirst: (line: string) => Promise<void> = async () => undefined) => {
  const stop = new AbortController();
  const seen: string[] = [];
  const out = async (chunk: string | Uint8Array): Promise<void> => {
    seen.push(...String(chunk).trim().split("\n"));
    if (seen.length === 1) await onFirst(seen[0] ?? "");
    if (seen.length >= count) stop.abort();
  };
  const options: CliOptions = { signal: stop.signal, clock: { nowMs }, env: { PAYMENTS_WEBHOOK_SECRET: secret }, host: { out, listen: listenForCallbacks } };
  return { ...options, seen };
};
const listening = until(2, async (line) => void fetch(JSON.parse(line).url, { method: "POST", body, headers: signed ?? {} }));
const running = until(1);

const unreachable = { service: (() => ({ status: 404, body: { code: "NOT_FOUND", message: "No." } })) as Service };
const cases: Readonly<Record<string, readonly Case[]>> = {
  stk: [
    ok("stk", ...stk("0712345678", "INV-2")),
    ok("tx-get", ...stk("0712345678", "INV-3"), "--wait"),
    ok("tx-get", ...stk("0712345011", "INV-4"), "--wait"),
    ok("dry-run", ...stk("0712345678", "INV-5"), "--dry-run"),
    refused(stk("0712", "INV-6")),
    refused(stk("0712345678", "INV-6"), { alone: true }),
  ],
  b2c: [
    ok("b2c", ...b2c("SUP-1"), "--yes"),
    ok("approval-show", ...b2c("SUP-2"), "--propose"),
    ok("dry-run", ...b2c("SUP-3"), "--dry-run"),
    refused([...b2c("SUP-1"), "--yes"]),
    refused(b2c("SUP-3")),
  ],
  "b2c stats": [ok("b2c-stats", "b2c", "stats"), refusedAlone("b2c", "stats")],
  "b2c batch": [
    ok("b2c-batch", "b2c", "batch", payouts, "--yes"),
    ok("b2c-batch", "b2c", "batch", file("poor.csv"), "--yes"),
    ok("approval-show", "b2c", "batch", file("later.csv"), "--propose"),
    ok("b2c-batch", "b2c", "batch", file("later.csv"), "--dry-run"),
    refused(["b2c", "batch", payouts, "--yes"]),
    refused(["b2c", "batch", orders, "--yes"]),
  ],
  "tx list": [ok("tx-list", "tx", "list"), ok("tx-list", "tx", "list", "--all"), refusedAlone("tx", "list")],
  "tx get": [ok("tx-get", "tx", "get", "--reference", "INV-1"), refused(["tx", "get", "--reference", "INV-404"]), refused(["tx", "get", "GD-1"])],
  "tx watch": [ok("tx-watch", "tx", "watch", "--reference", "INV-1"), refused(["tx", "watch", "--reference", "INV-404"])],
  "tx sync": [ok("tx-sync", "tx", "sync"), refusedAlone("tx", "sync")],
  "tx find": [ok("tx-find", "tx", "find", "INV-1"), ok("tx-find", "tx", "find", "INV-404"), refused(["tx", "find", " "])],
  "tx explain": [ok("tx-explain", "tx", "explain", "INV-1"), ok("tx-explain", "tx", "explain", "SUP-1"), refused(["tx", "explain", "INV-404"])],
  "tx reconcile": [
    ok("tx-reconcile", "tx", "reconcile", orders),
    ok("tx-reconcile", "tx", "reconcile", orders, "--exit-code"),
    ok("tx-reconcile", "tx", "reconcile", orders, "--against", file("bank.csv"), "--against-as", "statement"),
    refused(["tx", "reconcile", file("missing.csv")]),
  ],
  "tx layout list": [alone("tx-layout-list", ["tx", "layout", "list"])],
  "tx layout save": [
    alone("tx-layout-show", ["tx", "layout", "save", "mine", "--from", orders]),
    refusedAlone("tx", "layout", "save", "mine", "--from", file("missing.csv")),
  ],
  "tx layout show": [alone("tx-layout-show", ["tx", "layout", "show", "mpesa-organisation"]), refusedAlone("tx", "layout", "show", "nobodys")],
  "tx layout remove": [alone("tx-layout-show", ["tx", "layout", "remove", "mine"]), refusedAlone("tx", "layout", "remove", "nobodys")],
  wallet: [ok("wallet", "wallet"), refusedAlone("wallet")],
  "global providers": [ok("global-providers", "global", "providers"), refusedAlone("global", "providers")],
  "global collect": [ok("global-collect", ...collect), ok("dry-run", ...collect, "--dry-run"), refused([...collect, "--currency", "KES"])],
  "global withdraw": [
    ok("global-withdraw", ...withdrawal, "--yes"),
    ok("approval-show", ...withdrawal, "--propose", "--allow-duplicate"),
    ok("dry-run", ...withdrawal, "--dry-run"),
    refused([...withdrawal, "--yes"]),
  ],
  "global wallet": [ok("global-wallet", "global", "wallet"), refusedAlone("global", "wallet")],
  "global fx": [ok("global-fx", "global", "fx"), ok("global-fx", "global", "fx", "--convert", "10", "--to", "USD"), refused(["global", "fx", "--to", "USD"])],
  login: [
    alone("profile", ["login", "--with-key", "--base-url", "https://pay.example", "--name", "shop"], { service: pages, env: noAccount, stdin: "k1" }),
    refusedAlone("login", "--with-key"),
  ],
  whoami: [ok("whoami", "whoami"), refused(["whoami", "--profile", "nobodys"], { alone: true })],
  "profile list": [alone("profile-list", ["profile", "list"])],
  "profile use": [alone("profile", ["profile", "use", "shop"]), refusedAlone("profile", "use", "nobodys")],
  "profile set": [alone("profile", ["profile", "set", "shop", "--mode", "sandbox"]), refusedAlone("profile", "set", "shop")],
  logout: [alone("profile", ["logout", "--name", "shop"]), refusedAlone("logout", "--name", "nobodys")],
  "profile remove": [alone("profile", ["profile", "remove", "shop"]), refusedAlone("profile", "remove", "nobodys")],
  "journal list": [ok("journal-list", "journal", "list"), refused(["journal", "list", "--day", "yesterday"])],
  "journal show": [{ words: async () => ["journal", "show", await attemptId()], prints: ["journal-show"] }, refused(["journal", "show", "ffff"])],
  "journal resume": [ok("journal-resume", "journal", "resume", "--all"), refused(stk("0712345035", "INV-6")), refused(["journal", "resume", "--all"])],
  "journal prune": [ok("journal-prune", "journal", "prune", "--older-than", "1"), refused(["journal", "prune"])],
  "journal setup": [
    alone("journal-setup", ["journal", "setup", "postgresql://127.0.0.1/d", "--dry-run"]),
    refusedAlone("journal", "setup", "postgresql://ann:secret@127.0.0.1/d"),
  ],
  "journal import": [refusedAlone("journal", "import")],
  "journal status": [
    alone("journal-status", ["journal", "status"]),
    refused(["journal", "status"], { alone: true, options: { env: { PAYMENTS_JOURNAL_URL: "no" } } }),
  ],
  "approval list": [ok("approval-list", "approval", "list", "--state", "all"), refused(["approval", "list", "--state", "lost"])],
  "approval show": [{ words: async () => ["approval", "show", await propose("A-1")], prints: ["approval-show"] }, refused(["approval", "show", "ffff"])],
  "approval approve": [
    { words: async () => ["approval", "approve", await propose("A-2"), "--yes"], prints: ["approval-show"] },
    { words: async () => ["approval", "approve", await propose("A-3"), await propose("A-4"), "--yes"], prints: ["approval-list"] },
    refused(["approval", "approve", "ffff", "--yes"]),
  ],
  "approval decline": [
    { words: async () => ["approval", "decline", await propose("A-5"), "--reason", "no"], prints: ["approval-show"] },
    refused(["approval", "decline", "ffff"]),
  ],
  "approval cancel": [{ words: async () => ["approval", "cancel", await propose("A-6")], prints: ["approval-show"] }, refused(["approval", "cancel", "ffff"])],
  "approval policy": [
    ok("approval-policy", "approval", "policy", "--from", "50000"),
    { words: async () => ["b2c", "--phone", "0712345678", "--amount", "60000", "--reference", "BIG", "--yes"], prints: [] },
    ok("approval-policy", "approval", "policy", "--off"),
    refused(["approval", "policy", "--from", "many"]),
  ],
  "webhook listen": [
    { words: ["webhook", "listen", "--port", "0"], prints: ["webhook-listening", "webhook-delivery"], options: listening },
    refused(["webhook", "listen", "--host", "0.0.0.0"], { alone: true }),
  ],
  "webhook verify": [
    alone("webhook-verify", ["webhook", "verify", ...headers, "--body", file("body.json"), "--at", String(nowMs / 1000)], {
      env: { PAYMENTS_WEBHOOK_SECRET: secret },
    }),
    refused(["webhook", "verify", ...headers, "--body", orders], { alone: true, options: { env: { PAYMENTS_WEBHOOK_SECRET: secret } } }),
  ],
  "webhook replay": [
    {
      words: async () => ["webhook", "replay", await transactionId(), "--to", "http://127.0.0.1:9/h"],
      prints: ["webhook-replay"],
      options: { post: async () => ({ status: 200, headers: {} }) },
    },
    refused(["webhook", "replay", "T404", "--to", "http://127.0.0.1:9/h"]),
  ],
  sandbox: [alone("sandbox", ["sandbox", "--ephemeral", "--port", "0"], running), refusedAlone("sandbox", "--ephemeral", "--data", home)],
  demo: [alone("demo", ["demo"])],
  api: [
    ok("tx-list", "api", "GET", "/api/v1/merchants/payments/transactions"),
    refused(["api", "GET", "/api/v1/nothing"], { alone: true, options: unreachable }),
  ],
  doctor: [ok("doctor", "doctor"), alone("doctor", ["doctor"])],
  // A script for a shell, and a protocol: neither is JSON.
  completion: [refusedAlone("completion", "sh")],
  mcp: [refused(["mcp", "--allow", "pay"])],
  schema: [alone("schema-list", ["schema"]), refusedAlone("schema", "nothing")],
  commands: [alone("commands", ["commands"])],
};

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, Promise<ValidateFunction>>();
/** Published schemas leave room for keys of later versions; here a key of our own that no schema names is a fault. */
const closed = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  return Object.keys(Object(parts["properties"])).length > 0 ? { ...parts, additionalProperties: false } : parts;
};
const published = async (name: string): Promise<ValidateFunction> => {
  const schema = JSON.parse((await runCli(["schema", name, "--json"])).stdout);
  return ajv.compile(Object.values(routes).some(({ command }) => command.replaceAll(" ", "-") === name) ? schema : closed(schema));
};
const validatorOf = (name: string): Promise<ValidateFunction> => {
  const validator = validators.get(name) ?? published(name);
  validators.set(name, validator);
  return validator;
};
/** What keeps a text from being what its schema says; nothing if it is. */
const faultsOf = async (name: string, text: string) => {
  const validate = await validatorOf(name);
  validate(JSON.parse(text));
  return validate.errors ?? [];
};
const run = async ({ words, alone: isAlone, options }: Case): Promise<CliResult & { readonly line: string }> => {
  const argv = [...(typeof words === "function" ? await words() : words), "--json", ...(isAlone === true ? [] : ["--sandbox"])];
  const result = await runCli(argv, { home, clock: { nowMs }, ...options });
  return { ...result, stdout: options !== undefined && "seen" in options ? (options.seen as string[]).join("\n") : result.stdout, line: argv.join(" ") };
};
const expectValid = async (one: Case): Promise<void> => {
  const { code, stdout, stderr, line } = await run(one);
  const parts = one.prints.length > 1 ? stdout.split("\n") : stdout === "" ? [] : [stdout];
  expect(parts.length, `${line}\n${stderr}`).toBe(one.prints.length);
  for (const [index, name] of one.prints.entries()) expect(await faultsOf(name, parts[index] ?? ""), line).toEqual([]);
  expect(code === 0, `${line}: ${code}\n${stderr}`).toBe(stderr === "");
  if (stderr !== "") expect(await faultsOf("error", stderr), line).toEqual([]);
};

beforeAll(async () => {
  writeFileSync(orders, "reference,amount,status\nINV-1,150,PAID\nINV-9,70,PAID\n,80,PAID\nINV-8,many,PAID\n");
  writeFileSync(file("bank.csv"), "receipt,date,paid in,reference\nUK1,2026-03-01 08:00:00,150,INV-1\nUK2,2026-03-01 09:00:00,99,OTHER\n");
  writeFileSync(payouts, "phone,amount,reference\n0712345678,100,PAY-1\n0712345679,200,PAY-2\n");
  writeFileSync(file("poor.csv"), "phone,amount,reference\n0712345042,150000,PAY-3\n");
  writeFileSync(file("later.csv"), "phone,amount,reference\n0712345678,100,PAY-4\n");
  writeFileSync(file("body.json"), body);
  expect((await runCli([...stk("0712345678", "INV-1"), "--sandbox"], { home, clock: { nowMs } })).code).toBe(0);
});

test("every command has a case", () => {
  expect(Object.keys(cases).toSorted()).toEqual(registry.map(({ spec }) => spec.path.join(" ")).toSorted());
});

describe.each(Object.entries(cases))("%s --json", (_, all) => {
  test.each(all.map((one, index) => [index, one.prints.join(", ") || "an error", one] as const))("%i: prints %s", async (_index, _name, one) => {
    await expectValid(one);
  });
});

describe.skipIf(!hasPostgres)("with a journal in PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.dispose();
  });
  test("journal setup, import and status print what their schemas say", async () => {
    const admin = await server.createDatabase();
    await expectValid(alone("journal-setup", ["journal", "setup", admin]));
    const options = { env: { PAYMENTS_JOURNAL_URL: server.as(await server.createJournal(), logins.maker) } };
    await expectValid(alone("journal-import", ["journal", "import"], options));
    await expectValid(alone("journal-status", ["journal", "status"], options));
  });
});
