import { findCommand } from "./cli/find-command.ts";
import { globalFlags, parseGlobalFlags } from "./cli/global-flags.ts";
import { commandHelp, groupHelp } from "./cli/help.ts";
import { type Host, ReaderGone } from "./cli/host.ts";
import { nearest } from "./cli/nearest.ts";
import { registry } from "./cli/registry.ts";
import { refuseSecretFlags, typographicDash } from "./cli/shell-traps.ts";
import type { Entry } from "./command.ts";
import { CliError, exitCodes, usageError } from "./errors.ts";
import type { Outcome } from "./outcome.ts";
import { wrapText } from "./output/wrap.ts";
import type { Context, GlobalFlags } from "./ports.ts";
import { shellOf } from "./shell.ts";

/** Runs one command line. Resolves with the exit code and never rejects (rules.md, Exit codes). */
export const main = async (argv: readonly string[], host: Host): Promise<number> => {
  try {
    return await dispatch(argv, host);
  } catch (error) {
    if (isReaderGone(error)) return 0;
    return await tell(error, { host, json: wantsJson(argv), debug: argv.includes("--debug"), noColor: argv.includes("--no-color") });
  }
};

const dispatch = async (argv: readonly string[], host: Host): Promise<number> => {
  if (argv[0] === "help") return await help(argv.slice(1), host);
  if (argv[0] === "__complete") {
    const { complete } = await import("./cli/complete.ts");
    await host.out(await complete(argv.slice(1), host));
    return 0;
  }
  refuseTraps(argv);
  const found = findCommand(registry, argv);
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (words.includes("--help") || words.includes("-h")) {
    await showHelp(found.kind === "command" ? commandHelp(found.entry.spec, registry) : groupHelp(found.path, registry), host);
    return 0;
  }
  if (found.kind === "command") return await runCommand(found.entry, found.rest, host);
  if (found.rest.includes("--version")) {
    await host.out(`${host.version}\n`);
    return 0;
  }
  if (found.path.length === 0 && found.rest.length === 0) {
    await showHelp(groupHelp([], registry), host);
    return 0;
  }
  const names = registry.filter(({ spec }) => found.path.every((part, index) => spec.path[index] === part)).map(({ spec }) => spec.path.join(" "));
  throw usageError(
    found.path.length === 0 ? "A command is missing." : `payments-cli ${found.path.join(" ")} needs one of its commands: ${names.join(", ")}.`,
    `See: payments-cli ${[...found.path, "--help"].join(" ")}`,
  );
};

/** What must be refused before any word is taken for a command, a flag or a value. */
const refuseTraps = (argv: readonly string[]): void => {
  const names = [...new Set([...Object.keys(globalFlags), ...registry.flatMap(({ spec }) => Object.keys(spec.flags))])];
  refuseSecretFlags(argv, names);
  const dash = typographicDash(argv, (name) => names.includes(name));
  if (dash !== undefined) throw dash;
};

/** Columns of stderr; 0 off a terminal, where lines are left whole. */
const errWidth = (host: Host): number => (host.stderrIsTerminal ? host.width() : 0);

/** Help as wide as the terminal; off one, its own lines. */
const showHelp = async (text: string, host: Host): Promise<void> => {
  await host.out(wrapText(text, { width: host.stdoutIsTerminal ? host.width() : 0 }));
};

const help = async (words: readonly string[], host: Host): Promise<number> => {
  const { helpTopics } = await import("./cli/help-topics.ts");
  const [word = "", ...others] = words;
  const topic = others.length === 0 && Object.hasOwn(helpTopics, word) ? helpTopics[word] : undefined;
  if (topic !== undefined) {
    await showHelp(topic(), host);
    return 0;
  }
  const near = registry.some(({ spec }) => spec.path[0] === word) ? undefined : nearest(word, Object.keys(helpTopics));
  if (near !== undefined) throw usageError(`There is no help on "${word}".`, `Did you mean: payments-cli help ${near}`);
  const found = findCommand(registry, words);
  await showHelp(found.kind === "command" ? commandHelp(found.entry.spec, registry) : groupHelp(found.path, registry), host);
  return 0;
};

const runCommand = async (entry: Entry, words: readonly string[], host: Host): Promise<number> => {
  // commander is not loaded for --help and --version.
  const { checkChoices, parseInput } = await import("./cli/parse.ts");
  const input = parseInput(entry.spec, words);
  if (input.flags["version"] === true) {
    await host.out(`${host.version}\n`);
    return 0;
  }
  checkChoices(entry.spec, input);
  const flags = parseGlobalFlags(input);
  const noColor = input.flags["no-color"] === true;
  if (flags.sandbox && flags.output !== "json")
    host.err(`${wrapText("SANDBOX: the embedded service on this machine; no real money moves.", { width: errWidth(host) })}\n`);
  const report: Report = { host, json: flags.output === "json", debug: flags.debug, noColor, flags };
  const { createContext } = await import("./cli/context.ts");
  const { context, end } = createContext(host, flags, noColor);
  let outcome: Outcome | undefined;
  let verdict: CliError | undefined;
  let fault: unknown;
  try {
    const { run } = await entry.load();
    outcome = await run(input, context);
    verdict = await show(outcome, host, context);
  } catch (error) {
    fault = error;
  }
  try {
    await end();
  } catch (error) {
    fault ??= error;
  }
  if (fault !== undefined && outcome?.made !== undefined) {
    const lost = await unwritten(fault, outcome.made);
    verdict ??= outcome.verdict?.();
    if (verdict !== undefined) context.note(lost.message);
    return await tell(verdict?.with(outcome.made) ?? lost, report);
  }
  const error = fault ?? verdict;
  return error === undefined || isReaderGone(error) ? 0 : await tell(error, report);
};

