import type { CommandSpec } from "../../command.ts";
import { creatingCodes, creatingFlags, payingCodes, proposeFlags } from "../creating-flags.ts";

const readCodes: readonly number[] = [3, 6, 10, 130];

export const globalProvidersSpec = {
  path: ["global", "providers"],
  summary: "Rails enabled for the merchant",
  flags: {
    country: { type: "string", summary: "Only those of this country", placeholder: "CODE", completes: "country" },
    currency: { type: "string", summary: "Only those with this currency", placeholder: "CODE", completes: "currency" },
    flow: { type: "string", summary: "Only those that collect this way", placeholder: "FLOW" },
    channel: { type: "string", summary: "Only those that pay out by this channel", placeholder: "CHANNEL", completes: "channel" },
  },
  examples: [
    { line: "payments-cli global providers", says: "Every rail with its limits" },
    { line: "payments-cli global providers --country UG -o json", says: "Those of one country, for a script" },
  ],
  exitCodes: readCodes,
} as const satisfies CommandSpec;

const railFlags = {
  rail: { type: "string", summary: "The rail's code, from global providers", placeholder: "RAIL", completes: "rail" },
  amount: { type: "string", summary: "The amount, within the rail's limits", placeholder: "AMOUNT" },
  currency: { type: "string", summary: "One of the rail's currencies", placeholder: "CODE", completes: "currency" },
} as const;

export const globalCollectSpec = {
  path: ["global", "collect"],
  summary: "Collect a payment over a rail",
  details:
    "By a prompt on the payer's phone (PUSH rails, --msisdn) or a hosted checkout (REDIRECT rails, --email), whichever the rail has. Reads the rails first and checks everything against them. On a terminal, what is missing is asked for.",
  flags: {
    ...railFlags,
    msisdn: { type: "string", summary: "PUSH: the payer's phone", placeholder: "PHONE" },
    email: { type: "string", summary: "REDIRECT: the payer's email address", placeholder: "EMAIL" },
    description: { type: "string", summary: "What it is for", placeholder: "TEXT" },
    "return-url": { type: "string", summary: "REDIRECT: where the payer comes back to", placeholder: "URL" },
    open: { type: "boolean", summary: "REDIRECT: open the checkout in the browser" },
    ...creatingFlags,
  },
  examples: [
    { line: "payments-cli global collect --rail UG_MOMO --amount 5000 --currency UGX --msisdn 0772000001", says: "A prompt on a phone in Uganda" },
    { line: "payments-cli global collect --rail KE_CARD --amount 25 --currency USD --email payer@example.com", says: "A checkout by card" },
  ],
  exitCodes: creatingCodes,
} as const satisfies CommandSpec;

export const globalWithdrawSpec = {
  path: ["global", "withdraw"],
  summary: "Withdraw from the Global Wallet",
  details:
    "To mobile money (--operator, --msisdn) or a bank (--bank-code, --account-number, --account-name), whichever channels the rail has. Shows what is about to leave and asks; from a live profile the amount has to be typed. Without a terminal it needs --yes.",
  flags: {
    ...railFlags,
    channel: { type: "string", summary: "MOBILE_MONEY or BANK, as the rail offers", placeholder: "CHANNEL", completes: "channel" },
    operator: { type: "string", summary: "MOBILE_MONEY: the operator's name", placeholder: "NAME" },
    msisdn: { type: "string", summary: "MOBILE_MONEY: the payee's phone", placeholder: "PHONE" },
    "bank-code": { type: "string", summary: "BANK: the bank's code", placeholder: "CODE" },
    "account-number": { type: "string", summary: "BANK: the account", placeholder: "NUMBER" },
    "account-name": { type: "string", summary: "BANK: whose account it is", placeholder: "NAME" },
    "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" },
    ...creatingFlags,
    ...proposeFlags,
  },
  examples: [
    {
      line: "payments-cli global withdraw --rail UG_MOMO --channel MOBILE_MONEY --operator MTN --msisdn 0772000001 --amount 5000 --currency UGX --dry-run",
      says: "See the request, send nothing",
    },
    {
      line: "payments-cli global withdraw --rail KE_BANK --channel BANK --bank-code 01 --account-number 0012345678 --account-name 'Duka Ltd' --amount 5000 --currency KES --yes",
      says: "To a bank account",
      tested: false,
      why: "needs that much in the Global Wallet",
    },
  ],
  exitCodes: payingCodes,
} as const satisfies CommandSpec;

export const globalWalletSpec = {
  path: ["global", "wallet"],
  summary: "Balances of the Global Wallet",
  flags: {},
  examples: [
    { line: "payments-cli global wallet", says: "As a card" },
    { line: "payments-cli global wallet --json --fields availableBalance,currency", says: "For a script" },
  ],
  exitCodes: readCodes,
} as const satisfies CommandSpec;

export const globalFxSpec = {
  path: ["global", "fx"],
  summary: "Exchange rates, for display",
  details: "Rates are for display alone: payments use the provider's settlement rate.",
  flags: {
    base: { type: "string", summary: "The currency that the rates are for", placeholder: "CODE", completes: "currency" },
    convert: { type: "string", summary: "An amount of the base to convert", placeholder: "AMOUNT" },
    to: { type: "string", summary: "The currency to convert to", placeholder: "CODE", completes: "currency" },
  },
  examples: [
    { line: "payments-cli global fx --base KES", says: "What one shilling is worth" },
    { line: "payments-cli global fx --base USD --convert 25 --to KES", says: "25 dollars in shillings" },
  ],
  exitCodes: readCodes,
} as const satisfies CommandSpec;
