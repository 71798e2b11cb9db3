import type { Flags, Typed } from "../command.ts";
import { toFlags } from "../command-input.ts";
import { usageError } from "../errors.ts";
import { secondsAsMs, wholeNumber } from "../flag-values.ts";
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
  output: { type: "string", short: "o", summary: "Format of the result", placeholder: "FORMAT", choices: ["table", "json", "jsonl", "csv"] },
  json: { type: "boolean", summary: "The same as --output json" },
  fields: { type: "string", summary: "Only these fields, such as id,status or a,b.c", placeholder: "PATHS", parse: parsePaths },
  profile: { type: "string", summary: "Use this profile", placeholder: "NAME", completes: "profile" },
  sandbox: { type: "boolean", summary: "Use the embedded sandbox: no account, no network, no real money" },
  "base-url": { type: "string", summary: "Address of the service", placeholder: "URL" },
  timeout: { type: "string", summary: "Longest time for one request (default 30)", placeholder: "SECONDS", parse: secondsAsMs(0.001, 86_400), default: 30_000 },
  retries: {
    type: "string",
    summary: "How often to try again when the service does not answer (default 3)",
    placeholder: "N",
    parse: wholeNumber(0, 100),
    default: 3,
  },
  yes: { type: "boolean", summary: "Send money out without asking" },
  "no-input": { type: "boolean", summary: "Never ask a question" },
  "no-color": { type: "boolean", summary: "No colours" },
  quiet: { type: "boolean", summary: "Print no notes and no progress, only results and errors" },
  debug: { type: "boolean", summary: "Show requests and the causes of errors; keys are masked" },
  utc: { type: "boolean", summary: "Show the times in tables in UTC" },
  help: { type: "boolean", short: "h", summary: "Show help" },
  version: { type: "boolean", short: "v", summary: "Show the version" },
} as const satisfies Flags;

/** Checks and converts the global flags. Throws CliError usage naming the flag. */
export const parseGlobalFlags = (typed: Typed["flags"]): GlobalFlags => {
  const { json, output, fields, profile, baseUrl, timeout, retries, help: _help, version: _version, ...others } = toFlags(globalFlags, typed);
  if (json && output !== undefined && output !== "json") throw usageError(`--json and --output ${output} contradict each other. Give one of them.`);
  return {
    ...others,
    output: json ? "json" : (output ?? "table"),
    ...(fields === undefined || fields.length === 0 ? {} : { fields }),
    ...(profile === undefined ? {} : { profile }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    timeoutMs: timeout,
    retries,
  };
};
