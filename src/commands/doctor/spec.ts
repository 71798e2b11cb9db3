import type { CommandSpec } from "../../command.ts";

export const doctorSpec = {
  path: ["doctor"],
  summary: "Check your setup and connection",
  details:
    "Checks Node.js, your files and who can read them, the journal, the proxy, the host name, the connection, the certificate, the clock, the API key and its permissions. " +
    "Changes nothing and never shows a secret. The exit code is that of the first problem.",
  flags: {},
  examples: [
    { line: "payments-cli doctor --sandbox", says: "Check this machine with the embedded service" },
    { line: "payments-cli doctor --json", says: "As JSON, for a bug report", tested: false, why: "needs a profile" },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;
