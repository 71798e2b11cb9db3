import { type CompletionTree, codeOf, type FlagNode, type Node } from "./tree.ts";

/** A word of ours in single quotes, for bash, zsh and fish alike. Words hold no backslash at their end. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const caseOf = (variable: string, rows: readonly (readonly [string, string])[]): string =>
  [`  case $${variable} in`, ...rows.map(([pattern, code]) => `    ${pattern}) ${code} ;;`), "  esac"].join("\n");

const flagRows = (path: string | undefined, flags: readonly FlagNode[]): readonly (readonly [string, string])[] =>
  flags.flatMap(({ words, values }) => {
    if (values === undefined) return [];
    const patterns = words.map((word) => (path === undefined ? `*:${word}` : quote(`${path}:${word}`)));
    return [[patterns.join("|"), `code=${quote(codeOf(values))}`] as const];
  });

/** `code` of a flag's value: reads `where` (`path:--flag`); empty for flags that stand alone. Own flags go before global ones. */
export const flagCodes = ({ globalFlags, nodes }: CompletionTree): string =>
  caseOf("where", [...nodes.flatMap(({ path, flags }) => flagRows(path, flags)), ...flagRows(undefined, globalFlags)]);

/** `code` of a positional argument: reads `where` (`path:number`, from 0). */
export const argumentCodes = ({ nodes }: CompletionTree): string =>
  caseOf(
    "where",
    nodes.flatMap(({ path, arguments: values, variadic }) =>
      values.map((value, index) => {
        const last = variadic && index === values.length - 1;
        return [last ? `${quote(`${path}:`)}*` : quote(`${path}:${index}`), `code=${quote(codeOf(value))}`] as const;
      }),
    ),
  );

/** Is `next` (`path word`, or the word alone) a place in the command line? */
export const pathTest = ({ nodes }: CompletionTree): string =>
  caseOf("next", [
    [
      nodes
        .filter(({ path }) => path !== "")
        .map(({ path }) => quote(path))
        .join("|"),
      "here=$next",
    ],
  ]);

/** Sets a list by the place in `here`, each item written by `item`. */
export const listByPlace = (
  tree: CompletionTree,
  item: { readonly children: (node: Node) => string; readonly flags: (flags: readonly FlagNode[]) => string },
  what: "children" | "flags",
): string =>
  caseOf(
    "here",
    tree.nodes
      .filter((node) => (what === "children" ? node.children.length > 0 : node.flags.length > 0))
      .map((node) => [quote(node.path), what === "children" ? item.children(node) : item.flags(node.flags)] as const),
  );
