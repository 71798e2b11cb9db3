import type { Argument, CommandSpec, Flag } from "../../command.ts";
import { usageError } from "../../errors.ts";

type Effect = "reads" | "keeps" | "proposes" | "collects";
type Offer = {
  readonly path: string;
  readonly effect: Effect;
  /** Schemas of what it prints, by their names in the catalogue: one of them. */
  readonly prints: readonly string[];
  /** The tool's name where it is not the command's. */
  readonly name?: string;
  /** It asks nobody: all that it reads is kept by this program, or given with the call. */
  readonly isLocal?: true;
};

type Hints = Readonly<Record<"readOnlyHint" | "destructiveHint" | "idempotentHint", boolean>>;
/**
 * The protocol's hints (ToolAnnotations): whether it changes nothing, whether it may do more than add, and whether the same call again
 * adds nothing. A proposal only adds. A prompt that was sent cannot be taken back, and takes a fee once it is paid.
 */
const hintsOf: Readonly<Record<Effect, Hints>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  keeps: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  proposes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  collects: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

/**
 * What an assistant is offered. Money out is only ever proposed: `b2c`, `b2c batch`, `global withdraw`, `api` and `journal resume`
 * are not here, and the two that propose always run with --propose.
 */
const offers: readonly Offer[] = [
  { path: "wallet", effect: "reads", prints: ["wallet"] },
  { path: "b2c stats", effect: "reads", prints: ["b2c-stats"] },
  { path: "tx list", effect: "reads", prints: ["tx-list"] },
  { path: "tx get", effect: "reads", prints: ["tx-get"] },
  { path: "tx sync", effect: "keeps", prints: ["tx-sync"] },
  { path: "tx find", effect: "reads", prints: ["tx-find"], isLocal: true },
  { path: "tx explain", effect: "reads", prints: ["tx-explain"] },
  { path: "tx reconcile", effect: "keeps", prints: ["tx-reconcile"] },
  { path: "global providers", effect: "reads", prints: ["global-providers"] },
  { path: "global wallet", effect: "reads", prints: ["global-wallet"] },
  { path: "global fx", effect: "reads", prints: ["global-fx"] },
  { path: "journal list", effect: "reads", prints: ["journal-list"], isLocal: true },
  { path: "journal show", effect: "reads", prints: ["journal-show"], isLocal: true },
  { path: "approval list", effect: "reads", prints: ["approval-list"], isLocal: true },
  { path: "approval show", effect: "reads", prints: ["approval-show"], isLocal: true },
  { path: "webhook verify", effect: "reads", prints: ["webhook-verify"], isLocal: true },
  { path: "b2c", effect: "proposes", prints: ["approval-show"], name: "propose_b2c" },
  { path: "global withdraw", effect: "proposes", prints: ["approval-show"], name: "propose_withdraw" },
  { path: "stk", effect: "collects", prints: ["stk", "tx-get"] },
  { path: "global collect", effect: "collects", prints: ["global-collect"] },
];

/** Flags that no assistant may set: they answer for a person, go around the guard, change files, or give another kind of result. */
const withheld: ReadonlySet<string> = new Set([
  "allow-duplicate",
  "dry-run",
  "forget",
  "idempotency-key",
  "open",
  "passphrase-stdin",
  "propose",
  "report",
  "wait",
  "yes",
]);
/** A push prompt may be waited for: the customer answers it, nobody here. */
const granted: Readonly<Record<string, readonly string[]>> = { stk: ["wait"] };

type JsonSchema = Readonly<Record<string, unknown>>;
export type McpTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly properties: Readonly<Record<string, JsonSchema>>; readonly required: string[] };
  readonly annotations: Hints & { readonly title: string; readonly openWorldHint: boolean };
  /** Names in the catalogue of schemas. */
  readonly prints: readonly string[];
  /** The words after payments-cli for these arguments. Throws CliError usage that names what is wrong. */
  readonly toWords: (given: Readonly<Record<string, unknown>>) => readonly string[];
};

/** The tools, made from the specs of the commands. A command that is missing from `specs` is a fault of this program. */
export const toolsOf = (specs: readonly CommandSpec[], allowCollect: boolean): readonly McpTool[] =>
  offers
    .filter(({ effect }) => effect !== "collects" || allowCollect)
    .map((offer) => {
      const spec = specs.find(({ path }) => path.join(" ") === offer.path);
      if (spec === undefined) throw new Error(`There is no command ${offer.path} to make a tool of.`);
      return toTool(offer, spec);
    });

