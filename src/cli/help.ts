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
  const placeholder = flag.placeholder ?? "VALUE";
  const value = flag.type === "boolean" ? "" : flag.type === "optional-string" ? ` [${placeholder}]` : ` ${placeholder}`;
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
  const lines = [`${spec.summary}.`, "", "Usage", `  ${[name, path, ...words, "[flags]"].join(" ")}`];
  if (spec.details !== undefined) lines.push("", spec.details);
  if (spec.arguments !== undefined && spec.arguments.length > 0)
    lines.push("", "Arguments", ...pad(spec.arguments.map((argument) => [argument.name, argument.summary])));
  if (below.length > 0) lines.push("", "Subcommands", ...pad(below.map((entry) => [entry.spec.path.join(" "), entry.spec.summary])));
  if (Object.keys(spec.flags).length > 0) lines.push("", "Flags", ...pad(visible(spec.flags)));
  lines.push("", `Global flags, such as --json, --profile and --sandbox: ${name} help flags`);
  if (spec.examples.length > 0) lines.push("", "Examples", ...spec.examples.flatMap((example) => [`  # ${example.says}`, `  $ ${example.line}`]));
  lines.push("", `Exit codes: ${[...new Set([0, 1, 2, ...spec.exitCodes])].sort((a, b) => a - b).join(", ")}. See: ${name} help exit-codes`, "");
  return lines.join("\n");
};

const groupHelp = (path: readonly string[], registry: readonly Entry[]): string => {
  const under = entriesBelow(path, registry);
  if (path.length > 0) {
    return [
      "Usage",
      `  ${name} ${path.join(" ")} COMMAND [flags]`,
      "",
      "Commands",
      ...pad(under.map(({ spec }) => [spec.path.join(" "), spec.summary])),
      "",
      `See: ${name} ${path.join(" ")} COMMAND --help`,
      "",
    ].join("\n");
  }
  const shown = [...new Set(under.map(({ group }) => group))].flatMap((title) => {
    const pairs = under.flatMap(({ group, spec }) => (group === title ? [[spec.path.join(" "), spec.summary] as const] : []));
    return [title, ...pad(pairs), ""];
  });
  return [
    "The command line for a merchant's money: collect, pay out, reconcile, and never pay twice.",
    "",
    "Usage",
    `  ${name} COMMAND [flags]`,
    "",
    ...shown,
    "Global flags",
    ...pad(visible(globalFlags)),
    "",
    "Try it with no account and no network",
    `  $ ${name} demo`,
    `  $ ${name} stk --phone 0712345678 --amount 150 --reference INV-1 --wait --sandbox`,
    "",
    `See: ${name} COMMAND --help, ${name} help flags, ${name} help exit-codes, ${name} help environment`,
    "",
  ].join("\n");
};

/** Help for a command, a noun or, without words, the program; undefined if there is no such command. */
export const helpOf = (path: readonly string[], registry: readonly Entry[]): string | undefined => {
  const own = entryAt(path, registry);
  if (own !== undefined) return commandHelp(own.spec, registry);
  return entriesBelow(path, registry).length === 0 ? undefined : groupHelp(path, registry);
};
