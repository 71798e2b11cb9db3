import type { CommandSpec } from "../../command.ts";
import { creatingFlags } from "../creating-flags.ts";

export const apiSpec = {
  path: ["api"],
  summary: "Call any endpoint with the profile's key",
  details:
    "METHOD is GET, POST, PUT, PATCH, DELETE or HEAD; PATH starts with one / and is joined to the base URL. -f keeps strings as they are, -F takes JSON. " +
    "With GET they become the query, else the JSON body. A POST that creates a payment passes the same checks, guard and question as its own command.",
  arguments: [
    { name: "METHOD", summary: "GET, POST, PUT, PATCH, DELETE or HEAD", required: true },
    { name: "PATH", summary: "Path below the base URL, like /api/v1/merchants/payments/wallet", required: true },
  ],
  flags: {
    "raw-field": { type: "strings", short: "f", summary: "A field whose value stays a string: key=text", placeholder: "KEY=TEXT" },
    field: { type: "strings", short: "F", summary: "A field whose value is JSON: key:=json", placeholder: "KEY:=JSON" },
    input: { type: "string", summary: "The JSON body from a file, or - for standard input", placeholder: "FILE", completes: "file" },
    include: { type: "boolean", short: "i", summary: "Print status and headers before the body" },
    ...creatingFlags,
    "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" },
  },
  examples: [
    { line: "payments-cli api GET /api/v1/merchants/payments/wallet", says: "Read an endpoint as it is" },
    { line: "payments-cli api GET /api/v1/merchants/payments/transactions -f limit=5 -f flow=all", says: "With a query" },
    {
      line: "payments-cli api POST /api/v1/merchants/payments/stk-push -f phone=254712345678 -f reference=007 -F amount:=150",
      says: "Create a payment; strings stay strings",
    },
    { line: "payments-cli api GET /api/v1/global/fx/rates -i", says: "See the answer's headers too" },
  ],
  exitCodes: [3, 4, 5, 6, 9, 10, 11, 14, 130],
} as const satisfies CommandSpec;
