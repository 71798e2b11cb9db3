import { command, readCodes, text, toggle } from "../../command-spec.ts";
import { creatingCodes, creatingFlags, payingCodes, proposeFlags } from "../creating-flags.ts";

export const globalProvidersSpec = command("global providers", "List the rails (payment methods) you can use, with their limits", {
  flags: {
    country: text("Only rails in this country", "CODE", { completes: "country" }),
    currency: text("Only rails with this currency", "CODE", { completes: "currency" }),
    flow: text("Only rails that collect this way, such as PUSH", "FLOW"),
    channel: text("Only rails that pay out through this channel, such as BANK", "CHANNEL", { completes: "channel" }),
  },
  examples: [
    ["global providers", "Every rail with its limits"],
    ["global providers --country UG -o json", "The rails in one country, for a script"],
    ["global providers --json | jq -r '.providers[] | select(.live) | .rail'", "Codes of the rails that are live, with jq", "needs jq"],
  ],
  exitCodes: readCodes,
});

const railFlags = {
  rail: text("Code of the rail; `global providers` lists them", "RAIL", { completes: "rail" }),
  amount: text("Amount, within the rail's limits", "AMOUNT"),
  currency: text("Currency, one of the rail's", "CODE", { completes: "currency" }),
} as const;

export const globalCollectSpec = command("global collect", "Collect a payment in any country you have a rail for", {
  details:
    "A PUSH rail sends a prompt to the payer's phone (--msisdn). A REDIRECT rail gives you the address of a checkout page (--email). The command reads the rails first and checks everything against them. On a terminal, it asks for what you leave out.",
  flags: {
    ...railFlags,
    msisdn: text("PUSH: the payer's phone", "PHONE"),
    email: text("REDIRECT: the payer's email address", "EMAIL"),
    description: text("What the payment is for", "TEXT"),
    "return-url": text("REDIRECT: address that the payer returns to after paying", "URL"),
    open: toggle("REDIRECT: open the checkout page in your browser"),
    ...creatingFlags,
  },
  examples: [
    ["global collect --rail UG_MOMO --amount 5000 --currency UGX --msisdn 0772000001", "A prompt on a phone in Uganda"],
    ["global collect --rail KE_CARD --amount 25 --currency USD --email payer@example.com", "A checkout by card"],
  ],
  exitCodes: creatingCodes,
});

export const globalWithdrawSpec = command("global withdraw", "Withdraw from the Global Wallet", {
  details:
    "Withdraws to mobile money (--operator, --msisdn) or to a bank (--bank-code, --account-number, --account-name), if the rail has that channel. The command shows the withdrawal and asks before it sends; with a live profile, you type the amount to confirm. In a script, add --yes.",
  flags: {
    ...railFlags,
    channel: text("MOBILE_MONEY or BANK, as the rail offers", "CHANNEL", { completes: "channel" }),
    operator: text("MOBILE_MONEY: the operator's name", "NAME"),
    msisdn: text("MOBILE_MONEY: the payee's phone", "PHONE"),
    "bank-code": text("BANK: the bank's code", "CODE"),
    "account-number": text("BANK: the account number", "NUMBER"),
    "account-name": text("BANK: the account holder's name", "NAME"),
    "passphrase-stdin": toggle("Read the withdrawal key's passphrase from standard input"),
    ...creatingFlags,
    ...proposeFlags,
  },
  examples: [
    [
      "global withdraw --rail UG_MOMO --channel MOBILE_MONEY --operator MTN --msisdn 0772000001 --amount 5000 --currency UGX --dry-run",
      "See the request and send nothing",
    ],
    [
      "global withdraw --rail KE_BANK --channel BANK --bank-code 01 --account-number 0012345678 --account-name 'Duka Ltd' --amount 5000 --currency KES --yes",
      "To a bank account",
      "needs that much in the Global Wallet",
    ],
  ],
  exitCodes: payingCodes,
});

export const globalWalletSpec = command("global wallet", "Balances of the Global Wallet", {
  examples: [
    ["global wallet", "Show them"],
    ["global wallet --json --fields availableBalance,currency", "For a script"],
  ],
  exitCodes: readCodes,
});

export const globalFxSpec = command("global fx", "Exchange rates, for information", {
  details: "These rates are for information only. Payments use the provider's own rate.",
  flags: {
    base: text("The currency that the rates are for", "CODE", { completes: "currency" }),
    convert: text("Amount of the base currency to convert", "AMOUNT"),
    to: text("The currency to convert to", "CODE", { completes: "currency" }),
  },
  examples: [
    ["global fx --base KES", "What one shilling is worth"],
    ["global fx --base USD --convert 25 --to KES", "25 dollars in shillings"],
  ],
  exitCodes: readCodes,
});
