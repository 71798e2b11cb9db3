import * as z from "zod";
import { payoutBounds, payoutKinds } from "./limits.ts";
import type { RouteId } from "./routes.ts";

/**
 * The fields of every endpoint (service 2 and 4). Requests are strict, replies loose: a field this program does not know
 * survives. Statuses, types and flows are plain strings, as the document shows examples and no closed sets.
 */
const kes = (meaning: string) => z.number().describe(`${meaning}, in KES (major units).`);
const units = (meaning: string) => z.number().describe(`${meaning}, in major units of the currency.`);
const text = (meaning: string) => z.string().describe(meaning);
const timestamp = (meaning: string) => z.string().describe(`${meaning}, ISO 8601.`);
const httpUrl = (meaning: string) => z.url({ protocol: /^https?$/ }).describe(meaning);
const nothing = z.undefined();

export const transactionSummary = z
  .looseObject({
    id: text("Transaction identifier"),
    reference: text("Merchant reference sent at creation"),
    amount: kes("Amount"),
    status: text("Status; see service 3, the full set is not shown"),
  })
  .describe("service 2.1, as the list shows it");

export const transaction = transactionSummary
  .extend({
    provider: text("Code of the payment provider").optional(),
    providerRef: text("The provider's own reference").optional(),
    metadata: z.looseObject({}).describe("Provider details; the receipt is the field with 'receipt' in its name").optional(),
  })
  .describe("service 2.1");

export const hold = z
  .looseObject({
    id: text("Hold identifier"),
    amount: kes("Amount ring-fenced"),
    reason: text("Why"),
    holdType: text("PAYOUT; others are not shown"),
    reference: text("Merchant reference"),
    createdAt: timestamp("When it was made"),
  })
  .describe("service 2.2, hold");

export const ledgerEntry = z
  .looseObject({
    _id: text("Entry identifier"),
    type: text("TOPUP, FEE, B2C_TOPUP, B2C_PAYOUT, B2C_FEE, B2C_HOLD"),
    amount: kes("Amount; debits are negative"),
    status: text("Status"),
    reference: text("Merchant reference"),
    description: text("Description"),
    createdAt: timestamp("When it was posted"),
  })
  .describe("service 2.2, ledger entry");

const payoutStats = z.looseObject({ totalVolume: kes("Volume of payouts"), count: z.number().int().describe("Number of payouts") }).describe("service 2.3");

export const localWallet = z
  .looseObject({
    balance: kes("Service-credit float that fees are drawn from"),
    b2cBalance: kes("Payout float"),
    b2cHeldBalance: kes("Pending payouts, ring-fenced"),
    b2cAvailableBalance: kes("Payout float available: b2cBalance minus b2cHeldBalance"),
    b2cOutstandingBalance: kes("Outstanding payout amount"),
    b2cHolds: z.array(hold),
    currency: text("KES"),
  })
  .describe("service 2.2, wallet");

export const rail = z
  .looseObject({
    rail: text("Rail code"),
    displayName: text("Display name"),
    country: text("Country code"),
    currencies: z.array(z.string()).describe("Supported currencies"),
    collectionFlow: text("PUSH (needs msisdn) or REDIRECT (needs customerEmail)"),
    minAmount: units("Minimum amount"),
    maxAmount: units("Maximum amount"),
    live: z.boolean().describe("Live status"),
    capabilities: z.looseObject({
      collect: z.boolean(),
      disburse: z.boolean(),
      categories: z.array(z.string()).describe("e.g. MOBILE_MONEY, BANK"),
      disbursementChannels: z.array(z.string()).describe("e.g. MOBILE_MONEY, BANK"),
    }),
  })
  .describe("service 2.4");

const globalRecord = (kind: string, prefix: string) =>
  z.looseObject({ reference: text(`Begins ${prefix}`), status: text("Status"), amount: units("Amount"), fee: units("Fee") }).describe(`service 2.5, ${kind}`);

export const globalWallet = z
  .looseObject({
    currency: text("Currency of the wallet"),
    availableBalance: units("Available"),
    pendingBalance: units("Pending"),
    heldBalance: units("Held for withdrawals"),
    totalCollected: units("Collected in all"),
    totalDisbursed: units("Disbursed in all"),
  })
  .describe("service 2.6");

export const fxRates = z
  .looseObject({
    base: text("Base currency"),
    rates: z.record(z.string(), z.number()).describe("Display rates; the base maps to 1"),
    supportedCurrencies: z.array(z.string()),
    fetchedAt: timestamp("When the rates were read"),
  })
  .describe("service 2.7");

