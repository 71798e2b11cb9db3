import * as z from "zod";
import { flows, payoutBounds, payoutKinds } from "./limits.ts";
import type { EndpointName } from "./routes.ts";

/**
 * The fields of every endpoint (service 2 and 4), each with its type, format, range and meaning. Requests are strict, replies
 * loose: a field this program does not know survives. Statuses and types are plain strings, as the document shows examples and
 * no closed sets. `types.ts` infers the types; a single command-line call loads neither.
 */
const kes = (meaning: string) => z.number().describe(`${meaning}, in KES (major units).`);
const units = (meaning: string) => z.number().describe(`${meaning}, in major units of the currency.`);
const text = (meaning: string) => z.string().describe(`${meaning}.`);
const count = (meaning: string) => z.int().min(0).describe(`${meaning}.`);
const flag = (meaning: string) => z.boolean().describe(`${meaning}.`);
const texts = (meaning: string) => z.array(z.string()).describe(`${meaning}.`);
const timestamp = (meaning: string) => z.string().meta({ format: "date-time", description: `${meaning}, ISO 8601.` });
const httpUrl = (meaning: string) => z.url({ protocol: /^https?$/ }).describe(`${meaning}, http or https.`);
const success = flag("True when the request was carried out");
const like = <T extends z.ZodType>(example: z.input<T>, schema: T): T => schema.meta({ ...schema.meta(), examples: [example] });
const currencyCode = (meaning: string) => z.string().meta({ examples: ["KES"], description: `${meaning}, as an ISO 4217 code.` });
const merchantReference = z.string().min(1).describe("The merchant's own reference for the payment.");
const nothing = z.undefined();

export const transactionSummary = z
  .looseObject({
    id: text("Transaction identifier"),
    reference: text("Merchant reference sent at creation"),
    amount: kes("Amount of the payment").min(0),
    status: text("Where the payment stands (service 3); the full set is not shown"),
  })
  .describe("A local transaction as the list shows it (service 2.1).");

export const transaction = transactionSummary
  .extend({
    provider: text("Code of the payment provider").optional(),
    providerRef: text("The provider's own reference").optional(),
    metadata: z.looseObject({}).describe("Provider details; the receipt is the field with 'receipt' in its name.").optional(),
  })
  .describe("One local transaction (service 2.1).");

export const hold = z
  .looseObject({
    id: text("Hold identifier"),
    amount: kes("Amount ring-fenced").min(0),
    reason: text("Why the amount is held"),
    holdType: text("PAYOUT; other values are not shown"),
    reference: text("Merchant reference of the payment that it is held for"),
    createdAt: timestamp("When the hold was placed"),
  })
  .describe("Money held for a payout that is not final (service 2.2).");

export const ledgerEntry = z
  .looseObject({
    _id: text("Entry identifier"),
    type: text("TOPUP, FEE, B2C_TOPUP, B2C_PAYOUT, B2C_FEE or B2C_HOLD"),
    amount: kes("Amount posted; debits are negative"),
    status: text("Status of the entry"),
    reference: text("Merchant reference of the payment"),
    description: text("What the entry is for"),
    createdAt: timestamp("When the entry was posted"),
  })
  .describe("One entry of the local wallet's ledger (service 2.2).");

const payoutStats = z
  .looseObject({ totalVolume: kes("Sum of the payouts"), count: count("Number of payouts") })
  .describe("Payouts so far (service 2.2 and 2.3).");

export const localWallet = z
  .looseObject({
    balance: kes("Service credit that fees are drawn from, negative when fees exceeded it"),
    b2cBalance: kes("Payout float"),
    b2cHeldBalance: kes("Part of the payout float that pending payouts hold").min(0),
    b2cAvailableBalance: kes("Payout float that is available: b2cBalance minus b2cHeldBalance"),
    b2cOutstandingBalance: kes("Amount of the payouts that are outstanding").min(0),
    b2cHolds: z.array(hold).describe("The active holds."),
    currency: currencyCode("Currency of all balances"),
  })
  .describe("The local balances (service 2.2).");

