import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";

export const sandboxSpec = {
  path: ["sandbox"],
  summary: "The whole service on this machine, with a dashboard and a phone",
  details:
    "Runs until Ctrl-C and keeps its state. Prints the base URL, key and webhook secret to copy, then one line per request and callback. The profile `sandbox` is written; --sandbox on any other command joins it.",
  flags: {
    port: { type: "string", summary: "Port to listen on (4010); 0 picks a free one", placeholder: "N", parse: wholeNumber(0, 65_535), default: 4010 },
    host: { type: "string", summary: "Address to listen on (127.0.0.1)", placeholder: "HOST", default: "127.0.0.1" },
    data: { type: "string", summary: "Folder that its state is kept in", placeholder: "DIR", completes: "file" },
    ephemeral: { type: "boolean", summary: "Keep nothing: a fresh one that is gone at the end" },
    seed: { type: "string", summary: "Makes ids and chance the same each time, on new data", placeholder: "N", parse: wholeNumber(0, 4_294_967_295) },
  },
  examples: [
    { line: "payments-cli sandbox", says: "Start it, then open its dashboard", tested: false, why: "runs until it is stopped" },
    {
      line: "payments-cli sandbox --port 0 --ephemeral --json",
      says: "For tests: a free port, nothing kept, one line to read",
      tested: false,
      why: "runs until it is stopped",
    },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;
