// Asks one question, named by the first argument, and prints the answer: what the pty tests talk to.

import { CliError } from "../../../src/errors.ts";
import { createPrompter } from "../../../src/host/prompter.ts";

const [which, mode] = process.argv.slice(2);
const many = Array.from({ length: 30 }, (_, index) => ({ value: { id: index }, name: `RAIL_${index}  ${index === 17 ? "Uganda mobile money" : "other"}` }));
const prompt = createPrompter({
  terminal: { draws: mode !== "plain", colour: { stdout: false, stderr: mode === "colour" } },
  input: process.stdin,
  output: process.stderr,
});

const ask = async (): Promise<unknown> => {
  if (which === "text")
    return await prompt.text({ message: "Amount (10 to 20)", check: (text) => (text === "15" ? undefined : `"${text}" is not from 10 to 20`) });
  if (which === "offered") return await prompt.text({ message: "Reference", initial: "REF-1" });
  if (which === "secret")
    return await prompt.secret({
      message: "API key",
      check: (text) => (text === "no key" ? "That is no key. Paste the whole key again, without spaces or line ends" : undefined),
    });
  if (which === "confirm") return await prompt.confirm({ message: "Send \u001b]0;owned\u0007 it?" });
  if (which === "few") return await prompt.choose({ message: "Flow", choices: many.slice(0, 3) });
  if (which === "two") return [await prompt.text({ message: "First" }), await prompt.text({ message: "Second" })];
  return await prompt.choose({ message: "Rail", choices: many });
};

try {
  process.stdout.write(`answer=${JSON.stringify(await ask())}\n`);
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stdout.write(`kind=${error.kind}\n`);
  process.exitCode = 130;
}
