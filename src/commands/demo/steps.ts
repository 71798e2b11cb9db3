import { CliError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { money } from "../../output/format.ts";
import { findReceipt } from "../../transactions/fields.ts";

/** Runs one command line on the throw-away sandbox and gives its one document. Rejects with the command's error. */
export type RunLine = (line: string) => Promise<Json>;
export type Step = {
  readonly name: string;
  /** What follows `payments-cli`; with --sandbox it runs on a person's own sandbox. ID is the transaction of the first step. */
  readonly line: string;
  /** What there is to say about the document that it printed. */
  readonly says: (document: Json, runLine: RunLine) => string | Promise<string>;
};

const within = (value: Json | undefined, path: string): Json | undefined => path.split(".").reduce<Json | undefined>((at, name) => fieldOf(at, name), value);
const text = (value: Json, path: string): string => textOf(within(value, path)) ?? "";
const amount = (value: Json, path: string, currency = "KES"): string => money(within(value, path), currency);
const receipt = (transaction: Json): string => {
  const found = findReceipt(transaction);
  return found === undefined ? "no receipt" : `receipt ${found.text}`;
};

export const steps: readonly Step[] = [
  {
    name: "Collect with a push prompt",
    line: "stk --phone 0712345000 --amount 1500 --reference INV-1001 --wait",
    says: (transaction) => `${amount(transaction, "amount")} paid by the customer, ${receipt(transaction)}`,
  },
  {
    name: "Pay out to a phone",
    line: "b2c --phone 0722000001 --amount 500 --reference REFUND-7 --wait",
    says: (transaction) => `${amount(transaction, "amount")} sent, ${receipt(transaction)}`,
  },
  {
    name: "List transactions",
    line: "tx list --flow all",
    says: (page) => {
      const rows = within(page, "transactions");
      if (!Array.isArray(rows) || rows.length === 0) throw new CliError("unavailable", "The list came back empty.");
      return `${rows.length} transactions: ${rows.map((row: Json) => text(row, "reference")).join(", ")}`;
    },
  },
  { name: "Look at one", line: "tx get ID", says: (transaction) => `${text(transaction, "reference")} is ${text(transaction, "status")}` },
  {
    name: "Read the local wallet",
    line: "wallet",
    says: (body) => `credits ${amount(body, "wallet.balance")}, payout float ${amount(body, "wallet.b2cAvailableBalance")}`,
  },
  {
    name: "Collect over a foreign rail",
    line: "global collect --rail UG_MOMO --amount 5000 --currency UGX --msisdn 0772345000",
    says: async (body, runLine) => {
      const reference = text(body, "collection.reference");
      // The provider's confirmation, which on a real rail comes by itself.
      await runLine(`api POST /_sandbox/collections/${reference} -f action=confirm`);
      return `${amount(body, "collection.amount", "UGX")} confirmed by the provider, ${reference}`;
    },
  },
  {
    name: "Read the global wallet",
    line: "global wallet",
    says: (body) => `available ${amount(body, "wallet.availableBalance", text(body, "wallet.currency"))}`,
  },
  {
    name: "Withdraw to mobile money",
    line: "global withdraw --rail KE_MPESA --channel MOBILE_MONEY --operator MPESA --msisdn 0712345000 --amount 250 --currency KES",
    says: (body) => `${amount(body, "disbursement.amount")} on its way, ${text(body, "disbursement.reference")}`,
  },
];