export const schemas = {
  stkPush: {
    query: nothing,
    body: z.strictObject({
      phone: text("Customer number: digits with country-code prefix"),
      amount: kes("Amount; bounds are not shown"),
      reference: z.string().min(1).describe("Merchant reference"),
      channelId: text("Channel; the default active one when omitted").optional(),
      description: text("Description").optional(),
      callbackUrl: httpUrl("Where notifications are sent").optional(),
    }),
    reply: z.looseObject({ transactionId: text("Transaction identifier"), status: text("SENT") }),
  },
  b2c: {
    query: nothing,
    body: z.strictObject({
      phone: text("Recipient number"),
      amount: z.number().min(payoutBounds.min).max(payoutBounds.max).describe(`${payoutBounds.min} to ${payoutBounds.max} KES (service 8)`),
      reference: z.string().min(1).describe("Merchant reference"),
      remarks: text("Alias of description").optional(),
      description: text("Alias of remarks").optional(),
      commandId: z.enum(payoutKinds).optional(),
      callbackUrl: httpUrl("Where notifications are sent").optional(),
    }),
    reply: z.looseObject({
      transactionId: text("Transaction identifier"),
      originatorConversationId: text("The carrier's originator conversation id").optional(),
      conversationId: text("The carrier's conversation id").optional(),
      status: text("QUEUED"),
      message: text("Message").optional(),
      pricingQuote: z.looseObject({ amount: kes("Payout"), fee: kes("Carrier cost"), total: kes("Amount plus fee") }).optional(),
    }),
  },
  getTransaction: { query: nothing, body: nothing, reply: transaction },
  listTransactions: {
    query: z.strictObject({ limit: z.string().optional(), offset: z.string().optional(), flow: z.enum(["standard", "b2c", "all"]).optional() }),
    body: nothing,
    reply: z.looseObject({ transactions: z.array(transactionSummary), total: z.number().int() }),
  },
  b2cStats: { query: nothing, body: nothing, reply: z.looseObject({ success: z.boolean(), stats: payoutStats }) },
  wallet: {
    query: nothing,
    body: nothing,
    reply: z.looseObject({
      success: z.boolean(),
      wallet: localWallet,
      b2cStats: payoutStats,
      transactions: z.array(ledgerEntry).describe("The 20 most recent raw ledger entries"),
    }),
  },
  providers: { query: nothing, body: nothing, reply: z.looseObject({ success: z.boolean(), providers: z.array(rail) }) },
  collect: {
    query: nothing,
    body: z.strictObject({
      rail: text("Rail code from providers"),
      msisdn: text("PUSH: payer phone, local-style digits").optional(),
      customerEmail: z.email().describe("REDIRECT: sent instead of msisdn").optional(),
      amount: units("Amount, within the rail's minAmount and maxAmount"),
      currency: text("Currency, one of the rail's"),
      description: text("PUSH (shown)").optional(),
      callbackReturnUrl: httpUrl("REDIRECT (shown): where the payer returns to").optional(),
    }),
    reply: z.looseObject({
      success: z.boolean(),
      message: text("Message"),
      collection: globalRecord("collection", "GC-"),
      authorizationUrl: text("REDIRECT: where the payer pays").optional(),
    }),
  },
  withdraw: {
    query: nothing,
    body: z.strictObject({
      rail: text("Rail code, with disburse true"),
      channel: text("One of the rail's disbursementChannels"),
      operator: text("MOBILE_MONEY: operator name").optional(),
      payeeMsisdn: text("MOBILE_MONEY: payee phone").optional(),
      bankCode: text("BANK").optional(),
      accountNumber: text("BANK").optional(),
      accountName: text("BANK").optional(),
      amount: units("Amount, within the rail's minAmount and maxAmount"),
      currency: text("Currency, one of the rail's"),
    }),
    reply: z.looseObject({ success: z.boolean(), message: text("Message"), disbursement: globalRecord("disbursement", "GD-") }),
  },
  globalWallet: { query: nothing, body: nothing, reply: z.looseObject({ success: z.boolean(), wallet: globalWallet }) },
  fxRates: { query: z.strictObject({ base: z.string().optional() }), body: nothing, reply: z.looseObject({ success: z.boolean(), rates: fxRates }) },
} as const satisfies Record<RouteId, { readonly query: z.ZodType; readonly body: z.ZodType; readonly reply: z.ZodType }>;