/** Writes what a command found. Resolves with the verdict on it; rejects if it could not be written. */
const show = async (found: Outcome, host: Host, context: Context): Promise<CliError | undefined> => {
  const { flags, terminal } = context;
  const { renderOutcome } = await import("./output/render.ts");
  const outcome = found.made === undefined ? found : { ...found, rows: await withEachField(found.rows, context) };
  let begun = false;
  try {
    // Asking for the zone loads all of Intl, some 30 ms; only tables show local times.
    await renderOutcome(outcome, {
      format: flags.output,
      ...(flags.fields === undefined ? {} : { fields: flags.fields }),
      style: {
        zone: flags.utc || flags.output !== "table" ? "UTC" : host.zone,
        nowMs: host.clock.now(),
        width: host.stdoutIsTerminal ? host.width() : Number.POSITIVE_INFINITY,
        shell: shellOf(host.env),
      },
      colour: terminal.colour.stdout,
      write: async (chunk) => {
        await host.out(chunk);
        begun = true;
      },
      note: (text) => context.note(text),
    });
  } catch (error) {
    // Who read the beginning of what was paid and then left is gone as quietly as from a list.
    if (!(begun && isReaderGone(error) && found.made !== undefined)) throw error;
  }
  return outcome.verdict?.();
};

/** A payment exists by now: a field that it lacks is null, with a note. An error would say that nothing was created. */
const withEachField = async (rows: Outcome["rows"], context: Context): Promise<Outcome["rows"]> => {
  const { fields = [] } = context.flags;
  if (fields.length === 0 || !Array.isArray(rows)) return rows;
  const { nullForMissing } = await import("./output/fields.ts");
  const { missing, filled } = nullForMissing(rows, fields);
  if (missing.length > 0) context.note(`The answer has no field ${missing.join(", ")}.`);
  return filled;
};

/** The result of a payment that exists was not written: an error that said "nothing was sent" would invite to pay again. */
const unwritten = async (thrown: unknown, made: NonNullable<Outcome["made"]>): Promise<CliError> => {
  const { asCliError } = await import("./output/error-text.ts");
  const error = isReaderGone(thrown) ? new CliError("bug", "The result could not be written: nobody reads standard output.") : asCliError(thrown);
  const { journalId } = made;
  const payment = journalId === undefined ? "The payment" : `The payment (journal ${journalId})`;
  return error.with({
    kind: "bug",
    message: `${error.message} ${payment} was accepted all the same: do not send it anew.`,
    ...made,
    sent: "yes",
    hint: "see what was paid with",
    command: journalId === undefined ? ["journal", "list"] : ["journal", "show", journalId],
  });
};

type Report = { readonly host: Host; readonly json: boolean; readonly debug: boolean; readonly noColor: boolean; readonly flags?: GlobalFlags };

/** Says what went wrong and gives the exit code. */
const tell = async (thrown: unknown, { host, json, debug, noColor, flags }: Report): Promise<number> => {
  const { asCliError, errorLine, errorText } = await import("./output/error-text.ts");
  const error = asCliError(thrown);
  const { terminalOf } = await import("./cli/context.ts");
  const colour = terminalOf(host, flags ?? parseGlobalFlags({ flags: {}, args: [], words: [] }), noColor).colour.stderr;
  const shell = error.command === undefined ? {} : { shell: shellOf(host.env) };
  const text = json
    ? errorLine(error, { sandbox: flags?.sandbox === true, ...shell })
    : await errorText(error, { colour, debug, ...(debug ? { mask: await debugMask(host.env) } : {}), width: errWidth(host), ...shell });
  host.err(text);
  return exitCodes[error.kind];
};

/** For stacks and causes: a client's errors have no key by now, but others may. */
const debugMask = async (env: Host["env"]): Promise<(text: string) => string> => {
  const { createMask, maskPhones } = await import("./service/mask.ts");
  const mask = createMask([env["PAYMENTS_API_KEY"] ?? "", env["PAYMENTS_WEBHOOK_SECRET"] ?? ""]);
  return (text) => maskPhones(mask(text));
};

/** `--json` as it stands on a line that could not be parsed. */
const wantsJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, index) =>
      word === "--json" || word === "--output=json" || word === "-ojson" || (word === "json" && ["-o", "--output"].includes(argv[index - 1] ?? "")),
  );

const isReaderGone = (error: unknown): boolean => error instanceof ReaderGone;
