/** What the views read, in the shape they read it: the one place that knows the sandbox's control answers. */
import { control } from "./api.js";

/** One member of an answer. */
const member = (path, name = path) => async () => (await control("GET", path))[name];

/** By control, and not as a merchant: faults that stand for its program would strike here, and those for the next request be used up. */
export const wallet = () => control("GET", "wallet");
export const globalWallet = member("global-wallet", "wallet");
export const providers = member("providers");
/** Whom a withdrawal may name, by rail: operators or bank codes. */
export const payees = member("payees");
/** With its history. A merchant's query would use up what a lagging one still owes (027, 028). */
export const transaction = (id) => control("GET", `transactions/${encodeURIComponent(id)}`);

/** For a person who looks: with phone and time, and sought over all of them. */
export const search = (query) => control("GET", `transactions?${new URLSearchParams(query)}`);
/** All that match, page by page. */
export const searchAll = async (query) => {
  const found = [];
  for (;;) {
    const page = await search({ ...query, limit: 200, offset: found.length });
    found.push(...page.transactions);
    if (page.transactions.length === 0 || found.length >= page.total) return found;
  }
};
/** A collection or a withdrawal, by its reference. */
export const record = (reference) => control("GET", `${reference.startsWith("GD-") ? "disbursements" : "collections"}/${encodeURIComponent(reference)}`);
export const scenarios = member("scenarios");
export const armed = member("arm", "armed");
/** Prompts that wait for an answer on the phone. */
export const prompts = member("prompts");
export const deliveries = member("deliveries");
/** The callbacks of one payment. */
export const deliveriesOf = (id) => member(`deliveries?transaction=${encodeURIComponent(id)}`, "deliveries")();
export const requests = member("requests");
/** The newest moves of a wallet (balance, b2c, b2cHeld, global or globalHeld), oldest first: all of them would be megabytes at each change. */
const movesShown = 60;
const entries = async (query) => (await control("GET", `ledger?${new URLSearchParams(query)}`)).entries.toReversed();
export const ledger = (wallet) => entries({ wallet, limit: movesShown });
/** What one payment moved in a wallet. */
export const ledgerOf = (wallet, transaction) => entries({ wallet, transaction });
export const collections = member("collections");
export const disbursements = member("disbursements");
/** Callbacks are signed with it. */
export const webhookSecret = member("webhook-secret", "webhookSecret");
export const settings = () => control("GET", "settings");
export const faults = member("faults");
export const now = member("clock", "now");

/** A wallet's line over its newest moves: what each entry left. Older ones would flatten what happens now. */
export const balanceLine = (entries) => entries.map((entry) => ({ at: Date.parse(entry.createdAt), value: entry.balanceAfter }));
