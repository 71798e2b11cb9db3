import { type CommandSpec, type Run, toEntry } from "../../command.ts";
import { CliError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Context } from "../../ports.ts";
import { routes } from "../../service/contract/routes.ts";
import { findReceipt } from "../../transactions/receipt.ts";
import { b2cSpec } from "../b2c/spec.ts";
import { globalCollectSpec, globalWalletSpec, globalWithdrawSpec } from "../global/spec.ts";
import { stkSpec } from "../stk/spec.ts";
import { txGetSpec, txListSpec } from "../tx/spec.ts";
import { walletSpec } from "../wallet/spec.ts";

/** What one step may use of those before it. */
export type Found = { transactionId?: string; rail?: string; currency?: string; amount?: string };
export type Step = {
  readonly name: string;
  /** As a person would type it; `--sandbox` makes it run on their own sandbox. */
  readonly command: (found: Found) => string;
  /** Resolves with what there is to say about it. */
  readonly run: (context: Context, found: Found) => Promise<string>;
};

type Given<S extends CommandSpec> = { readonly flags?: Partial<Record<keyof S["flags"] & string, string>>; readonly args?: readonly string[] };
/** Runs a real command and gives its one document, as `--json` would print it. A verdict against it is a failure. */
const runCommand = async <S extends CommandSpec>(
  spec: S,
  load: () => Promise<{ readonly run: Run<S> }>,
  context: Context,
  { flags = {}, args = [] }: Given<S> = {},
): Promise<Json> => {
  const typed = Object.fromEntries(Object.entries<string | undefined>(flags).map(([name, value]) => [name, value === undefined ? [] : [value]]));
  const outcome = await toEntry(spec, load).run({ flags: typed, args, words: [] }, context);
  const rows: Json[] = [];
  for await (const row of outcome.rows) rows.push(row);
  const verdict = outcome.verdict?.();
  if (verdict !== undefined) throw verdict;
  return outcome.document === undefined ? (rows[0] ?? null) : outcome.document(rows);
};

const within = (value: Json | undefined, ...names: readonly string[]): Json | undefined =>
  names.reduce<Json | undefined>((at, name) => fieldOf(at, name), value);
