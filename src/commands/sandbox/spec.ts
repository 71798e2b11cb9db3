import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";

export const sandboxSpec = {
  path: ["sandbox"],
  summary: "Run a copy of the service on this machine, with a dashboard and a phone",
  details:
    "Runs until you press Ctrl-C, and keeps its data. Prints the base URL, the key and the webhook secret, then one line for each request and callback. Stores them in the profile `sandbox`. Other commands use it with --sandbox.",
  flags: {
    port: { type: "string", summary: "Port to listen on (default 4010); 0 picks a free port", placeholder: "N", parse: wholeNumber(0, 65_535), default: 4010 },
    host: { type: "string", summary: "Address to listen on (default 127.0.0.1)", placeholder: "HOST", default: "127.0.0.1" },
    data: { type: "string", summary: "Folder for its data", placeholder: "DIR", completes: "file" },
    open: { type: "boolean", summary: "Open the dashboard in the browser, on a terminal" },
    ephemeral: { type: "boolean", summary: "Start empty, and delete everything at the end" },
    seed: {
      type: "string",
      summary: "With new data: give the same ids and the same random results each time",
      placeholder: "N",
      parse: wholeNumber(0, 4_294_967_295),
    },
  },
  examples: [
    { line: "payments-cli sandbox --open", says: "Start it and open its dashboard", tested: false, why: "runs until it is stopped" },
    {
      line: "payments-cli sandbox --port 0 --ephemeral --json",
      says: "For tests: a free port, nothing kept, one JSON line with the address and key",
      tested: false,
      why: "runs until it is stopped",
    },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;
