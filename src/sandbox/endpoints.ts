import type { EndpointName } from "../service/contract/routes.ts";
import type { Bodies, Queries, Replies } from "../service/contract/types.ts";
import { createPayout, createPush } from "./engine/create-local-payment.ts";
import type { Transaction } from "./engine/entities.ts";
import { createCollection, createDisbursement } from "./engine/global-payments.ts";
import { countQuery, transactionOf } from "./engine/local-payments.ts";
import { ratesFrom, toMinor, toUnits } from "./engine/money.ts";
import { servedRails } from "./engine/rails.ts";
import { invalid } from "./engine/refusal.ts";
import { isoOf, lettersOf } from "./engine/unit.ts";
import { globalRecordView, globalWalletView, localWalletView, transactionSummary, transactionView } from "./engine/views.ts";
import type { UnitOfWork } from "./state-queue.ts";

/** One call of an endpoint, checked against the contract. */
export type Call<Name extends EndpointName> = UnitOfWork & {
  readonly body: Bodies[Name];
  readonly query: Queries[Name];
  readonly params: Readonly<Record<string, string>>;
  readonly scenario: string | undefined;
  /** Where checkout links lead. */
  readonly baseUrl: string;
};
/** Assumed: the scopes that the document does not show (service 5.3). */
export type Scope = "wallet:read" | "payments:read" | "payments:write" | "global:read" | "global:write";
export type Endpoint<Name extends EndpointName> = { readonly scope: Scope; readonly answer: (call: Call<Name>) => Replies[Name] };

/** What each endpoint of the contract does (service 4). An endpoint that is missing here does not compile. */
export const endpoints: { readonly [Name in EndpointName]: Endpoint<Name> } = {
  stkPush: {
    scope: "payments:write",
    answer: ({ unit, at, body, scenario }) => ({ transactionId: createPush(unit, at, body, scenario).id, status: "SENT" }),
  },
  b2c: {
    scope: "payments:write",
    answer: ({ unit, at, body, scenario }) =>
      payoutReply(createPayout(unit, at, { ...body, description: body.description ?? body.remarks }, scenario), toMinor(body.amount)),
  },
  getTransaction: {
    scope: "payments:read",
    answer: ({ unit, at, params }) => transactionView(countQuery(unit, at, transactionOf(unit, params["transactionId"] ?? "")), at),
  },
  listTransactions: {
    scope: "payments:read",
    answer: ({ unit, at, query: { limit = 20, offset = 0, flow = "standard" } }) => {
      const group = flow === "all" ? {} : { group: flow };
      const page = unit.tables.page("tx", { ...group, limit: Math.min(limit, limitMax), offset });
      return { transactions: page.map((one) => transactionSummary(one, at)), total: unit.tables.count("tx", group.group) };
    },
  },
  b2cStats: {
    scope: "payments:read",
    answer: ({ unit }) => ({ success: true, stats: { totalVolume: toUnits(unit.core().b2cVolume), count: unit.core().b2cCount } }),
  },
  wallet: { scope: "wallet:read", answer: ({ unit }) => localWalletView(unit) },
  providers: { scope: "global:read", answer: () => ({ success: true, providers: servedRails() }) },
  collect: {
    scope: "global:write",
    answer: ({ unit, at, body, scenario, baseUrl }) => {
      const collection = createCollection(unit, at, body, scenario);
      const reply = { success: true, collection: globalRecordView(collection) };
      if (collection.flow === "PUSH") return { ...reply, message: "A prompt was sent to the payer's phone." };
      const authorizationUrl = `${baseUrl}/checkout/${collection.id}?token=${checkoutToken(unit.core().seed, collection.id)}`;
      return { ...reply, message: "Send the payer to authorizationUrl.", authorizationUrl };
    },
  },
  withdraw: {
    scope: "global:write",
    answer: ({ unit, at, body, scenario }) => ({
      success: true,
      message: "Withdrawal accepted for processing.",
      disbursement: globalRecordView(createDisbursement(unit, at, body, scenario)),
    }),
  },
  globalWallet: { scope: "global:read", answer: ({ unit }) => globalWalletView(unit) },
  fxRates: {
    scope: "global:read",
    answer: ({ at, query }) => {
      const base = (query.base ?? "USD").toUpperCase();
      const rates = ratesFrom(base);
      if (rates === undefined) throw invalid("base", "base is not a supported currency.");
      const fetchedAt = isoOf(Math.floor(at.nowMs / hourMs) * hourMs);
      return { success: true, rates: { base, rates, supportedCurrencies: Object.keys(rates), fetchedAt } };
    },
  },
};

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
