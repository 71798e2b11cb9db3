import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { globalFlags } from "../../../src/cli/global-flags.ts";
import type { CommandSpec, Entry } from "../../../src/command.ts";
import { createRun } from "../../../src/commands/completion/completion.ts";

const entry = (spec: Pick<CommandSpec, "path" | "summary"> & Partial<CommandSpec>): Entry => ({
  spec: { flags: {}, examples: [], exitCodes: [], ...spec },
  load: async () => await Promise.reject(new Error("Completion loads no command.")),
});

/** A small command line with every kind of place and value in it, so that these tests stand still while commands come and go. */
const commands: readonly Entry[] = [
  entry({
    path: ["stk"],
    summary: "Push: the customer's prompt",
    flags: {
      phone: { type: "string", summary: "Phone" },
      wait: { type: "optional-string", summary: "Wait" },
      rail: { type: "string", summary: "Rail", completes: "rail" },
    },
  }),
  entry({ path: ["b2c"], summary: "Payout", flags: { "command-id": { type: "string", summary: "Kind", choices: ["SalaryPayment", "BusinessPayment"] } } }),
  entry({ path: ["b2c", "batch"], summary: "Many payouts", arguments: [{ name: "FILE", summary: "Rows", required: true }] }),
  entry({ path: ["profile", "use"], summary: "Choose", arguments: [{ name: "NAME", summary: "Profile", required: true, completes: "profile" }] }),
  entry({ path: ["whoami"], summary: "Who" }),
];

/** A folder with the shell's script and a `payments-cli` on the PATH that tells its arguments, as the program would get them. */
export const createShellHome = async (
  shell: "bash" | "zsh" | "fish",
): Promise<{ readonly folder: string; readonly script: string; readonly env: Record<string, string> }> => {
  const folder = mkdtempSync(join(tmpdir(), "completion-"));
  const { raw } = await createRun(commands, globalFlags, ["exit-codes"])({ flags: {}, args: [shell], words: [] }, Object.create(null));
  const script = join(folder, `script.${shell}`);
  writeFileSync(script, raw ?? "");
  writeFileSync(join(folder, "values.profile"), 'default\nmy shop\nit\'s $HOME; "x"\n🧾 ネコ\n');
  writeFileSync(join(folder, "values.rail"), "MPESA_KE\nMTN_UG\n");
  writeFileSync(join(folder, "rows of May.csv"), "");
  const program = join(folder, "payments-cli");
  writeFileSync(
    program,
    `#!/bin/sh\nif [ "$1" = __complete ]; then echo "$2" >> '${folder}/asked'; cat '${folder}/values.'"$2"; exit; fi\nprintf 'RUN'; for word in "$@"; do printf '[%s]' "$word"; done; printf 'END\\n'\n`,
  );
  chmodSync(program, 0o755);
  return {
    folder,
    script,
    env: {
      HOME: folder,
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      TERM: "xterm",
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      ZDOTDIR: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
    },
  };
};
