import type { CommandSpec } from "../../command.ts";
import { creatingCodes, creatingFlags, payingCodes, proposeFlags } from "../creating-flags.ts";

const readCodes: readonly number[] = [3, 6, 10, 130];

export const globalProvidersSpec = {
  path: ["global", "providers"],
  summary: "List the rails (payment methods) you can use, with their limits",
  flags: {
    country: { type: "string", summary: "Only rails in this country", placeholder: "CODE", completes: "country" },
    currency: { type: "string", summary: "Only rails with this currency", placeholder: "CODE", completes: "currency" },
    flow: { type: "string", summary: "Only rails that collect this way, such as PUSH", placeholder: "FLOW" },
    channel: { type: "string", summary: "Only rails that pay out through this channel, such as BANK", placeholder: "CHANNEL", completes: "channel" },
  },
  examples: [
    { line: "payments-cli global providers", says: "Every rail with its limits" },
    { line: "payments-cli global providers --country UG -o json", says: "The rails in one country, for a script" },
    {
      line: "payments-cli global providers --json | jq -r '.providers[] | select(.live) | .rail'",
      says: "Codes of the rails that are live, with jq",
      tested: false,
      why: "needs jq",
    },
  ],
  exitCodes: readCodes,
} as const satisfies CommandSpec;

const railFlags = {
  rail: { type: "string", summary: "Code of the rail; `global providers` lists them", placeholder: "RAIL", completes: "rail" },
  amount: { type: "string", summary: "Amount, within the rail's limits", placeholder: "AMOUNT" },
  currency: { type: "string", summary: "Currency, one of the rail's", placeholder: "CODE", completes: "currency" },
} as const;

export const globalCollectSpec = {
  path: ["global", "collect"],
  summary: "Collect a payment in any country you have a rail for",
  details:
    "A PUSH rail sends a prompt to the payer's phone (--msisdn). A REDIRECT rail gives you the address of a checkout page (--email). The command reads the rails first and checks everything against them. On a terminal, it asks for what you leave out.",
  flags: {
    ...railFlags,
    msisdn: { type: "string", summary: "PUSH: the payer's phone", placeholder: "PHONE" },
    email: { type: "string", summary: "REDIRECT: the payer's email address", placeholder: "EMAIL" },
    description: { type: "string", summary: "What the payment is for", placeholder: "TEXT" },
    "return-url": { type: "string", summary: "REDIRECT: address that the payer returns to after paying", placeholder: "URL" },
    open: { type: "boolean", summary: "REDIRECT: open the checkout page in your browser" },
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
    "Withdraws to mobile money (--operator, --msisdn) or to a bank (--bank-code, --account-number, --account-name), if the rail has that channel. The command shows the withdrawal and asks before it sends; with a live profile, you type the amount to confirm. In a script, add --yes.",
  flags: {
    ...railFlags,
    channel: { type: "string", summary: "MOBILE_MONEY or BANK, as the rail offers", placeholder: "CHANNEL", completes: "channel" },
    operator: { type: "string", summary: "MOBILE_MONEY: the operator's name", placeholder: "NAME" },
    msisdn: { type: "string", summary: "MOBILE_MONEY: the payee's phone", placeholder: "PHONE" },
    "bank-code": { type: "string", summary: "BANK: the bank's code", placeholder: "CODE" },
    "account-number": { type: "string", summary: "BANK: the account number", placeholder: "NUMBER" },
    "account-name": { type: "string", summary: "BANK: the account holder's name", placeholder: "NAME" },
    "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" },
    ...creatingFlags,
    ...proposeFlags,
  },
  examples: [
    {
      line: "payments-cli global withdraw --rail UG_MOMO --channel MOBILE_MONEY --operator MTN --msisdn 0772000001 --amount 5000 --currency UGX --dry-run",
      says: "See the request and send nothing",
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
    { line: "payments-cli global wallet", says: "Show them" },
    { line: "payments-cli global wallet --json --fields availableBalance,currency", says: "For a script" },
  ],
  exitCodes: readCodes,
} as const satisfies CommandSpec;

export const globalFxSpec = {
  path: ["global", "fx"],
  summary: "Exchange rates, for information",
  details: "These rates are for information only. Payments use the provider's own rate.",
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
