import type { Flag } from "../command.ts";
import { type Input, secondsAsMs, textFlag } from "../command.ts";
import { usageError } from "../errors.ts";
import type { GlobalFlags, OutputFormat } from "../ports.ts";

/** Accepted before and after the subcommand (rules.md, Global flags). */
export const globalFlags = {
  output: { type: "string", short: "o", summary: "How the result is written", placeholder: "FORMAT", choices: ["table", "json", "jsonl", "csv"] },
  json: { type: "boolean", summary: "The same as --output json" },
  fields: { type: "string", summary: "Only these fields, as dotted paths: a,b.c", placeholder: "PATHS" },
  profile: { type: "string", summary: "Use this profile", placeholder: "NAME", completes: "profile" },
  sandbox: { type: "boolean", summary: "Use the embedded sandbox: no account, no network, no real money" },
  "base-url": { type: "string", summary: "Address of the service", placeholder: "URL" },
  timeout: { type: "string", summary: "A whole request may take this long (30)", placeholder: "SECONDS" },
  retries: { type: "string", summary: "Tries after the first (3)", placeholder: "N" },
  yes: { type: "boolean", summary: "Answer yes where money out is confirmed" },
  "no-input": { type: "boolean", summary: "Never ask" },
  "no-color": { type: "boolean", summary: "No colours" },
  quiet: { type: "boolean", summary: "No notes and no progress; errors stay" },
  debug: { type: "boolean", summary: "Show requests and causes of errors, keys masked" },
  utc: { type: "boolean", summary: "Times in UTC in tables" },
  help: { type: "boolean", short: "h", summary: "Help for a command" },
  version: { type: "boolean", summary: "The version" },
} as const satisfies Record<string, Flag>;

const whole = (text: string, flag: string, maximum: number): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= maximum)) throw usageError(`--${flag} takes a whole number from 0 to ${maximum}, not "${text}".`);
  return value;
};

const outputOf = (input: Input): OutputFormat => {
  const named = textFlag(input, "output");
  if (input.flags["json"] !== true) return (named ?? "table") as OutputFormat;
  if (named !== undefined && named !== "json") throw usageError(`--json and --output ${named} contradict each other: give one of them.`);
  return "json";
};

const fieldsOf = (text: string | undefined): readonly string[] | undefined => {
  const paths = text?.split(",").map((path) => path.trim());
  // PowerShell makes spaces of the commas of a list without quotes.
  if (paths?.some((path) => /\s/.test(path)) === true)
    throw usageError("--fields takes paths with a comma between them and no spaces, in quotes.", 'As in --fields "id,status"');
  return paths?.filter((path) => path !== "");
};

/** Checks and converts the global flags. Throws CliError usage naming the flag. */
export const parseGlobalFlags = (input: Input): GlobalFlags => {
  const fields = fieldsOf(textFlag(input, "fields"));
  const profile = textFlag(input, "profile");
  const baseUrl = textFlag(input, "base-url");
  return {
    output: outputOf(input),
    ...(fields === undefined || fields.length === 0 ? {} : { fields }),
    ...(profile === undefined ? {} : { profile }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    sandbox: input.flags["sandbox"] === true,
    timeoutMs: secondsAsMs(textFlag(input, "timeout") ?? "30", "timeout", 0.001, 86_400),
    retries: whole(textFlag(input, "retries") ?? "3", "retries", 100),
    yes: input.flags["yes"] === true,
    noInput: input.flags["no-input"] === true,
    quiet: input.flags["quiet"] === true,
    debug: input.flags["debug"] === true,
    utc: input.flags["utc"] === true,
  };
};