/** With an example each, so that a mock server made from the document offers a rail that can be used. */
export const rail = z
  .looseObject({
    rail: like("KE_MPESA", text("Rail code, used wherever a request needs a rail")),
    displayName: like("M-PESA Kenya", text("Name to show to people")),
    country: like("KE", text("Country code")),
    currencies: like(["KES"], texts("Currencies that the rail supports")),
    collectionFlow: like("PUSH", text("PUSH (a prompt, needs msisdn) or REDIRECT (hosted checkout, needs customerEmail)")),
    minAmount: like(10, units("Smallest amount").min(0)),
    maxAmount: like(250_000, units("Largest amount").min(0)),
    live: like(true, flag("Whether the rail is in service")),
    capabilities: z
      .looseObject({
        collect: like(true, flag("Whether the rail collects")),
        disburse: like(true, flag("Whether the rail pays out")),
        categories: like(["MOBILE_MONEY"], texts("Kinds of account, e.g. MOBILE_MONEY, BANK")),
        disbursementChannels: like(["MOBILE_MONEY"], texts("Channels of withdrawals, e.g. MOBILE_MONEY, BANK")),
      })
      .describe("What the rail can do."),
  })
  .describe("A rail that is enabled for the merchant (service 2.4).");

const globalRecord = (kind: string, prefix: string) =>
  z
    .looseObject({
      reference: text(`The service's reference, which begins with ${prefix}`),
      status: text(`Where the ${kind} stands (service 3); the full set is not shown`),
      amount: units(`Amount of the ${kind}`).min(0),
      fee: units(`Fee of the ${kind}`).min(0),
    })
    .describe(`A ${kind} (service 2.5).`);

export const globalWallet = z
  .looseObject({
    currency: currencyCode("Currency of the wallet"),
    availableBalance: units("Balance that can be withdrawn"),
    pendingBalance: units("Collections that the provider has not confirmed"),
    heldBalance: units("Balance held for withdrawals"),
    totalCollected: units("Sum of all collections"),
    totalDisbursed: units("Sum of all withdrawals"),
  })
  .describe("The Global Wallet (service 2.6).");

export const fxRates = z
  .looseObject({
    base: currencyCode("Base currency"),
    rates: z.record(z.string(), z.number()).describe("Units of each currency for one unit of the base; the base maps to 1."),
    supportedCurrencies: texts("Currencies that have a rate"),
    fetchedAt: timestamp("When the rates were read"),
  })
  .describe("Rates for display alone (service 2.7).");

/** An endpoint that takes nothing. */
const reading = <Reply extends z.ZodType>(reply: Reply) => ({ query: nothing, body: nothing, reply });

