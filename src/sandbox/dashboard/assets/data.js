/** What the views read, in the shape they read it: the one place that knows the sandbox's control answers. */
import { control, listOf } from "./api.js";

/** By control, and not as a merchant: faults that stand for its program would strike here, and those for the next request be used up. */
export const wallet = () => control("GET", "wallet");
export const globalWallet = async () => (await control("GET", "global-wallet")).wallet;
export const providers = async () => listOf(await control("GET", "providers"), "providers");
/** Whom a withdrawal may name, by rail: operators or bank codes. */
export const payees = async () => (await control("GET", "payees")).payees;
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
export const scenarios = async () => listOf(await control("GET", "scenarios"), "scenarios");
export const armed = async () => listOf(await control("GET", "arm"), "armed");
const waits = ({ status }) => status === undefined || status === "SENT" || status === "PENDING";
/** Prompts that wait for an answer on the phone. */
export const prompts = async () => listOf(await control("GET", "prompts"), "prompts").filter(waits);
export const deliveries = async () => listOf(await control("GET", "deliveries"), "deliveries");
/** The callbacks of one payment. */
export const deliveriesOf = async (id) => listOf(await control("GET", `deliveries?transaction=${encodeURIComponent(id)}`), "deliveries");
export const requests = async () => listOf(await control("GET", "requests"), "requests");
/** The newest moves of a wallet (balance, b2c, b2cHeld, global or globalHeld), oldest first: all of them would be megabytes at each change. */
const movesShown = 60;
export const ledger = async (name) => listOf(await control("GET", `ledger?wallet=${name}&limit=${movesShown}`), "entries").toReversed();
/** What one payment moved in a wallet. */
export const ledgerOf = async (name, id) => listOf(await control("GET", `ledger?wallet=${name}&transaction=${encodeURIComponent(id)}`), "entries").toReversed();
export const collections = async () => listOf(await control("GET", "collections"), "collections");
export const disbursements = async () => listOf(await control("GET", "disbursements"), "disbursements");
/** Callbacks are signed with it. */
export const webhookSecret = async () => (await control("GET", "webhook-secret")).webhookSecret;
export const settings = () => control("GET", "settings");
export const faults = async () => listOf(await control("GET", "faults"), "faults");
export const now = async () => (await control("GET", "clock")).now;

/** A wallet's line over its newest moves: what each entry left. Older ones would flatten what happens now. */
export const balanceLine = (entries) => entries.map((entry) => ({ at: Date.parse(entry.createdAt), value: entry.balanceAfter }));
