import { execFileSync } from "node:child_process";

/** The words of the command that a note offers to run again, as a shell splits them; undefined without such a note. */
export const runAgainIn = (stderr: string): readonly string[] | undefined => {
  const [, line] = /^Run again with:\s+payments-cli (.*)$/m.exec(stderr) ?? [];
  return line === undefined
    ? undefined
    : execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
        .split("\n")
        .slice(0, -1);
};