const shown = (value: Json | undefined): string => {
  const [whole = "", decimals = ""] = (textOf(value) ?? "?").split(".");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(2, "0")}`;
};
const itemsOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const receiptOf = (transaction: Json): string => {
  const receipt = findReceipt(transaction);
  return receipt === undefined ? "no receipt" : `receipt ${receipt.text}`;
};

const push: Step = {
  name: "Collect with a push prompt",
  command: () => "payments-cli stk --phone 0712345000 --amount 1500 --reference INV-1001 --wait",
  run: async (context, found) => {
    const flags = { phone: "0712345000", amount: "1500", reference: "INV-1001", wait: "15" };
    const transaction = await runCommand(stkSpec, () => import("../stk/stk.ts"), context, { flags });
    const id = textOf(fieldOf(transaction, "id"));
    if (id !== undefined) found.transactionId = id;
    return `KES ${shown(fieldOf(transaction, "amount"))} paid by the customer, ${receiptOf(transaction)}`;
  },
};

const payOut: Step = {
  name: "Pay out to a phone",
  command: () => "payments-cli b2c --phone 0722000001 --amount 500 --reference REFUND-7 --wait",
  run: async (context) => {
    const flags = { phone: "0722000001", amount: "500", reference: "REFUND-7", wait: "15" };
    const transaction = await runCommand(b2cSpec, () => import("../b2c/b2c.ts"), context, { flags });
    return `KES ${shown(fieldOf(transaction, "amount"))} sent, ${receiptOf(transaction)}`;
  },
};

const list: Step = {
  name: "List transactions",
  command: () => "payments-cli tx list --flow all",
  run: async (context) => {
    const page = await runCommand(txListSpec, () => import("../tx/list.ts"), context, { flags: { flow: "all" } });
    const references = itemsOf(fieldOf(page, "transactions")).map((row) => textOf(fieldOf(row, "reference")) ?? "?");
    if (references.length === 0) throw new CliError("unavailable", "The list came back empty.");
    return `${references.length} transactions: ${references.join(", ")}`;
  },
};

const one: Step = {
  name: "Look at one",
  command: (found) => `payments-cli tx get ${found.transactionId ?? "ID"}`,
  run: async (context, found) => {
    const transaction = await runCommand(txGetSpec, () => import("../tx/get.ts"), context, { args: [found.transactionId ?? ""] });
    return `${textOf(fieldOf(transaction, "reference")) ?? ""} is ${textOf(fieldOf(transaction, "status")) ?? ""}`;
  },
};

const showObject = async (name: "wallet" | "globalWallet") => ({ run: (await import("../show-object.ts")).createRun(name) });

const wallet: Step = {
  name: "Read the local wallet",
  command: () => "payments-cli wallet",
  run: async (context) => {
    const body = await runCommand(walletSpec, () => showObject("wallet"), context);
    return `credits KES ${shown(within(body, "wallet", "balance"))}, payout float KES ${shown(within(body, "wallet", "b2cAvailableBalance"))}`;
  },
};

const smallest = (rail: Json): number =>
  Math.max(Number(textOf(fieldOf(rail, "minAmount")) ?? 1), Math.min(Number(textOf(fieldOf(rail, "maxAmount")) ?? 1), 50_000));

const foreign: Step = {
  name: "Collect over a foreign rail",
  command: (found) =>
    `payments-cli global collect --rail ${found.rail ?? "RAIL"} --amount ${found.amount ?? "N"} --currency ${found.currency ?? "CUR"} --msisdn 0772345000`,
  run: async (context, found) => {
    const body = await runCommand(globalCollectSpec, () => import("../global/collect.ts"), context, {
      flags: { rail: found.rail ?? "", amount: found.amount ?? "", currency: found.currency ?? "", msisdn: "0772345000", description: "Invoice 1002" },
    });
    const reference = textOf(within(body, "collection", "reference")) ?? "";
    // The provider's confirmation, which on a real rail comes by itself.
    const client = await context.client();
    const answer = await client.raw({ method: "POST", path: `/_sandbox/collections/${reference}`, body: '{"action":"confirm"}' });
    if (answer.status >= 300) throw new CliError("unavailable", `The provider's confirmation was answered ${answer.status}.`);
    return `${found.currency ?? ""} ${shown(within(body, "collection", "amount"))} confirmed by the provider, ${reference}`;
  },
};

const globalBalance: Step = {
  name: "Read the global wallet",
  command: () => "payments-cli global wallet",
  run: async (context) => {
    const body = await runCommand(globalWalletSpec, () => showObject("globalWallet"), context);
    return `available ${textOf(within(body, "wallet", "currency")) ?? ""} ${shown(within(body, "wallet", "availableBalance"))}`;
  },
};

const withdrawal: Step = {
  name: "Withdraw to mobile money",
  command: () => "payments-cli global withdraw --rail KE_MPESA --channel MOBILE_MONEY --operator MPESA --msisdn 0712345000 --amount 250 --currency KES",
  run: async (context) => {
    const flags = { rail: "KE_MPESA", channel: "MOBILE_MONEY", operator: "MPESA", msisdn: "0712345000", amount: "250", currency: "KES" };
    const body = await runCommand(globalWithdrawSpec, () => import("../global/withdraw.ts"), context, { flags });
    return `KES ${shown(within(body, "disbursement", "amount"))} on its way, ${textOf(within(body, "disbursement", "reference")) ?? ""}`;
  },
};

/** The tour, in order (issue: demo). */
export const steps: readonly Step[] = [push, payOut, list, one, wallet, foreign, globalBalance, withdrawal];

/** A rail of another country that collects by a prompt, as the providers endpoint has it now. */
export const findForeignRail = async (context: Context, found: Found): Promise<void> => {
  const client = await context.client();
  const { body } = await client.call(routes.providers, { signal: context.signal });
  const rail = itemsOf(fieldOf(body, "providers")).find(
    (row) =>
      fieldOf(row, "live") === true &&
      fieldOf(row, "country") !== "KE" &&
      fieldOf(row, "collectionFlow") === "PUSH" &&
      within(row, "capabilities", "collect") === true,
  );
  if (rail === undefined) return;
  found.rail = textOf(fieldOf(rail, "rail")) ?? "";
  found.currency = textOf(itemsOf(fieldOf(rail, "currencies"))[0]) ?? "";
  found.amount = String(smallest(rail));
};
