import { command, readCodes } from "../../command-spec.ts";

export const doctorSpec = command("doctor", "Check your setup and connection", {
  details:
    "Checks Node.js, your files and who can read them, the journal, the proxy, the host name, the connection, the certificate, the clock, the API key and its permissions. " +
    "Changes nothing and never shows a secret. The exit code is that of the first problem.",
  examples: [
    ["doctor --sandbox", "Check this machine, with the sandbox as the service"],
    ["doctor --json", "As JSON, for a bug report", "needs a profile"],
  ],
  exitCodes: readCodes,
});
