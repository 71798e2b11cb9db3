import type { Run } from "../../command.ts";
import { readAssets } from "./assets.ts";
import type { completionSpec } from "./spec.ts";

const endings = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "ps1" } as const;

export const run: Run<typeof completionSpec> = async ({ args }) => {
  return { rows: [], raw: readAssets()[`payments-cli.${endings[args.shell]}`] ?? "", view: { kind: "table", columns: [], empty: "" } };
};
