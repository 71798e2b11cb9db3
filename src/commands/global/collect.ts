import { flagWords, type Input, type Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Block } from "../../outcome.ts";
import { qrLines } from "../../output/qr.ts";
import type { Given } from "../../payments/creation.ts";
import { checkCollection, emailProblem, msisdnCheck } from "../../payments/global-creation.ts";
import type { Rail } from "../../payments/rails.ts";
import type { Context } from "../../ports.ts";
import { flagNames, givenBy, missingOf, pay } from "../creating.ts";
import { openPage } from "../open-page.ts";
import { currentRails, moneyOf, railOf } from "./choose-rail.ts";
import type { globalCollectSpec } from "./spec.ts";

const command = "global collect";
type CollectFlags = Input<typeof globalCollectSpec>["flags"];

/** What is missing is asked on a terminal; what is there is refused before any request where no rail could take it. */
const checkEarly = async (flags: CollectFlags, context: Pick<Context, "terminal">): Promise<void> => {
  const given = givenBy("collect", flags);
  const payer = given["msisdn"] ?? given["customerEmail"];
  const missing = missingOf(command, flags, ["rail", "amount", "currency"], payer === undefined ? ["--msisdn or --email"] : []);
  if (missing === undefined) await checkCollection(given, undefined, flagNames);
  else if (!context.terminal.interactive) throw missing;
};

/** The payer's own field, asked where no flag gives one. */
const askPayer = async (rail: Rail, given: Given, { prompt }: Pick<Context, "prompt">): Promise<Given> => {
  if (given["msisdn"] !== undefined || given["customerEmail"] !== undefined) return {};
  if (rail.flow !== "PUSH")
    return { customerEmail: await prompt.text({ message: "Payer's email", check: emailProblem, words: (email) => flagWords("email", email) }) };
  return { msisdn: await prompt.text({ message: "Payer's phone", check: await msisdnCheck(rail.country), words: (phone) => flagWords("msisdn", phone) }) };
};

const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** Lines of the answer around the code: the card, the address, what comes next and the prompt of the shell. */
const otherLines = 15;
/** A code that pushed the address out of the window would hide what works everywhere. */
const roomFor = (url: string, { terminal }: Pick<Context, "terminal">): { readonly columns: number; readonly rows: number } => {
  const columns = terminal.width();
  const { rows } = terminal.screen?.size() ?? { rows: 24 };
  return { columns, rows: rows - otherLines - Math.ceil(url.length / Math.max(1, columns)) };
};

/** The sandbox inside this process has no address of its own: its pages are there while `payments-cli sandbox` serves the same data. */
const embeddedOrigin = /^http:\/\/sandbox\.localhost(?=\/)/;
const runningOrigin = "http://127.0.0.1:4010";

const checkoutBlocks = async (body: Json, open: boolean, context: Pick<Context, "note" | "terminal" | "openUrl" | "flags">): Promise<readonly Block[]> => {
  const given = textOf(fieldOf(body, "authorizationUrl"));
  if (given === undefined) {
    if (open) context.note("The service sent no checkout address.");
    return [];
  }
  const url = given.replace(embeddedOrigin, runningOrigin);
  const address = (...more: readonly string[]): Block => ({ kind: "text", lines: ["The payer pays here:", { text: url, tone: "strong" }, ...more] });
  if (url !== given) {
    if (open) context.note("The checkout was not opened, as nothing serves its page yet.");
    return [address("To open this page, first run in another terminal: payments-cli sandbox")];
  }
  if (open) await openPage("checkout", url, context);
  const draws = context.flags.output === "table" && context.terminal.stdoutIsTerminal;
  // The payment exists by now: whatever hinders the drawing is no failure of it.
  const code = draws && isWebAddress(url) ? await qrLines(url, roomFor(url, context)).catch(() => undefined) : undefined;
  return code === undefined ? [address()] : [address(), { kind: "text", lines: code, verbatim: true }];
};

/** `global collect`: an inbound collection, by prompt or hosted checkout (service 4, POST collections). */
export const run: Run<typeof globalCollectSpec> = async ({ flags, words }, context) => {
  await checkEarly(flags, context);
  const rail = await railOf(await currentRails(context), "collect", flags, context);
  if (rail.flow === "PUSH" && flags.open)
    throw usageError(`The rail ${rail.code} sends a prompt to the payer's phone (PUSH). There is no checkout page to open: leave --open out.`);
  const given = { ...givenBy("collect", flags), ...(await moneyOf(rail, flags, context)) };
  const creation = await checkCollection({ ...given, ...(await askPayer(rail, given, context)) }, rail, flagNames);
  return pay(creation, { words, flags, extra: ({ answer }) => checkoutBlocks(answer.body, flags.open, context) }, context);
};
