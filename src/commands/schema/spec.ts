import type { CommandSpec } from "../../command.ts";

export const schemaSpec = {
  path: ["schema"],
  summary: "JSON Schema of an output or request, or the service as OpenAPI",
  details: "Without a name, the list of all of them. A key that a schema names stays; more keys may come, so readers should leave room for them.",
  arguments: [{ name: "NAME", summary: "Like tx-list, wallet, stk-request, error, openapi" }],
  flags: {},
  examples: [
    { line: "payments-cli schema", says: "Which there are" },
    { line: "payments-cli schema tx-list", says: "What tx list --json prints" },
    { line: "payments-cli schema openapi", says: "The service as OpenAPI 3.1, for generators and mock servers" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;
