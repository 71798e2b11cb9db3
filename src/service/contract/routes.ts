/**
 * The eleven endpoints of the service (service 4) as plain data, without schemas, so that a single call need not load them.
 * `schemas.ts` beside this file has the fields of each.
 */
export type Route = {
  readonly id: string;
  /** The command that calls it. */
  readonly command: string;
  readonly method: "GET" | "POST";
  /** Joined to the base URL's path; `:name` is a parameter. */
  readonly path: string;
  /** Creating endpoints carry an Idempotency-Key and are journalled before they are sent. */
  readonly effect: "read" | "creates-payment";
  readonly summary: string;
  /** Members without one of which a 2xx is no answer of this endpoint (dotted paths; service 4), and what each is. */
  readonly answers: Readonly<Record<string, AnswerKind>>;
  /** The scope the document names (service 5.2); others are not shown. */
  readonly scope?: string;
};
/** `id` names what was created: 0 and "null" name nothing. */
export type AnswerKind = "list" | "object" | "text" | "id";
type More = Pick<Route, "summary" | "answers" | "scope">;

const reads = <const Id extends string, const C extends string, const Path extends string, const M extends More>(id: Id, command: C, path: Path, more: M) =>
  ({ id, command, path, method: "GET", effect: "read", ...more }) as const;
const creates = <const Id extends string, const C extends string, const M extends More>(id: Id, command: C, path: string, more: M) =>
  ({ id, command, path, method: "POST", effect: "creates-payment", ...more }) as const;

const local = "/api/v1/merchants/payments";
const global = "/api/v1/global";

export const routes = {
  stkPush: creates("stkPush", "stk", `${local}/stk-push`, { summary: "Push prompt to a customer's phone", answers: { transactionId: "id" } }),
  b2c: creates("b2c", "b2c", `${local}/b2c`, { summary: "Payout to a phone", answers: { transactionId: "id" } }),
  getTransaction: reads("getTransaction", "tx get", `${local}/transactions/:transactionId`, {
    summary: "One local transaction",
    answers: { id: "text", status: "text" },
  }),
  listTransactions: reads("listTransactions", "tx list", `${local}/transactions`, { summary: "Local transactions, paged", answers: { transactions: "list" } }),
  b2cStats: reads("b2cStats", "b2c stats", `${local}/stats/b2c`, { summary: "Payout volume and count", answers: { stats: "object" } }),
  wallet: reads("wallet", "wallet", `${local}/wallet`, {
    summary: "Local balances, holds and recent ledger",
    answers: { wallet: "object" },
    scope: "wallet:read",
  }),
  providers: reads("providers", "global providers", `${global}/providers`, { summary: "Rails enabled for the merchant", answers: { providers: "list" } }),
  collect: creates("collect", "global collect", `${global}/collections`, { summary: "Inbound collection", answers: { "collection.reference": "id" } }),
  withdraw: creates("withdraw", "global withdraw", `${global}/disbursements`, {
    summary: "Withdrawal from the Global Wallet",
    answers: { "disbursement.reference": "id" },
  }),
  globalWallet: reads("globalWallet", "global wallet", `${global}/wallet`, { summary: "Global balances", answers: { wallet: "object" } }),
  fxRates: reads("fxRates", "global fx", `${global}/fx/rates`, { summary: "Display rates", answers: { rates: "object" } }),
} as const satisfies Record<string, Route>;

export type EndpointName = keyof typeof routes;

/** The journal's name for what a creating endpoint does (rules.md, `journal list --json`). */
export type Operation = "stk" | "b2c" | "collect" | "withdraw";
export const operationRoutes = { stk: routes.stkPush, b2c: routes.b2c, collect: routes.collect, withdraw: routes.withdraw };

/** Which way the money goes, as seen by the merchant. */
export const directionOf = (operation: Operation): "in" | "out" => (operation === "b2c" || operation === "withdraw" ? "out" : "in");
/** Whether it moves money of the Global Wallet. Its record cannot be looked up (service 2.5). */
export const isGlobal = (operation: Operation): operation is "collect" | "withdraw" => operation === "collect" || operation === "withdraw";
/** Whether a text is a reference of the Global Wallet's, which no endpoint looks up (service 2.5). */
export const isGlobalReference = (text: string): boolean => /^g[cd]-/i.test(text);
export const isMoneyOut = (operation: Operation): boolean => directionOf(operation) === "out";
