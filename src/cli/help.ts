import type { CommandSpec, Entry, Flag } from "../command.ts";
import { entriesBelow, entryAt } from "./find-command.ts";
import { globalFlags } from "./global-flags.ts";

const name = "payments-cli";

const pad = (pairs: readonly (readonly [string, string])[]): string[] => {
  const width = Math.min(34, Math.max(...pairs.map(([left]) => left.length)));
  return pairs.map(([left, right]) => (left.length > width ? `  ${left}\n  ${" ".repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`));
};

/** The summary with the choices that it does not name itself, before what counts without the flag. */
const withChoices = ({ summary, choices = [] }: Flag): string => {
  if (choices.every((choice) => summary.includes(choice))) return summary;
  const [, says = summary, usual] = /^(.*) \((default .*)\)$/.exec(summary) ?? [];
  return `${says} (${choices.join(", ")}${usual === undefined ? "" : `; ${usual}`})`;
};

const flagLine = (flagName: string, flag: Flag): readonly [string, string] => {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "boolean" ? "" : flag.type === "optional-string" ? ` [${flag.placeholder}]` : ` ${flag.placeholder}`;
  return [`${short}--${flagName}${value}`, withChoices(flag)];
};

const visible = (flags: Readonly<Record<string, Flag>>): (readonly [string, string])[] =>
  Object.entries(flags).map(([flagName, flag]) => flagLine(flagName, flag));

export const globalFlagLines = (): readonly string[] => pad(visible(globalFlags));

const commandHelp = (spec: CommandSpec, registry: readonly Entry[]): string => {
  const path = spec.path.join(" ");
  const words = (spec.arguments ?? []).map((argument) => {
    const word = argument.variadic ? `${argument.name}…` : argument.name;
    return argument.required ? word : `[${word}]`;
  });
  const below = entriesBelow(spec.path, registry).filter((entry) => entry.spec !== spec);
  return [
    `${spec.summary}.`,
    ...section("Usage", [`  ${[name, path, ...words, "[flags]"].join(" ")}`]),
    ...(spec.details === undefined ? [] : ["", spec.details]),
    ...section("Arguments", pad((spec.arguments ?? []).map((argument) => [argument.name, argument.summary]))),
    ...section("Subcommands", pad(below.map(pathAndSummary))),
    ...section("Flags", pad(visible(spec.flags))),
    ...["", `Global flags, such as --json, --profile and --sandbox: ${name} help flags`],
    ...section(
      "Examples",
      spec.examples.flatMap((example) => [`  # ${example.says}`, `  $ ${example.line}`]),
    ),
    ...["", `Exit codes: ${[...new Set([0, 1, 2, ...spec.exitCodes])].sort((a, b) => a - b).join(", ")}. See: ${name} help exit-codes`, ""],
  ].join("\n");
};

/** A titled part, below an empty line; nothing where it has no lines. */
const section = (title: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ["", title, ...lines]);
const pathAndSummary = ({ spec }: Entry): readonly [string, string] => [spec.path.join(" "), spec.summary];

const groupHelp = (path: readonly string[], registry: readonly Entry[]): string => {
  const under = entriesBelow(path, registry);
  if (path.length > 0) {
    const command = `${name} ${path.join(" ")} COMMAND`;
    return ["Usage", `  ${command} [flags]`, ...section("Commands", pad(under.map(pathAndSummary))), "", `See: ${command} --help`, ""].join("\n");
  }
  const titles = [...new Set(under.map(({ group }) => group))];
  return [
    "The command line for a merchant's money: collect, pay out, reconcile, and never pay twice.",
    ...section("Usage", [`  ${name} COMMAND [flags]`]),
    ...titles.flatMap((title) => section(title, pad(under.filter(({ group }) => group === title).map(pathAndSummary)))),
    ...section("Global flags", pad(visible(globalFlags))),
    ...section("Try it with no account and no network", [
      `  $ ${name} demo`,
      `  $ ${name} stk --phone 0712345678 --amount 150 --reference INV-1 --wait --sandbox`,
    ]),
    ...["", `See: ${name} COMMAND --help, ${name} help flags, ${name} help exit-codes, ${name} help environment`, ""],
  ].join("\n");
};

/** Help for a command, a noun or, without words, the program; undefined if there is no such command. */
export const helpOf = (path: readonly string[], registry: readonly Entry[]): string | undefined => {
  const own = entryAt(path, registry);
  if (own !== undefined) return commandHelp(own.spec, registry);
  return entriesBelow(path, registry).length === 0 ? undefined : groupHelp(path, registry);
};
