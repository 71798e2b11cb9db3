/** What the views read, in the shape they read it: the one place that knows the sandbox's control answers. */
import { control, get, listOf } from "./api.js";

const local = "/api/v1/merchants/payments";

export const wallet = () => get(`${local}/wallet`);
export const globalWallet = async () => (await get("/api/v1/global/wallet")).wallet;
export const providers = async () => listOf(await get("/api/v1/global/providers"), "providers");
export const transactions = (flow = "all", limit = 100, offset = 0) => get(`${local}/transactions?flow=${flow}&limit=${limit}&offset=${offset}`);
/** With its history. Not the merchant's query: reading here must not use up what a lagging query still owes (027, 028). */
export const transaction = (id) => control("GET", `transactions/${encodeURIComponent(id)}`);

/** For a person who looks: with phone and time, and sought over all of them. */
export const search = (query) => control("GET", `transactions?${new URLSearchParams(query)}`);
/** A collection or a withdrawal, by its reference. */
export const record = (reference) => control("GET", `${reference.startsWith("GD-") ? "disbursements" : "collections"}/${encodeURIComponent(reference)}`);
export const scenarios = async () => listOf(await control("GET", "scenarios"), "scenarios");
export const armed = async () => listOf(await control("GET", "arm"), "armed");
export const prompts = async () => listOf(await control("GET", "prompts"), "prompts");
export const deliveries = async () => listOf(await control("GET", "deliveries"), "deliveries");
export const requests = async () => listOf(await control("GET", "requests"), "requests");
/** `wallet` is balance, b2c, b2cHeld, global or globalHeld; oldest first. */
export const ledger = async (name) => listOf(await control("GET", `ledger?wallet=${name}`), "entries").toReversed();
export const collections = async () => listOf(await control("GET", "collections"), "collections");
export const disbursements = async () => listOf(await control("GET", "disbursements"), "disbursements");
export const settings = () => control("GET", "settings");
export const faults = async () => listOf(await control("GET", "faults"), "faults");
export const now = async () => (await control("GET", "clock")).now;

/** A wallet's line over its newest moves: what each entry left. Older ones would flatten what happens now. */
const movesShown = 60;
export const balanceLine = (entries) => entries.slice(-movesShown).map((entry) => ({ at: Date.parse(entry.createdAt), value: entry.balanceAfter }));
