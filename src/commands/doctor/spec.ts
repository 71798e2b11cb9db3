import type { CommandSpec } from "../../command.ts";

export const doctorSpec = {
  path: ["doctor"],
  summary: "Find out why it does not work",
  details:
    "Checks the runtime, files and their modes, the journal, proxy, name, connection, certificate, clock, key, and each scope by a harmless read. " +
    "Creates nothing and never shows a secret. Ends with the exit code of the first fault.",
  flags: {},
  examples: [
    { line: "payments-cli doctor --sandbox", says: "Check this machine with the embedded service" },
    { line: "payments-cli doctor --json", says: "For a bug report", tested: false, why: "needs a profile" },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;
