import { command } from "../../command-spec.ts";

export const schemaSpec = command("schema", "Print the JSON Schema of an output or request, or the service as OpenAPI", {
  details: "Without a name, it lists all schemas. Keys in a schema stay; later versions may add keys, so your program should accept more.",
  arguments: [{ name: "NAME", summary: "Such as tx-list, wallet, stk-request, error or openapi" }],
  examples: [
    ["schema", "List the schemas"],
    ["schema tx-list", "What tx list --json prints"],
    ["schema openapi", "The service as OpenAPI 3.1, for generators and mock servers"],
  ],
});
