import type { EndpointName } from "../service/contract/routes.ts";
import type { Bodies, Queries, Replies } from "../service/contract/types.ts";
import { createCollection, createDisbursement } from "./engine/create-global.ts";
import { createPayout, createPush } from "./engine/create-local.ts";
import type { Transaction } from "./engine/entities.ts";
import type { scopes } from "./engine/merchant.ts";
import { ratesFrom, toMinor, toUnits } from "./engine/money.ts";
import { countQuery, find } from "./engine/payments.ts";
import { servedRails } from "./engine/rails.ts";
import { invalid } from "./engine/refusal.ts";
import { isoOf, lettersOf, type Unit } from "./engine/unit.ts";
import { globalRecordView, globalWalletView, localWalletView, payoutStats, transactionSummary, transactionView } from "./engine/views.ts";

/** One call of an endpoint, checked against the contract. */
export type Call<Name extends EndpointName> = {
  readonly unit: Unit;
  readonly body: Bodies[Name];
  readonly query: Queries[Name];
  readonly params: Readonly<Record<string, string>>;
  readonly scenario: string | undefined;
  /** Where checkout links lead. */
  readonly baseUrl: string;
};
export type Endpoint<Name extends EndpointName> = { readonly scope: (typeof scopes)[number]; readonly answer: (call: Call<Name>) => Replies[Name] };

/** What each endpoint of the contract does (service 4). An endpoint that is missing here does not compile. */
export const endpoints: { readonly [Name in EndpointName]: Endpoint<Name> } = {
  stkPush: {
    scope: "payments:write",
    answer: ({ unit, body, scenario }) => ({ transactionId: createPush(unit, body, scenario).id, status: "SENT" }),
  },
  b2c: {
    scope: "payments:write",
    answer: ({ unit, body, scenario }) =>
      payoutReply(createPayout(unit, { ...body, description: body.description ?? body.remarks }, scenario), toMinor(body.amount)),
  },
  getTransaction: {
    scope: "payments:read",
    answer: ({ unit, params }) => transactionView(countQuery(unit, findLocal(unit, params["transactionId"] ?? ""))),
  },
  listTransactions: {
    scope: "payments:read",
    answer: ({ unit, query: { limit = 20, offset = 0, flow = "standard" } }) => {
      const where = { flow: flow === "all" ? localFlows : flow };
      const page = unit.page("tx", { where, limit: Math.min(limit, limitMax), offset });
      return { transactions: page.map(transactionSummary), total: unit.count("tx", where) };
    },
  },
  b2cStats: { scope: "payments:read", answer: ({ unit }) => ({ success: true, stats: payoutStats(unit) }) },
  wallet: { scope: "wallet:read", answer: ({ unit }) => localWalletView(unit) },
  providers: { scope: "global:read", answer: () => ({ success: true, providers: servedRails() }) },
  collect: {
    scope: "global:write",
    answer: ({ unit, body, scenario, baseUrl }) => {
      const collection = createCollection(unit, body, scenario);
      const reply = { success: true, collection: globalRecordView(collection) };
      if (collection.metadata["flow"] === "PUSH") return { ...reply, message: "A prompt was sent to the payer's phone." };
      const authorizationUrl = `${baseUrl}/checkout/${collection.id}?token=${checkoutToken(unit.core.seed, collection.id)}`;
      return { ...reply, message: "Send the payer to authorizationUrl.", authorizationUrl };
    },
  },
  withdraw: {
    scope: "global:write",
    answer: ({ unit, body, scenario }) => ({
      success: true,
      message: "Withdrawal accepted for processing.",
      disbursement: globalRecordView(createDisbursement(unit, body, scenario)),
    }),
  },
  globalWallet: { scope: "global:read", answer: ({ unit }) => globalWalletView(unit) },
  fxRates: {
    scope: "global:read",
    answer: ({ unit, query }) => {
      const base = (query.base ?? "USD").toUpperCase();
      const rates = ratesFrom(base);
      if (rates === undefined) throw invalid("base", "base is not a supported currency.");
      const fetchedAt = isoOf(Math.floor(unit.nowMs / hourMs) * hourMs);
      return { success: true, rates: { base, rates, supportedCurrencies: Object.keys(rates), fetchedAt } };
    },
  },
};

export const localFlows = ["standard", "b2c"] as const;
export const findLocal = (unit: Unit, id: string): Transaction => find(unit, id, "The transaction", ...localFlows);
/** Assumed: more than a hundred is capped. */
const limitMax = 100;
const hourMs = 3_600_000;

/** Quotes the amount that was asked for: another one may have moved by now (callback-early with other-amount). */
const payoutReply = ({ id, metadata, carrierFee }: Transaction, amount: number): Replies["b2c"] => ({
  transactionId: id,
  originatorConversationId: String(metadata["originatorConversationId"]),
  conversationId: String(metadata["conversationId"]),
  status: "QUEUED",
  message: "Payout queued for processing.",
  pricingQuote: { amount: toUnits(amount), fee: toUnits(carrierFee), total: toUnits(amount + carrierFee) },
});

/** The token that a checkout link carries: only who has the link may pay or decline the collection. */
export const checkoutToken = (seed: number, reference: string): string => lettersOf(seed + 77, parseInt(reference.slice(3, 9), 36) || 0, 20);
