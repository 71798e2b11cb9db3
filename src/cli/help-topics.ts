import type { Entry } from "../command.ts";
import { exitCodes, usageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { helpOf } from "./help.ts";

type Meaning = { readonly code: number; readonly says: string; readonly paid: "no" | "yes" | "perhaps" | "–" };

/** rules.md, Exit codes. `paid` answers for creating commands: may a payment exist? */
const meanings: readonly Meaning[] = [
  { code: 0, says: "Done; an empty list is done.", paid: "yes" },
  { code: 1, says: "A fault of this program.", paid: "perhaps" },
  { code: 2, says: "Bad usage, input, settings file or signature; an attempt that cannot be recorded; --yes missing without a terminal.", paid: "no" },
  { code: 3, says: "No profile or key, the key is refused (401), or a scope is missing (403).", paid: "no" },
  { code: 4, says: "Not found (404).", paid: "no" },
  { code: 5, says: "Payment required (402): top up on the service's dashboard, then run the same command again.", paid: "no" },
  { code: 6, says: "The service refused the request.", paid: "no" },
  { code: 7, says: "With --wait: the payment ended unpaid.", paid: "yes" },
  { code: 8, says: "With --wait: the payment is still open; the last answer is on stdout.", paid: "yes" },
  { code: 9, says: "Outcome unknown: the service may have acted. Do not pay again: payments-cli journal resume settles it.", paid: "perhaps" },
  { code: 10, says: "The service is unreachable, unavailable or unreadable, and nothing was done.", paid: "no" },
  { code: 11, says: "Refused here as a likely duplicate; --allow-duplicate sends it all the same.", paid: "no" },
  { code: 12, says: "tx reconcile --exit-code: differences were found.", paid: "–" },
  { code: 13, says: "b2c batch: not every row was accepted; the result file says which.", paid: "perhaps" },
  { code: 130, says: "Interrupted, or declined at a question; nothing was in flight.", paid: "no" },
];

const kindsOf = (code: number): string =>
  Object.entries(exitCodes)
    .filter(([, of]) => of === code)
    .map(([kind]) => kind)
    .join(", ");

const exitCodesText = (): string => {
  const rows = meanings.map(({ code, says, paid }) => {
    const kinds = kindsOf(code);
    return `  ${String(code).padStart(3)}  ${paid.padEnd(7)}  ${says}${kinds === "" ? "" : `\n${" ".repeat(16)}kind: ${kinds}`}`;
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

const variables: readonly (readonly [string, string])[] = [
  ["PAYMENTS_API_KEY", "The key, in place of a profile's. With PAYMENTS_BASE_URL no profile is needed."],
  ["PAYMENTS_BASE_URL", "Address of the service. A profile's own key is not sent to another address."],
  ["PAYMENTS_PROFILE", "The profile, in place of the current one."],
  ["PAYMENTS_WEBHOOK_SECRET", "Secrets that callbacks are signed with, one a line."],
  ["PAYMENTS_HOME", "One folder for settings, data and cache, in place of the system's own."],
  ["NO_COLOR, FORCE_COLOR", "Colours off, or on where they would be off."],
  ["TERM=dumb", "Nothing is drawn or moved on the terminal."],
  ["ACCESSIBLE", "Set to anything: questions as plain lines, for a screen reader."],
  ["HTTPS_PROXY, NO_PROXY", "The proxy, and the hosts reached without it. This machine is never proxied."],
  ["NODE_EXTRA_CA_CERTS", "File with certificates of your own authority."],
  ["NODE_DISABLE_COMPILE_CACHE", "Set to anything: no compiled code is kept in the cache folder, and starts are slower."],
];

/** The variables that are this program's own. */
export const environmentNames: readonly string[] = variables.map(([name]) => name).filter((name) => name.startsWith("PAYMENTS_"));

const environmentText = (): string =>
  [
    "Where settings come from: flag > environment > profile > default. No .env file is read.",
    "",
    ...variables.map(([name, says]) => `  ${name.padEnd(27)}${says}`),
    "",
    "An explicit --profile goes before PAYMENTS_API_KEY and PAYMENTS_BASE_URL, with a note. --sandbox ignores them all.",
    "NODE_TLS_REJECT_UNAUTHORIZED=0 is refused, but for a service on this machine.",
    "See what is used: payments-cli whoami",
    "",
  ].join("\n");

/** Topics of `payments-cli help TOPIC`. */
export const helpTopics: Readonly<Record<string, () => string>> = { "exit-codes": exitCodesText, environment: environmentText };

/** What `payments-cli help` answers: a topic, a command or the program. Throws CliError usage for other words, which may be a key and are not repeated. */
export const helpOn = (words: readonly string[], registry: readonly Entry[]): string => {
  const [word = ""] = words;
  const topic = words.length === 1 && Object.hasOwn(helpTopics, word) ? helpTopics[word] : undefined;
  const text = topic?.() ?? helpOf(words, registry);
  if (text !== undefined) return text;
  const near = nearest(word, [...Object.keys(helpTopics), ...registry.map(({ spec }) => spec.path[0])]);
  throw usageError("There is no help on that.", near === undefined ? "See: payments-cli --help" : `Did you mean: payments-cli help ${near}`);
};
