import type { Entry, Flag, Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { toCompletionTree } from "./tree.ts";

/** The script of one shell, made from the specs; nothing in it starts Node but a TAB on a stored value. */
export const createRun =
  (registry: readonly Entry[], globalFlags: Readonly<Record<string, Flag>>, topics: readonly string[]): Run =>
  async (input) => {
    const tree = toCompletionTree(registry, globalFlags, topics);
    const script = async (): Promise<string> => {
      switch (input.args[0]) {
        case "bash":
          return (await import("./bash.ts")).toBash(tree);
        case "zsh":
          return (await import("./zsh.ts")).toZsh(tree);
        case "fish":
          return (await import("./fish.ts")).toFish(tree);
        case "powershell":
          return (await import("./powershell.ts")).toPowershell(tree);
        default:
          throw usageError("SHELL is one of bash, zsh, fish, powershell.");
      }
    };
    return { rows: [], raw: await script(), view: { kind: "table", columns: [], empty: "" } };
  };
