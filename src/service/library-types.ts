/**
 * The service's fields for other programs, as plain types: they are published, and must need no other package.
 * A test holds them to `contract/schemas.ts`. Replies are open: fields that are not named here come along too.
 */
export type Open = { readonly [field: string]: unknown };

/** Amounts are in major units (shillings, dollars); a decimal string keeps every digit. */
export type AmountInput = number | string;

export type StkPushInput = {
  /** The customer's phone in any usual Kenyan spelling; sent as `2547…` digits. */
  readonly phone: string;
  /** Whole shillings. */
  readonly amount: AmountInput;
  readonly reference: string;
  readonly channelId?: string | undefined;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | undefined;
};
export type B2cInput = {
  readonly phone: string;
  /** 10 to 150000 KES. */
  readonly amount: AmountInput;
  readonly reference: string;
  /** An alias of description: give one of them. */
  readonly remarks?: string | undefined;
  readonly description?: string | undefined;
  readonly commandId?: "SalaryPayment" | "BusinessPayment" | "PromotionPayment" | undefined;
  readonly callbackUrl?: string | undefined;
};
export type CollectInput = {
  /** A rail's code from `providers`. */
  readonly rail: string;
  /** PUSH rails: the payer's phone, local-style digits. */
  readonly msisdn?: string | undefined;
  /** REDIRECT rails. */
  readonly customerEmail?: string | undefined;
  /** Within the rail's minAmount and maxAmount. */
  readonly amount: AmountInput;
  readonly currency: string;
  readonly description?: string | undefined;
  readonly callbackReturnUrl?: string | undefined;
};
export type WithdrawInput = {
  readonly rail: string;
  /** One of the rail's disbursementChannels. */
  readonly channel: string;
  readonly operator?: string | undefined;
  readonly payeeMsisdn?: string | undefined;
  readonly bankCode?: string | undefined;
  readonly accountNumber?: string | undefined;
  readonly accountName?: string | undefined;
  readonly amount: AmountInput;
  readonly currency: string;
};
export type ListInput = {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly flow?: "standard" | "b2c" | "all" | undefined;
};

export type StkPushReply = Open & { readonly transactionId: string; readonly status: string };
export type B2cReply = Open & {
  readonly transactionId: string;
  readonly originatorConversationId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly status: string;
  readonly message?: string | undefined;
  /** KES. `total` is amount plus fee. */
  readonly pricingQuote?: (Open & { readonly amount: number; readonly fee: number; readonly total: number }) | undefined;
};
/** `amount` in KES. Which statuses there are is not shown (service 3): anything but a known final one is open. */
export type TransactionSummary = Open & { readonly id: string; readonly reference: string; readonly amount: number; readonly status: string };
export type Transaction = TransactionSummary & {
  readonly provider?: string | undefined;
  readonly providerRef?: string | undefined;
  /** The receipt is the field with "receipt" in its name. */
  readonly metadata?: Open | undefined;
};
export type TransactionPage = Open & { readonly transactions: readonly TransactionSummary[]; readonly total: number };
export type Hold = Open & {
  readonly id: string;
  readonly amount: number;
  readonly reason: string;
  readonly holdType: string;
  readonly reference: string;
  readonly createdAt: string;
};
/** Debits are negative. */
export type LedgerEntry = Open & {
  readonly _id: string;
  readonly type: string;
  readonly amount: number;
  readonly status: string;
  readonly reference: string;
  readonly description: string;
  readonly createdAt: string;
};
export type PayoutStats = Open & { readonly totalVolume: number; readonly count: number };
export type WalletReply = Open & {
  readonly success: boolean;
  readonly wallet: Open & {
    readonly balance: number;
    readonly b2cBalance: number;
    readonly b2cHeldBalance: number;
    readonly b2cAvailableBalance: number;
    readonly b2cOutstandingBalance: number;
    readonly b2cHolds: readonly Hold[];
    readonly currency: string;
  };
  readonly b2cStats: PayoutStats;
  /** The 20 most recent. */
  readonly transactions: readonly LedgerEntry[];
};
export type B2cStatsReply = Open & { readonly success: boolean; readonly stats: PayoutStats };
export type Rail = Open & {
  readonly rail: string;
  readonly displayName: string;
  readonly country: string;
  readonly currencies: readonly string[];
  /** PUSH or REDIRECT. */
  readonly collectionFlow: string;
  readonly minAmount: number;
  readonly maxAmount: number;
  readonly live: boolean;
  readonly capabilities: Open & {
    readonly collect: boolean;
    readonly disburse: boolean;
    readonly categories: readonly string[];
    readonly disbursementChannels: readonly string[];
  };
};
export type ProvidersReply = Open & { readonly success: boolean; readonly providers: readonly Rail[] };
/** `reference` begins GC- or GD-; there is no look-up for it. */
export type GlobalRecord = Open & { readonly reference: string; readonly status: string; readonly amount: number; readonly fee: number };
export type CollectReply = Open & {
  readonly success: boolean;
  readonly message: string;
  readonly collection: GlobalRecord;
  /** REDIRECT rails: where the payer pays. */
  readonly authorizationUrl?: string | undefined;
};
export type WithdrawReply = Open & { readonly success: boolean; readonly message: string; readonly disbursement: GlobalRecord };
export type GlobalWalletReply = Open & {
  readonly success: boolean;
  readonly wallet: Open & {
    readonly currency: string;
    readonly availableBalance: number;
    readonly pendingBalance: number;
    readonly heldBalance: number;
    readonly totalCollected: number;
    readonly totalDisbursed: number;
  };
};
/** For display alone. */
export type FxRatesReply = Open & {
  readonly success: boolean;
  readonly rates: Open & {
    readonly base: string;
    readonly rates: Readonly<Record<string, number>>;
    readonly supportedCurrencies: readonly string[];
    readonly fetchedAt: string;
  };
};
