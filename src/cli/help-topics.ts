import type { Entry } from "../command.ts";
import { type ErrorKind, exitCodes, usageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import variables from "./environment.json" with { type: "json" };
import codes from "./exit-codes.json" with { type: "json" };
import { commandsMeant } from "./find-command.ts";
import { globalFlagLines, helpOf } from "./help.ts";

/** rules.md, Exit codes; a code without its meaning does not compile. `paid` answers for creating commands: may a payment exist? */
const meanings: Readonly<Record<0 | (typeof exitCodes)[ErrorKind], { readonly says: string; readonly paid: string }>> = codes;

const exitCodesText = (): string => {
  const rows = Object.entries(meanings).map(([code, { says, paid }]) => {
    const kinds = Object.entries(exitCodes)
      .flatMap(([kind, of]) => (of === Number(code) ? [kind] : []))
      .join(", ");
    return `  ${code.padStart(3)}  ${paid.padEnd(7)}  ${says}${kinds === "" ? "" : `\n${" ".repeat(16)}kind: ${kinds}`}`;
  });
  return [
    "Exit codes: the same for every command, so that a script can decide by them alone.",
    "",
    "  code payment  meaning",
    "       exists?",
    ...rows,
    "",
    'Under --json an error is one line on stderr, {"error":{"kind","message","retryable","sent",…}}; `sent` says whether a payment may exist.',
    "See: payments-cli schema error",
    "",
  ].join("\n");
};

/** The variables that are this program's own. */
export const environmentNames: readonly string[] = Object.keys(variables).filter((name) => name.startsWith("PAYMENTS_"));

const environmentText = (): string =>
  [
    "Settings come from the first of these that has them: flag, environment, profile, default. No .env file is read.",
    "",
    ...Object.entries(variables).map(([name, says]) => `  ${name.padEnd(28)}${says}`),
    "",
    "With --profile, PAYMENTS_API_KEY and PAYMENTS_BASE_URL are not used, and a note says so. --sandbox uses none of these.",
    "NODE_TLS_REJECT_UNAUTHORIZED=0 only works for a service on this machine.",
    "To see which settings are used: payments-cli whoami",
    "",
  ].join("\n");

const flagsText = (): string =>
  [
    "Global flags: every command takes them, before or after its name.",
    "",
    ...globalFlagLines(),
    "",
    "Examples",
    "  # Ids of the payments that wait for the customer, with jq",
    `  $ payments-cli tx list --json | jq -r '.transactions[] | select(.status == "SENT") | .id'`,
    "  # Is the payout float above 10,000? The exit code says it",
    "  $ payments-cli wallet --json | jq -e '.wallet.b2cAvailableBalance > 10000'",
    "  # A list for a spreadsheet",
    "  $ payments-cli tx list --all --flow all -o csv --fields id,reference,amount,status > payments.csv",
    "",
  ].join("\n");

/** Topics of `payments-cli help TOPIC`. */
export const helpTopics: Readonly<Record<string, () => string>> = { flags: flagsText, "exit-codes": exitCodesText, environment: environmentText };

/** What `payments-cli help` answers: a topic, a command or the program. Throws CliError usage for other words, which may be a key and are not repeated. */
export const helpOn = (words: readonly string[], registry: readonly Entry[]): string => {
  const [word = ""] = words;
  const topic = words.length === 1 && Object.hasOwn(helpTopics, word) ? helpTopics[word] : undefined;
  const text = topic?.() ?? helpOf(words, registry);
  if (text !== undefined) return text;
  const topicNear = nearest(word, Object.keys(helpTopics));
  const likely = topicNear === undefined ? commandsMeant(word, registry) : [topicNear];
  const hint = likely.length === 0 ? "See: payments-cli --help" : `Did you mean: ${likely.map((each) => `payments-cli help ${each}`).join(", or ")}`;
  throw usageError("There is no help page with that name.", hint);
};
