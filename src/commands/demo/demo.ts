import type { Run } from "../../command.ts";
import { CliError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Cell, Outcome } from "../../outcome.ts";
import type { Context } from "../../ports.ts";
import type { demoSpec } from "./spec.ts";
import { type Found, findForeignRail, type Step, steps } from "./steps.ts";
import { openThrowAway } from "./throw-away.ts";

const next = [
  "",
  "That was play money in a folder that is gone. What to type next:",
  "  payments-cli sandbox                             the same service on a port, with a dashboard and a phone",
  "  payments-cli stk --sandbox                       ask a customer to pay: what is missing is asked for",
  "  payments-cli login                               store your own key",
  "  payments-cli --help                              everything else",
];

/** A tour of these steps on a throw-away sandbox, one line each as it ends; the first failure decides the exit code. */
export const tourOf =
  (script: readonly Step[]): Run<typeof demoSpec> =>
  async (_, context): Promise<Outcome> => {
    let failure: CliError | undefined;
    const rows = tour(script, context, (error) => {
      failure ??= error;
    });
    return {
      rows,
      document: (found) => ({ steps: found.map((row) => ({ name: fieldOf(row, "name") ?? null, ok: fieldOf(row, "ok") ?? false })) }),
      columns: ["name", "ok", "detail"],
      view: { kind: "lines", line: lineOf },
      verdict: () => failure,
    };
  };

/** `demo`: the main jobs, by the very commands a person would type. */
export const run: Run<typeof demoSpec> = tourOf(steps);

const lineOf = (row: Json): Cell => {
  const ok = fieldOf(row, "ok") === true;
  return { text: `${ok ? "✓" : "✗"} ${textOf(fieldOf(row, "name")) ?? ""}: ${textOf(fieldOf(row, "detail")) ?? ""}`, tone: ok ? "good" : "bad" };
};

const tour = async function* (script: readonly Step[], outer: Context, fail: (error: CliError) => void): AsyncGenerator<Json> {
  const throwAway = await openThrowAway(outer);
  try {
    const found: Found = {};
    await findForeignRail(throwAway.context, found);
    let failed = false;
    for (const step of script) {
      if (outer.signal.aborted) throw new CliError("interrupted", "The tour was interrupted.");
      outer.note("");
      outer.note(`$ ${step.command(found)}`);
      const { row, failure } = await take(step, throwAway.context, found);
      if (failure !== undefined) fail(failure);
      failed ||= failure !== undefined;
      yield row;
    }
    if (!failed) for (const line of next) outer.note(line);
  } finally {
    await throwAway.end();
  }
};

/** One step. The tour goes on after one that failed: what works is still shown, and the exit code tells. */
const take = async (step: Step, context: Context, found: Found): Promise<{ readonly row: Json; readonly failure?: CliError }> => {
  try {
    return { row: { name: step.name, ok: true, detail: await step.run(context, found) } };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === "interrupted") throw error;
    const { kind, message, hint, status, code } = error;
    return {
      row: { name: step.name, ok: false, detail: message },
      failure: new CliError(kind, `The step "${step.name}" failed: ${message}`, { hint, status, code }),
    };
  }
};
