/** What the views read, in the shape they read it: the one place that knows the sandbox's control answers. */
import { control, get, listOf } from "./api.js";

const local = "/api/v1/merchants/payments";

const orNothing = async (work, fallback) => {
  try {
    return await work();
  } catch (error) {
    if (error.status === 404 || error.status === 405) return fallback;
    throw error;
  }
};

export const wallet = () => get(`${local}/wallet`);
export const globalWallet = async () => (await get("/api/v1/global/wallet")).wallet;
export const providers = async () => listOf(await get("/api/v1/global/providers"), "providers");
export const transactions = (flow = "all", limit = 100, offset = 0) => get(`${local}/transactions?flow=${flow}&limit=${limit}&offset=${offset}`);
export const transaction = (id) => get(`${local}/transactions/${encodeURIComponent(id)}`);

export const prompts = async () => listOf(await control("GET", "prompts"), "prompts");
export const deliveries = async () => listOf(await control("GET", "deliveries"), "deliveries");
export const requests = async () => listOf(await control("GET", "requests"), "requests");
/** `wallet` is balance, b2c or global; oldest first. */
export const ledger = async (name) => {
  const entries = listOf(await control("GET", `ledger?wallet=${name}`), "entries", "ledger", "transactions");
  return [...entries].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
};
/** How a transaction came to be what it is; absent where the sandbox does not tell. */
export const history = (id) => orNothing(() => control("GET", `transactions/${encodeURIComponent(id)}`), undefined);
export const collections = () => orNothing(async () => listOf(await control("GET", "collections"), "collections"), []);
export const disbursements = () => orNothing(async () => listOf(await control("GET", "disbursements"), "disbursements"), []);
export const settings = () => orNothing(() => control("GET", "settings"), {});
export const faults = () => orNothing(async () => listOf(await control("GET", "faults"), "faults"), undefined);
export const now = () => orNothing(() => control("GET", "clock"), {});

/** A wallet's line over time: what each entry left, ending with what is there now. Holds move no balance. */
export const balanceLine = (entries, current) => {
  const moves = entries.filter((entry) => entry.type !== "B2C_HOLD" && entry.createdAt !== undefined);
  let value = current - moves.reduce((sum, entry) => sum + entry.amount, 0);
  const points = [];
  for (const entry of moves) {
    value += entry.amount;
    points.push({ at: Date.parse(entry.createdAt), value: Math.round(value * 100) / 100 });
  }
  return points;
};
