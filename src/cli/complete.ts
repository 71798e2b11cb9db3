import { isPrintable } from "../output/sanitize.ts";
import { forBash, readLine } from "./bash-words.ts";
import { type Paths, type Suggestion, suggest } from "./suggest.ts";

/** Nobody picks a longer one from a list. */
const lengthMax = 200;

/** What could not stand on a line of a terminal is left out, and what comes twice. */
const usable = (suggestions: readonly Suggestion[]): readonly Suggestion[] => {
  const seen = new Map(suggestions.map((one) => [one.value, one] as const));
  return [...seen.values()].filter(({ value }) => value !== "" && value.length <= lengthMax && isPrintable(value));
};

const answer = async (argv: readonly string[], paths: Paths): Promise<readonly string[]> => {
  const [shell, ...typed] = argv;
  if (shell === "bash") {
    const [line = "", cur = ""] = typed;
    const read = readLine(line);
    if (read === undefined) return [];
    const found = await suggest(read.words.slice(1), read.current.text, paths);
    return found === "file" ? [":file"] : forBash(usable(found), read.current, cur);
  }
  const last = typed.at(-1) ?? "";
  // PowerShell drops an empty argument, so its current word stands behind an equals sign.
  const current = shell === "powershell" ? last.slice(1) : last;
  const found = await suggest(typed.slice(0, -1), current, paths);
  return found === "file" ? [":file"] : usable(found).map(({ value, summary }) => `${value}\t${summary}`);
};

/**
 * Answers the script of one shell (commands/completion/assets.ts) from files alone, never with a request: `:file` where a file is
 * wanted, else one suggestion a line, for bash ready to be inserted, for the others with its summary behind a tab. A TAB has no
 * place for errors: where nothing can be read, nothing is offered.
 */
export const complete = async (argv: readonly string[], { paths }: { readonly paths: Paths }): Promise<string> => {
  try {
    return (await answer(argv, paths)).map((line) => `${line}\n`).join("");
  } catch {
    return "";
  }
};
