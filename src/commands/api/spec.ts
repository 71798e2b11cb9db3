import { command, text, texts, toggle } from "../../command-spec.ts";
import { creatingFlags } from "../creating-flags.ts";

export const apiSpec = command("api", "Call any endpoint of the service with your API key", {
  details:
    "PATH starts with one / and is added to the base URL. -f gives a field as text, -F as JSON. With GET, the fields become the query, " +
    "otherwise the JSON body. A POST that makes a payment is checked and asks first, like the command for that payment.",
  arguments: [
    { name: "METHOD", summary: "GET, POST, PUT, PATCH, DELETE or HEAD", required: true },
    { name: "PATH", summary: "Path after the base URL, such as /api/v1/merchants/payments/wallet", required: true },
  ],
  flags: {
    "raw-field": texts("A field with a text value: key=text", "KEY=TEXT", { short: "f" }),
    field: texts("A field with a JSON value: key:=json", "KEY:=JSON", { short: "F" }),
    input: text("Read the JSON body from this file; - is standard input", "FILE", { completes: "file" }),
    include: toggle("Print the status and headers before the body", { short: "i" }),
    ...creatingFlags,
    "passphrase-stdin": toggle("Read the withdrawal key's passphrase from standard input"),
  },
  examples: [
    ["api GET /api/v1/merchants/payments/wallet", "Read an endpoint"],
    ["api GET /api/v1/merchants/payments/transactions -f limit=5 -f flow=all", "With a query"],
    ["api POST /api/v1/merchants/payments/stk-push -f phone=254712345678 -f reference=007 -F amount:=150", "Make a payment; 007 stays text"],
    ["api GET /api/v1/global/fx/rates -i", "Also show the headers of the answer"],
  ],
  exitCodes: [3, 4, 5, 6, 9, 10, 11, 14, 130],
});
