import type { CommandSpec } from "../../command.ts";

export const schemaSpec = {
  path: ["schema"],
  summary: "Print the JSON Schema of an output or request, or the service as OpenAPI",
  details: "Without a name, it lists all schemas. Keys in a schema stay; later versions may add keys, so your program should accept more.",
  arguments: [{ name: "NAME", summary: "Such as tx-list, wallet, stk-request, error or openapi" }],
  flags: {},
  examples: [
    { line: "payments-cli schema", says: "List the schemas" },
    { line: "payments-cli schema tx-list", says: "What tx list --json prints" },
    { line: "payments-cli schema openapi", says: "The service as OpenAPI 3.1, for generators and mock servers" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;
