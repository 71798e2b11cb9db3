import { accountWords } from "../command.ts";
import { CliError, dontPayAgain, tryAgain } from "../errors.ts";
import type { Outcome } from "../outcome.ts";
import type { Context, GlobalFlags } from "../ports.ts";
import { commandLine, shellOf } from "../shell.ts";
import { createContext } from "./context.ts";
import { type Host, isReaderGone } from "./host.ts";
import { type Reporting, reportError } from "./report-error.ts";

/** A command line that is ready to run: what was typed, read. */
type Ready = { readonly words: readonly string[]; readonly flags: GlobalFlags; readonly run: (context: Context) => Promise<Outcome> };

/** Runs a command and writes what it found. Resolves with the exit code. */
export const runCommand = async ({ words, flags, run }: Ready, reporting: Reporting): Promise<number> => {
  const { host } = reporting;
  const { context, end, again } = createContext(host, flags);
  const withRemedy = (error: unknown): unknown =>
    error instanceof CliError && error.hint === tryAgain ? error.with({ hint: tryAgain, command: again(words) ?? words }) : forAccount(error, flags);
  let outcome: Outcome | undefined;
  let verdict: CliError | undefined;
  let fault: unknown;
  try {
    outcome = await run(context);
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
    return await reportError(withRemedy(verdict?.with(outcome.made) ?? lost), reporting);
  }
  const error = fault ?? verdict;
  if (error !== undefined && !isReaderGone(error)) return await reportError(withRemedy(error), reporting);
  const typed = again(words);
  if (typed !== undefined) context.note(`Run again with: ${commandLine(typed, shellOf(host.env))}`);
  return 0;
};

/** Commands that name their profile themselves. */
const nameTheirs: readonly (string | undefined)[] = ["login", "profile"];
const accountFlag = /^--(?:sandbox|profile|base-url)(?:=|$)/;

/** The remedy is for the account that the command was for: whoever found the fault need not know it. */
const forAccount = (thrown: unknown, flags: GlobalFlags): unknown => {
  if (!(thrown instanceof CliError) || thrown.command === undefined) return thrown;
  const isNamed = nameTheirs.includes(thrown.command[0]) || thrown.command.some((word) => accountFlag.test(word));
  return isNamed ? thrown : thrown.with({ command: [...thrown.command, ...accountWords(flags)] });
};

/** Writes what a command found. Resolves with the verdict on it; rejects if it could not be written. */
const show = async (found: Outcome, host: Host, context: Pick<Context, "flags" | "terminal" | "note">): Promise<CliError | undefined> => {
  const { flags, terminal } = context;
  const { renderOutcome } = await import("../output/render.ts");
  const outcome = found.made === undefined ? found : { ...found, rows: await withEachField(found.rows, context) };
  let begun = false;
  try {
    // Asking for the zone loads all of Intl, some 30 ms; only tables show local times.
    const zone = flags.utc || flags.output !== "table" ? "UTC" : host.zone;
    const width = host.stdoutIsTerminal ? host.width() : Number.POSITIVE_INFINITY;
    await renderOutcome(outcome, {
      format: flags.output,
      ...(flags.fields === undefined ? {} : { fields: flags.fields }),
      style: { zone, nowMs: host.clock.now(), width, shell: shellOf(host.env) },
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
const withEachField = async (rows: Outcome["rows"], context: Pick<Context, "flags" | "note">): Promise<Outcome["rows"]> => {
  const { fields = [] } = context.flags;
  if (fields.length === 0 || !Array.isArray(rows)) return rows;
  const { nullForMissing } = await import("../output/fields.ts");
  const { missing, filled } = nullForMissing(rows, fields);
  if (missing.length > 0) context.note(`The answer has no field ${missing.join(", ")}.`);
  return filled;
};

/** The result of a payment that exists was not written: an error that said "nothing was sent" would invite to pay again. */
const unwritten = async (thrown: unknown, made: NonNullable<Outcome["made"]>): Promise<CliError> => {
  const { asCliError } = await import("../output/error-text.ts");
  const error = isReaderGone(thrown) ? new CliError("bug", "The result could not be written: nobody reads standard output.") : asCliError(thrown);
  const { journalId } = made;
  const payment = journalId === undefined ? "The payment" : `The payment (journal ${journalId})`;
  return error.with({
    kind: "bug",
    message: `${error.message} ${payment} was accepted all the same. ${dontPayAgain}`,
    ...made,
    sent: "yes",
    hint: "To see what was paid",
    command: journalId === undefined ? ["journal", "list"] : ["journal", "show", journalId],
  });
};
