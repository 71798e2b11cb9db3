import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Run } from "../../command.ts";
import { CliError } from "../../errors.ts";
import { fieldOf, type Json, parseExact, textOf } from "../../json/exact-json.ts";
import type { Cell, Outcome } from "../../outcome.ts";
import type { Context, Program } from "../../ports.ts";
import type { demoSpec } from "./spec.ts";
import { type RunLine, type Step, steps } from "./steps.ts";

type Needs = Pick<Context, "note" | "signal" | "program">;

const next = [
  "",
  "That was play money, and its folder is deleted again. What to type next:",
  "  payments-cli sandbox                             the same service on a port, with a dashboard and a phone",
  "  payments-cli stk --sandbox                       ask a customer to pay; the command asks for the details",
  "  payments-cli login                               store your own key",
  "  payments-cli --help                              everything else",
];

/** A tour of these steps on a throw-away sandbox, one line each as it ends; the first failure decides the exit code. */
export const tourOf =
  (script: readonly Step[]): Run<typeof demoSpec, Needs> =>
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

export const run: Run<typeof demoSpec, Needs> = tourOf(steps);

const lineOf = (row: Json): Cell => {
  const ok = fieldOf(row, "ok") === true;
  return { text: `${ok ? "✓" : "✗"} ${textOf(fieldOf(row, "name")) ?? ""}: ${textOf(fieldOf(row, "detail")) ?? ""}`, tone: ok ? "good" : "bad" };
};

/** The tour goes on after a step that failed: what works is still shown, and the exit code tells. */
const tour = async function* (script: readonly Step[], { note, signal, program }: Needs, fail: (error: CliError) => void): AsyncGenerator<readonly Json[]> {
  if (program === undefined) throw new CliError("bug", "There is no program to run commands with.");
  const home = await mkdtemp(join(tmpdir(), "payments-cli-demo-")).catch((error: unknown) => {
    throw new CliError("usage", `A temporary folder cannot be made in ${tmpdir()}.`, { hint: "Set TMPDIR to a folder that can be written", cause: error });
  });
  try {
    const runLine = runnerIn(home, program, signal);
    let firstId: string | undefined;
    let failed = false;
    for (const { name, line, says } of script) {
      if (signal.aborted) throw new CliError("interrupted", "The tour was interrupted.");
      const typed = line.replace(/\bID\b/, firstId ?? "ID");
      note("");
      note(`$ payments-cli ${typed} --sandbox`);
      try {
        const document = await runLine(typed);
        firstId ??= textOf(fieldOf(document, "id"));
        yield [{ name, ok: true, detail: await says(document, runLine) }];
      } catch (error) {
        if (!(error instanceof CliError) || error.kind === "interrupted") throw error;
        failed = true;
        fail(error.with({ message: `The step "${name}" failed: ${error.message}` }));
        yield [{ name, ok: false, detail: error.message }];
      }
    }
    if (!failed) for (const line of next) note(line);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

/** In a home of its own, nothing of the person's settings, journal or keys is read or written. It moves play money alone, so it agrees to everything. */
const runnerIn =
  (home: string, program: Program, signal: AbortSignal): RunLine =>
  async (line) => {
    const argv = [...line.split(" "), "--sandbox", "--json", "--yes", "--no-input"];
    const { code, stdout, stderr } = await program.run(argv, { signal, home, onProgress: () => undefined });
    if (code === 0) return parseExact(stdout);
    const { kind, message, hint, status, code: serviceCode } = JSON.parse(stderr).error;
    throw new CliError(kind, message, { hint, status, code: serviceCode });
  };
