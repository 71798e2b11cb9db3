import { type Flags, type Typed, usualPatience } from "../command.ts";
import { toFlags } from "../command-input.ts";
import { secondsAsMs, text, toggle, wholeNumber } from "../command-spec.ts";
import { usageError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import type { GlobalFlags } from "../ports.ts";

const parsePaths = (text: string): readonly string[] => {
  const paths = text.split(",").map((path) => path.trim());
  // PowerShell makes spaces of the commas of a list without quotes.
  if (paths.some((path) => /\s/.test(path)))
    throw usageError("--fields takes names with commas between them and no spaces.", 'For example: --fields "id,status"');
  return paths.filter((path) => path !== "");
};

/** Accepted before and after the subcommand (rules.md, Global flags). */
export const globalFlags = {
  output: text("Format of the result", "FORMAT", { short: "o", choices: ["table", "json", "jsonl", "csv"], usual: "table" }),
  json: toggle("The same as --output json"),
  fields: text("Only these fields, such as id,status or a,b.c", "PATHS", { parse: parsePaths }),
  profile: text("Use this profile", "NAME", { completes: "profile" }),
  sandbox: toggle("Use the sandbox on this machine: no account, no network, no real money"),
  "base-url": text("Address of the service", "URL"),
  timeout: text("Longest time for one request (default 30)", "SECONDS", { parse: secondsAsMs(0.001, 86_400), default: usualPatience.timeoutMs }),
  retries: text("How often to try again when the service does not answer (default 3)", "N", { parse: wholeNumber(0, 100), default: usualPatience.retries }),
  yes: toggle("Send money out without asking"),
  "no-input": toggle("Never ask a question"),
  "no-color": toggle("No colours"),
  quiet: toggle("Print no notes and no progress, only results and errors"),
  debug: toggle("Show requests and the causes of errors; keys are masked"),
  utc: toggle("Show the times in tables in UTC"),
  help: toggle("Show help", { short: "h" }),
  version: toggle("Show the version", { short: "v" }),
} as const satisfies Flags;

/** Checks and converts the global flags. Throws CliError usage naming the flag. */
export const parseGlobalFlags = (typed: Typed["flags"]): GlobalFlags => {
  const { json, output, fields, profile, baseUrl, timeout, retries, help: _help, version: _version, ...others } = toFlags(globalFlags, typed);
  if (json && output !== undefined && output !== "json") throw usageError(`--json and --output ${output} contradict each other. Give one of them.`);
  const given = present({ fields: fields?.length === 0 ? undefined : fields, profile, baseUrl });
  return { ...others, ...given, output: json ? "json" : (output ?? "table"), timeoutMs: timeout, retries };
};
