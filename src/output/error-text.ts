import { CliError, errorCode } from "../errors.ts";
import type { Tone } from "../outcome.ts";
import { commandLine, type Shell } from "../shell.ts";
import { jsonText } from "./json-text.ts";
import { sanitize } from "./sanitize.ts";
import { wrapText } from "./wrap.ts";

const systemSentences: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full",
  EDQUOT: "The disk quota is used up",
  EROFS: "The file system is read-only",
  EACCES: "A file may not be read or written",
  EPERM: "A file may not be read or written",
  EMFILE: "Too many files are open",
};

/** Whatever was thrown, as a CliError. What nobody foresaw is a fault of this program (kind bug, exit 1). */
export const asCliError = (error: unknown): CliError => {
  if (error instanceof CliError) return error;
  if (error instanceof Error && error.name === "AbortError") return new CliError("interrupted", "Interrupted.", { cause: error });
  const code = errorCode(error);
  const sentence = code === undefined ? undefined : systemSentences[code];
  if (sentence !== undefined) {
    const path = error instanceof Error && "path" in error && typeof error.path === "string" ? `: ${error.path}` : "";
    return new CliError("bug", `${sentence} (${code})${path}.`, { cause: error });
  }
  const name = error instanceof Error && error.name !== "Error" ? ` (${error.name})` : "";
  return new CliError("bug", `This is a fault of this program, not of your input${name}.`, {
    cause: error,
    hint: "Run the same again with --debug and report what it shows",
  });
};

/** A hint in one line: the command that is the remedy ends it. */
export const hintText = ({ hint, command }: Pick<CliError, "hint" | "command">, shell?: Shell): string | undefined =>
  command === undefined ? hint : [...(hint === undefined ? [] : [hint]), commandLine(command, shell)].join(": ");

/** The error under --json: exactly one line, keys that are not known are absent; `sandbox` marks an error under --sandbox (rules.md, JSON and CSV). */
export const errorLine = (error: CliError, { sandbox = false, shell }: { readonly sandbox?: boolean; readonly shell?: Shell } = {}): string => {
  const { kind, message, status, code, retryable, sent, idempotencyKey, journalId, command } = error;
  const hint = hintText(error, shell);
  return `${jsonText({ error: { kind, message, status, code, retryable, sent, idempotencyKey, journalId, hint, command, sandbox: sandbox || undefined } })}\n`;
};

type TextOptions = {
  readonly colour: boolean;
  /** Shows stack and causes too, after `mask`. */
  readonly debug: boolean;
  readonly mask: (text: string) => string;
  /** Columns of the terminal; 0 leaves lines whole. */
  readonly width: number;
  readonly shell?: Shell;
};

/** The error for a person: what, the attempt it belongs to, what to do. */
export const errorText = async (error: CliError, { colour, debug, mask, width, shell }: TextOptions): Promise<string> => {
  const { paint } = await import("./paint.ts");
  const labelled = (label: string, tone: Tone, text: string): string =>
    `${paint(label, tone, colour)} ${wrapText(sanitize(text), { width, start: label.length + 1, indent: 2 })}`;
  const { kind, message, lines: list = [], journalId, idempotencyKey, command } = error;
  const listed = list.join("; ");
  const isListed = listed !== "" && message.endsWith(listed);
  // A sentence ends with a point, whoever wrote it.
  const sentence = (isListed ? message.slice(0, -listed.length).trimEnd() : message).replace(/[\p{L}\p{N})"']$/u, "$&.");
  // Who cancels makes no error.
  const lines = [kind === "interrupted" ? wrapText(sanitize(sentence), { width }) : labelled("error:", "bad", sentence)];
  if (isListed) lines.push(...list.map((one) => `  ${wrapText(sanitize(one), { width, start: 2, indent: 4 })}`));
  const said = `${message}\n${error.hint ?? ""}`;
  for (const [name, value] of [["journal", journalId] as const, ["idempotency key", idempotencyKey] as const])
    if (value !== undefined && !said.includes(value)) lines.push(`${name}: ${sanitize(value)}`);
  // A capital letter begins it, but for a command to paste.
  const hint = error.hint?.replace(/^(?!payments-cli )[a-z]/, (letter) => letter.toUpperCase());
  if (hint !== undefined) lines.push(labelled("hint:", "strong", command === undefined ? hint : `${hint}:`));
  // Never wrapped: it is to be pasted.
  if (command !== undefined) lines.push(`${hint === undefined ? "hint:" : "     "} ${sanitize(commandLine(command, shell))}`);
  if (debug) lines.push(...causes(error, mask));
  return `${lines.join("\n")}\n`;
};

const causes = (error: CliError, mask: (text: string) => string): readonly string[] => {
  const lines: string[] = [];
  const seen = new Set<unknown>();
  for (let at: unknown = error; at !== undefined && at !== null && !seen.has(at); at = at instanceof Error ? at.cause : undefined) {
    seen.add(at);
    const [head = "", ...frames] = stackLines(at);
    lines.push(seen.size === 1 ? head : `cause: ${head}`, ...frames);
  }
  return lines.map((line) => sanitize(mask(line)));
};

/** The frames are ours, one a line; the message in front of them may quote anybody. */
const stackLines = (thrown: unknown): readonly string[] => {
  if (!(thrown instanceof Error)) return [String(thrown)];
  const { name, message, stack = "" } = thrown;
  const after = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  return [`${name}: ${message}`, ...after.split("\n").filter((line) => line.startsWith("    at "))];
};