export const schemas = {
  stkPush: {
    query: nothing,
    body: z.strictObject({
      phone: text("Customer's number: digits with country-code prefix"),
      amount: kes("Amount to collect; the bounds are not shown"),
      reference: merchantReference,
      channelId: text("Channel to collect over; the default active one when omitted").optional(),
      description: text("What the payment is for").optional(),
      callbackUrl: httpUrl("Where notifications are sent").optional(),
    }),
    reply: z.looseObject({ transactionId: text("Transaction identifier"), status: text("SENT") }),
  },
  b2c: {
    query: nothing,
    body: z.strictObject({
      phone: text("Recipient's number: digits with country-code prefix"),
      amount: kes(`Amount to pay out, ${payoutBounds.min} to ${payoutBounds.max} (service 8)`).min(payoutBounds.min).max(payoutBounds.max),
      reference: merchantReference,
      remarks: text("Alias of description").optional(),
      description: text("Alias of remarks").optional(),
      commandId: z.enum(payoutKinds).describe("Kind of payout.").optional(),
      callbackUrl: httpUrl("Where notifications are sent").optional(),
    }),
    reply: z.looseObject({
      transactionId: text("Transaction identifier"),
      originatorConversationId: text("The carrier's identifier of the request").optional(),
      conversationId: text("The carrier's identifier of the conversation").optional(),
      status: text("QUEUED"),
      message: text("What happens next, in words").optional(),
      pricingQuote: z
        .looseObject({
          amount: kes("Amount of the payout").min(0),
          fee: kes("Carrier cost").min(0),
          total: kes("Amount plus fee").min(0),
        })
        .describe("What the payout takes from the payout float.")
        .optional(),
    }),
  },
  getTransaction: reading(transaction),
  listTransactions: {
    query: z.strictObject({
      limit: z.int().min(1).describe("Transactions on a page. Assumed: 20 when omitted, 100 at most; more is capped.").optional(),
      offset: z.int().min(0).describe("Transactions to skip, newest first. Assumed: 0 when omitted.").optional(),
      flow: z.enum(flows).describe("Payments (standard, the default), payouts (b2c) or both (all).").optional(),
    }),
    body: nothing,
    reply: z.looseObject({
      transactions: z.array(transactionSummary).describe("The page, newest first."),
      total: count("Number of transactions in the flow"),
    }),
  },
  b2cStats: reading(z.looseObject({ success, stats: payoutStats })),
  wallet: reading(
    z.looseObject({
      success,
      wallet: localWallet,
      b2cStats: payoutStats,
      transactions: z.array(ledgerEntry).describe("The 20 most recent ledger entries."),
    }),
  ),
  providers: reading(z.looseObject({ success, providers: z.array(rail).describe("The rails that are enabled for the merchant.") })),
  collect: {
    query: nothing,
    body: z.strictObject({
      rail: text("Rail code from providers"),
      msisdn: text("PUSH: the payer's phone, local-style digits").optional(),
      customerEmail: z.email().describe("REDIRECT: the payer's address, sent instead of msisdn.").optional(),
      amount: units("Amount to collect, within the rail's minAmount and maxAmount"),
      currency: currencyCode("One of the rail's currencies"),
      description: text("What the payment is for (shown for PUSH)").optional(),
      callbackReturnUrl: httpUrl("REDIRECT: where the payer returns to").optional(),
    }),
    reply: z.looseObject({
      success,
      message: text("What happens next, in words"),
      collection: globalRecord("collection", "GC-"),
      authorizationUrl: z.string().meta({ format: "uri", description: "REDIRECT: where the payer pays by card or bank." }).optional(),
    }),
  },
  withdraw: {
    query: nothing,
    body: z.strictObject({
      rail: text("Rail code from providers; its capabilities have disburse true"),
      channel: text("One of the rail's disbursementChannels: MOBILE_MONEY or BANK"),
      operator: text("MOBILE_MONEY: name of the operator").optional(),
      payeeMsisdn: text("MOBILE_MONEY: the payee's phone, local-style digits").optional(),
      bankCode: text("BANK: code of the bank").optional(),
      accountNumber: text("BANK: number of the account").optional(),
      accountName: text("BANK: name of the account's holder").optional(),
      amount: units("Amount to withdraw, within the rail's minAmount and maxAmount"),
      currency: currencyCode("One of the rail's currencies"),
    }),
    reply: z.looseObject({ success, message: text("What happens next, in words"), disbursement: globalRecord("disbursement", "GD-") }),
  },
  globalWallet: reading(z.looseObject({ success, wallet: globalWallet })),
  fxRates: {
    query: z.strictObject({ base: currencyCode("Base currency. Assumed: USD when omitted").optional() }),
    body: nothing,
    reply: z.looseObject({ success, rates: fxRates }),
  },
} as const satisfies Record<EndpointName, { readonly query: z.ZodType; readonly body: z.ZodType; readonly reply: z.ZodType }>;