const toArgumentName = (name: string): string => name.toLowerCase().replaceAll("-", "_");

const toTool = (offer: Offer, spec: CommandSpec): McpTool => {
  const flags = new Map(Object.entries(spec.flags).filter(([name]) => !withheld.has(name) || granted[offer.path]?.includes(name) === true));
  const named = new Map([...flags].map(([name, flag]) => [toArgumentName(name), { name, flag }]));
  const positional = spec.arguments ?? [];
  const proposes = offer.effect === "proposes";
  const properties = Object.fromEntries([
    ...positional.map((argument) => [toArgumentName(argument.name), schemaOfArgument(argument)] as const),
    ...[...named].map(([name, { flag }]) => [name, schemaOfFlag(flag)] as const),
    ...(proposes ? [["note", { type: "string", description: "Why, for the person who decides." }] as const] : []),
  ]);
  const description = [spec.summary, spec.details, proposes ? "Proposes only: nothing is sent until a person approves it." : undefined];
  return {
    name: offer.name ?? spec.path.join("_").replaceAll("-", "_"),
    title: spec.summary,
    description: description
      .filter((text) => text !== undefined)
      .join(". ")
      .replaceAll("..", "."),
    inputSchema: {
      type: "object",
      properties,
      required: positional.filter(({ required }) => required === true).map(({ name }) => toArgumentName(name)),
      ...{ additionalProperties: false },
    },
    annotations: { title: spec.summary, ...hintsOf[offer.effect], openWorldHint: offer.isLocal !== true },
    prints: offer.prints,
    toWords: (given) => {
      const words: string[] = [...spec.path];
      for (const [key, value] of Object.entries(given)) {
        const found = named.get(key);
        if (found !== undefined) words.push(...flagWords(found.name, found.flag, value));
        else if (proposes && key === "note") words.push(`--propose=${textOfValue(key, value)}`);
        else if (!positional.some(({ name }) => toArgumentName(name) === key))
          throw usageError(`There is no argument "${key}".`, `It takes: ${Object.keys(properties).join(", ")}`);
      }
      if (proposes && given["note"] === undefined) words.push("--propose");
      const rest = positional.flatMap(({ name, variadic }) => {
        const value = given[toArgumentName(name)];
        if (value === undefined) return [];
        return variadic === true && Array.isArray(value) ? value.map((one) => textOfValue(name, one)) : [textOfValue(name, value)];
      });
      return rest.length === 0 ? words : [...words, "--", ...rest];
    },
  };
};

const schemaOfArgument = ({ summary, variadic, choices }: Argument): JsonSchema => {
  const one = { type: "string", ...(choices === undefined ? {} : { enum: [...choices] }) };
  return variadic === true ? { type: "array", items: one, description: `${summary}.` } : { ...one, description: `${summary}.` };
};

/** Assistants write figures as numbers; the command line takes text and checks it. */
const schemaOfFlag = ({ type, summary, choices }: Flag): JsonSchema => {
  const description = `${summary}.`;
  if (type === "boolean") return { type: "boolean", description };
  const one = choices === undefined ? { type: ["string", "number"] } : { type: "string", enum: [...choices] };
  if (type === "strings") return { type: "array", items: one, description };
  return type === "optional-string" ? { type: ["string", "number", "boolean"], description } : { ...one, description };
};

const flagWords = (name: string, { type }: Flag, value: unknown): readonly string[] => {
  if (type === "boolean" || (type === "optional-string" && typeof value === "boolean")) {
    if (typeof value !== "boolean") throw usageError(`The argument "${toArgumentName(name)}" must be true or false.`);
    return value ? [`--${name}`] : [];
  }
  const values = type === "strings" && Array.isArray(value) ? value : [value];
  return values.map((one) => `--${name}=${textOfValue(name, one)}`);
};

/** Each number of so many decimal digits comes through a 64-bit float unchanged. */
const digitsMax = 15;

const textOfValue = (name: string, value: unknown): string => {
  if (typeof value === "string") return value;
  const argument = `The argument "${toArgumentName(name)}"`;
  if (typeof value !== "number") throw usageError(`${argument} must be text.`);
  // A longer one, such as an account number, may have become another number when the message was read.
  if (!Number.isSafeInteger(value) && String(value).replace(/\D/g, "").length > digitsMax)
    throw usageError(`${argument} has more digits than a JSON number keeps.`, "Give it as text, in quotes.");
  return String(value);
};
