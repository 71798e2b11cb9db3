import type { CommandSpec } from "../../command.ts";
import { creatingFlags } from "../creating-flags.ts";

export const apiSpec = {
  path: ["api"],
  summary: "Call any endpoint of the service with your API key",
  details:
    "PATH starts with one / and is added to the base URL. -f gives a field as text, -F as JSON. With GET, the fields become the query, " +
    "otherwise the JSON body. A POST that makes a payment is checked and asks first, like the command for that payment.",
  arguments: [
    { name: "METHOD", summary: "GET, POST, PUT, PATCH, DELETE or HEAD", required: true },
    { name: "PATH", summary: "Path after the base URL, such as /api/v1/merchants/payments/wallet", required: true },
  ],
  flags: {
    "raw-field": { type: "strings", short: "f", summary: "A field with a text value: key=text", placeholder: "KEY=TEXT" },
    field: { type: "strings", short: "F", summary: "A field with a JSON value: key:=json", placeholder: "KEY:=JSON" },
    input: { type: "string", summary: "Read the JSON body from this file; - is standard input", placeholder: "FILE", completes: "file" },
    include: { type: "boolean", short: "i", summary: "Print the status and headers before the body" },
    ...creatingFlags,
    "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" },
  },
  examples: [
    { line: "payments-cli api GET /api/v1/merchants/payments/wallet", says: "Read an endpoint" },
    { line: "payments-cli api GET /api/v1/merchants/payments/transactions -f limit=5 -f flow=all", says: "With a query" },
    {
      line: "payments-cli api POST /api/v1/merchants/payments/stk-push -f phone=254712345678 -f reference=007 -F amount:=150",
      says: "Make a payment; 007 stays text",
    },
    { line: "payments-cli api GET /api/v1/global/fx/rates -i", says: "Also show the headers of the answer" },
  ],
  exitCodes: [3, 4, 5, 6, 9, 10, 11, 14, 130],
} as const satisfies CommandSpec;
