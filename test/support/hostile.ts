import { PassThrough, Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import type { Host } from "../../src/cli/host.ts";
import { CliError } from "../../src/errors.ts";
import { createProgress } from "../../src/host/progress.ts";
import { createPrompter } from "../../src/host/prompter.ts";
import type { Service } from "./cli.ts";

/** Stands around every harmful character of the text below: one that reaches a stream unchanged still has it as a neighbour. */
const mark = "¤";
const between = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
const controls = [...between(0, 0x1f), ...between(0x7f, 0x9f)];
const unseen = [
  ..."\u00ad\u034f\u061c\u115f\u180e\u3164\ufeff\ufff9\ufffa\ufffb\ud800",
  ...between(0x200b, 0x200f),
  ...between(0x2028, 0x202e),
  ...between(0x2060, 0x206f),
  ...between(0xe0020, 0xe0024),
];
const around = (characters: readonly string[]): string => characters.map((character) => mark + character).join("") + mark;

/** What a terminal acts on, and what nobody sees. */
export const evil = `e${around([...controls, ...unseen])}\u001b]0;owned\u0007\u001b[2J\u009b31m\r\nFORGED`;
/** The same for a file's name, which is short and has no NUL and no slash. */
export const evilName = `n${around(["\u001b", "\u0007", "\r", "\n", "\u0085", "\u009b", "\u202e", "\u200b", "\ufeff"])}`;

/** The harmful characters of `evil` that a text still has as they were. Where lines are wrapped, line ends of ours may stand before a mark too. */
export const leaks = (text: string, wrapped = false): readonly string[] =>
  [...controls, ...unseen]
    .filter((character) => !(wrapped && character === "\n"))
    .filter((character) => text.includes(character + mark))
    .map((character) => `U+${character.codePointAt(0)?.toString(16)}`);

const at = (id: string) => ({ id, reference: `R-1${evil}`, amount: 100 });
const rail = {
  rail: `KE_MOMO${evil}`,
  displayName: `Mobile money${evil}`,
  country: "KE",
  currencies: ["KES", `X${evil}`],
  collectionFlow: "PUSH",
  minAmount: 1,
  maxAmount: 100_000,
  live: true,
  capabilities: { collect: true, disburse: true, categories: [`MOBILE_MONEY${evil}`], disbursementChannels: ["MOBILE_MONEY", "BANK", `X${evil}`] },
};
export const evilRail = rail.rail;
export const evilRedirect = `KE_CARD${evil}`;

const bodyOf = (path: string, id: string, status: string): unknown => {
  if (path.endsWith("/transactions"))
    return {
      transactions: [
        { ...at("T1"), status, [`x${evil}`]: evil },
        { ...at(`T2${evil}`), status },
      ],
      total: 2,
      note: evil,
    };
  if (path.includes("/transactions/")) {
    const metadata = { mobileMoneyReceipt: `UC1${evil}`, failureReason: evil, [`m${evil}`]: evil };
    return { ...at(id), status, provider: evil, providerRef: evil, metadata, [`k${evil}`]: evil };
  }
  if (path.endsWith("/stats/b2c")) return { success: true, stats: { totalVolume: 1, count: 1, [`s${evil}`]: evil } };
  if (path.endsWith("/providers"))
    return { success: true, providers: [rail, { ...rail, rail: evilRedirect, collectionFlow: "REDIRECT" }, { ...rail, collectionFlow: `X${evil}` }] };
  if (path.endsWith("/fx/rates"))
    return { success: true, rates: { base: "KES", rates: { KES: 1, UGX: 28.5, [`A${evil}`]: 2 }, supportedCurrencies: [evil], fetchedAt: evil } };
  if (path.endsWith("/plain")) return `plain\t${evil}\nlines`;
  if (path.endsWith("/collections") || path.endsWith("/disbursements")) {
    const record = { reference: `GC-1${evil}`, status, amount: 100, fee: 1, [`r${evil}`]: evil };
    return { success: true, message: evil, collection: record, disbursement: record, authorizationUrl: `https://pay.example/${evil}` };
  }
  if (path.endsWith("/global/wallet")) return { success: true, wallet: { currency: `KES${evil}`, availableBalance: 1, pendingBalance: 1, heldBalance: 1 } };
  if (path.endsWith("/wallet")) {
    const holds = [{ id: evil, amount: 1, reason: evil, holdType: evil, reference: evil, createdAt: evil }];
    const transactions = [{ _id: evil, type: evil, amount: -1, status: evil, reference: evil, description: evil, createdAt: evil }];
    return {
      success: true,
      wallet: { balance: 1, b2cBalance: 1, b2cHolds: holds, currency: "KES", [`w${evil}`]: evil },
      b2cStats: { note: evil },
      transactions,
    };
  }
  const pricingQuote = { amount: 100, fee: 1, total: 101, [`q${evil}`]: evil };
  return { transactionId: `T1${evil}`, originatorConversationId: evil, conversationId: evil, status, message: evil, pricingQuote };
};

/** A service every string of which is hostile; `status` alone is as given. */
export const evilService =
  (status: string): Service =>
  (request) => ({
    headers: { "x-request-id": evil, "retry-after": evil },
    body: bodyOf(request.path, decodeURIComponent(request.path.split("/").at(-1) ?? ""), status),
  });

const refusals: readonly unknown[] = [
  { success: false, code: `BAD${evil}`, message: evil, field: evil },
  { error: { code: evil, message: evil } },
  { errors: { [`amount${evil}`]: [evil] } },
  `plain ${evil}`,
  `<html>${evil}</html>`,
];
/** A service that refuses everything, in one of several forms. */
export const refusing =
  (status: number, form: number): Service =>
  () => ({ status, headers: { "x-request-id": evil }, body: refusals[form % refusals.length] });
export const refusalForms = refusals.length;

/** A host whose questions and progress are drawn for real, into `shown`. Each question gets the next of `answers`, then the input ends. */
export const drawnHost = (answers: readonly string[], draws: boolean): { readonly host: Partial<Host>; readonly shown: () => string } => {
  let shown = "";
  const left = [...answers];
  const input = new PassThrough();
  let asked = false;
  const feed = (): void => {
    const answer = left.shift();
    if (answer === undefined) input.end();
    else if (asked) input.write(answer);
  };
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      shown += chunk.toString("utf8");
      if (asked) setImmediate(feed);
      done();
    },
  });
  Object.assign(output, { columns: 100_000, rows: 50 });
  const prompter: Host["prompter"] = async (terminal) => {
    // A stream stands in for the terminal: what is asked of it is writing, reading and a size.
    const real = createPrompter({ terminal: { ...terminal, draws }, input: input as unknown as ReadStream, output: output as unknown as WriteStream });
    const ask = async <T>(question: () => Promise<T>): Promise<T> => {
      if (input.writableEnded) throw new CliError("interrupted", "Interrupted at the question.");
      asked = true;
      try {
        return await question();
      } finally {
        asked = false;
      }
    };
    return {
      text: (question) => ask(() => real.text(question)),
      secret: (question) => ask(() => real.secret(question)),
      confirm: (question) => ask(() => real.confirm(question)),
      choose: (question) => ask(() => real.choose(question)),
      unheard: real.unheard,
    };
  };
  const progress: Host["progress"] = () =>
    createProgress({ draws: true, write: (text) => (shown += text), columns: () => 100_000, nowMs: () => performance.now() * 1000 });
  const screen = { size: () => ({ columns: 100_000, rows: 50 }), beat: () => () => undefined };
  return { host: { prompter, progress, ...(draws ? { screen } : {}) }, shown: () => shown };
};
