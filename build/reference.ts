import { helpTopics } from "../src/cli/help-topics.ts";
import type { Argument, CommandSpec, Entry, Flag } from "../src/command.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

const flagRow = (name: string, { type, short, placeholder, summary, choices }: Flag): string => {
  const value = type === "boolean" ? "" : type === "optional-string" ? ` [${placeholder ?? "VALUE"}]` : ` ${placeholder ?? "VALUE"}`;
  const words = `${short === undefined ? "" : `-${short}, `}--${name}${value}`;
  const often = type === "strings" ? " Can be given several times." : "";
  return `| \`${words}\` | ${cell(summary)}${choices === undefined ? "" : `: ${choices.map((choice) => `\`${choice}\``).join(", ")}`}.${often} |`;
};

const flagTable = (flags: Readonly<Record<string, Flag>>): readonly string[] => {
  const rows = Object.entries(flags);
  return rows.length === 0 ? [] : ["| flag | |", "|---|---|", ...rows.map(([name, flag]) => flagRow(name, flag)), ""];
};

const argumentWord = ({ name, variadic, required }: Argument): string => {
  const word = `${name}${variadic === true ? "…" : ""}`;
  return required === true ? word : `[${word}]`;
};

const section = (spec: CommandSpec): readonly string[] => {
  const name = spec.path.join(" ");
  const codes = [...new Set([0, 1, 2, ...spec.exitCodes])].sort((a, b) => a - b);
  return [
    `## ${name}`,
    "",
    `${spec.summary}.`,
    "",
    ...(spec.details === undefined ? [] : [spec.details, ""]),
    "```",
    ["payments-cli", name, ...(spec.arguments ?? []).map(argumentWord), "[flags]"].join(" "),
    "```",
    "",
    ...(spec.arguments === undefined || spec.arguments.length === 0
      ? []
      : ["| argument | |", "|---|---|", ...spec.arguments.map((argument) => `| \`${argumentWord(argument)}\` | ${cell(argument.summary)}. |`), ""]),
    ...flagTable(spec.flags),
    ...(spec.examples.length === 0 ? [] : ["```sh", ...spec.examples.flatMap(({ line, says }) => [`# ${says}`, line]), "```", ""]),
    `Exit codes: ${codes.join(", ")}.`,
    "",
  ];
};

const topic = (name: string, title: string): readonly string[] => [`## ${title}`, "", "```", (helpTopics[name]?.() ?? "").trimEnd(), "```", ""];

/** The command reference as Markdown, from the same specs as help. `npm run docs` writes it to docs/commands.md; a test says when that was forgotten. */
export const commandReference = (registry: readonly Entry[], globalFlags: Readonly<Record<string, Flag>>): string =>
  [
    "# Commands",
    "",
    "`npm run docs` writes this page from the descriptions in the code. Do not edit it by hand.",
    "",
    ...registry.map(({ spec }) => `- [${spec.path.join(" ")}](#${spec.path.join("-")}): ${cell(spec.summary)}`),
    "",
    "## Flags of every command",
    "",
    "You can write them before or after the command.",
    "",
    ...flagTable(globalFlags),
    ...registry.flatMap(({ spec }) => section(spec)),
    ...topic("exit-codes", "Exit codes"),
    ...topic("environment", "Environment"),
  ].join("\n");
