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
  readonly summary: string;
  readonly section: string;
  /** Creating endpoints carry an Idempotency-Key and are journalled before they are sent. */
  readonly effect: "read" | "creates-payment";
  /** The scope the document names (service 5.2); others are not shown. */
  readonly scope?: string;
  /** Names without one of which a 2xx is no answer of this endpoint (dotted paths; service 4). */
  readonly answers: readonly string[];
};

const local = "/api/v1/merchants/payments";
const global = "/api/v1/global";

export const routes = {
  stkPush: {
    id: "stkPush",
    command: "stk",
    method: "POST",
    path: `${local}/stk-push`,
    summary: "Push prompt to a customer's phone",
    section: "4 POST stk-push",
    effect: "creates-payment",
    answers: ["transactionId"],
  },
  b2c: {
    id: "b2c",
    command: "b2c",
    method: "POST",
    path: `${local}/b2c`,
    summary: "Payout to a phone",
    section: "4 POST b2c",
    effect: "creates-payment",
    answers: ["transactionId"],
  },
  getTransaction: {
    id: "getTransaction",
    command: "tx get",
    method: "GET",
    path: `${local}/transactions/:transactionId`,
    summary: "One local transaction",
    section: "4 GET transactions/:transactionId",
    effect: "read",
    answers: ["id", "status"],
  },
  listTransactions: {
    id: "listTransactions",
    command: "tx list",
    method: "GET",
    path: `${local}/transactions`,
    summary: "Local transactions, paged",
    section: "4 GET transactions",
    effect: "read",
    answers: ["transactions"],
  },
  b2cStats: {
    id: "b2cStats",
    command: "b2c stats",
    method: "GET",
    path: `${local}/stats/b2c`,
    summary: "Payout volume and count",
    section: "4 GET stats/b2c",
    effect: "read",
    answers: ["stats"],
  },
  wallet: {
    id: "wallet",
    command: "wallet",
    method: "GET",
    path: `${local}/wallet`,
    summary: "Local balances, holds and recent ledger",
    section: "4 GET wallet",
    effect: "read",
    scope: "wallet:read",
    answers: ["wallet"],
  },
  providers: {
    id: "providers",
    command: "global providers",
    method: "GET",
    path: `${global}/providers`,
    summary: "Rails enabled for the merchant",
    section: "4 GET providers",
    effect: "read",
    answers: ["providers"],
  },
  collect: {
    id: "collect",
    command: "global collect",
    method: "POST",
    path: `${global}/collections`,
    summary: "Inbound collection",
    section: "4 POST collections",
    effect: "creates-payment",
    answers: ["collection.reference"],
  },
  withdraw: {
    id: "withdraw",
    command: "global withdraw",
    method: "POST",
    path: `${global}/disbursements`,
    summary: "Withdrawal from the Global Wallet",
    section: "4 POST disbursements",
    effect: "creates-payment",
    answers: ["disbursement.reference"],
  },
  globalWallet: {
    id: "globalWallet",
    command: "global wallet",
    method: "GET",
    path: `${global}/wallet`,
    summary: "Global balances",
    section: "4 GET global wallet",
    effect: "read",
    answers: ["wallet"],
  },
  fxRates: {
    id: "fxRates",
    command: "global fx",
    method: "GET",
    path: `${global}/fx/rates`,
    summary: "Display rates",
    section: "4 GET fx/rates",
    effect: "read",
    answers: ["rates"],
  },
} as const satisfies Record<string, Route>;

export type EndpointName = keyof typeof routes;

/** The journal's name for what a creating endpoint does (rules.md, `journal list --json`). */
export type Operation = "stk" | "b2c" | "collect" | "withdraw";
export const operationRoutes = { stk: routes.stkPush, b2c: routes.b2c, collect: routes.collect, withdraw: routes.withdraw } as const satisfies Record<
  Operation,
  Route
>;

/** Which way the money goes, as seen by the merchant. */
export const directionOf = (operation: Operation): "in" | "out" => (operation === "b2c" || operation === "withdraw" ? "out" : "in");
/** Whether it moves money of the Global Wallet. Its record cannot be looked up (service 2.5). */
export const isGlobal = (operation: Operation): operation is "collect" | "withdraw" => operation === "collect" || operation === "withdraw";
export const isMoneyOut = (operation: Operation): boolean => directionOf(operation) === "out";
