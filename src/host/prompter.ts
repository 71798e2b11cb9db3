import { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { paint } from "../output/paint.ts";
import { sanitize, sanitizeDrawing, sanitizeLines } from "../output/sanitize.ts";
import { wrapText } from "../output/wrap.ts";
import type { Lines, Prompter, Terminal } from "../ports.ts";
import { createLinePrompter } from "./line-prompter.ts";
import { dropTypedAhead, endingSignals, interruptedAtQuestion, unheard } from "./typed-ahead.ts";

export type PrompterOptions = {
  readonly terminal: Pick<Terminal, "draws" | "colour">;
  readonly input: ReadStream;
  /** stderr: stdout is the result's alone (rules.md, Streams). */
  readonly output: WriteStream;
  /** ACCESSIBLE, as other prompting tools read it, asks for plain lines. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** The library marks every answer with a green tick: beside a no it would say that something was done. */
const neutral = { prefix: { idle: "\u001b[34m?\u001b[39m", done: "\u001b[34m?\u001b[39m" } };
/** A wrong answer is gone: what is typed or pasted after it would make another one of both. */
const clearing = { ...neutral, validationFailureMode: "clear" } as const;
/** More choices than this and typing finds them. */
const listedMax = 7;
const pageSize = 10;
/** How a question about a live account names it: it stands out from the lines around it. */
const realMoney = "REAL MONEY (live)";
/** Columns that the library takes beside a text: its mark, and after a question its yes or no. */
const besides = { mark: 2, answer: 12 };

/** Questions on a terminal that can be drawn on; elsewhere (TERM=dumb, a screen reader) plain lines. */
export const createPrompter = (options: PrompterOptions): Prompter => {
  const plain = !options.terminal.draws || (options.env?.["ACCESSIBLE"] ?? "") !== "";
  return plain ? createLinePrompter(options) : createDrawnPrompter(options);
};

const createDrawnPrompter = (options: PrompterOptions): Prompter => {
  const ask = <T>(question: (context: DrawnContext) => Promise<T>): Promise<T> => guarded(options, question);
  // The library breaks a line in the middle of a word.
  const wrapped = (text: string, taken = besides.mark): string => wrapText(text, { width: options.output.columns - taken, indent: 2 });
  const alarming = (text: string): string => text.replaceAll(realMoney, paint(realMoney, "bad", options.terminal.colour.stderr));
  const asked = (message: Lines, taken = besides.mark): string => alarming(wrapped(sanitizeLines(message), taken));
  const fault = (said: string | undefined): string | true => (said === undefined || said === "" ? true : wrapped(sanitize(said)));
  type Line = { readonly message: Lines; readonly check?: ((text: string) => string | undefined) | undefined; readonly consent?: boolean };
  const readLine = async ({ message, check, consent = false }: Line, more: Readonly<Record<string, unknown>>): Promise<string> => {
    const { input } = await import("@inquirer/prompts");
    if (consent) await dropTypedAhead(options.input);
    return await ask((context) => input({ message: asked(message), validate: (text) => fault(check?.(text)), ...more }, context));
  };
  return {
    text: async ({ message, initial, check, consent }) => {
      const offered = initial === undefined ? undefined : sanitize(initial);
      const meant = (text: string): string => (initial !== undefined && text === offered ? initial : text);
      const more = { ...(consent === true ? { theme: clearing } : {}), ...(offered === undefined ? {} : { default: offered }) };
      return meant(await readLine({ message, check: (text) => check?.(meant(text)), ...(consent === undefined ? {} : { consent }) }, more));
    },
    secret: async (question) => {
      // Nothing shows what is typed here.
      const typed = await readLine(question, { transformer: (text: string) => "*".repeat(text.length), theme: clearing });
      // More lines of a paste would go to the next question, or to the shell.
      await dropTypedAhead(options.input);
      return typed;
    },
    confirm: async ({ message, initial }) => {
      const { confirm } = await import("@inquirer/prompts");
      await dropTypedAhead(options.input);
      return await ask((context) => confirm({ message: asked(message, besides.answer), default: initial ?? false, theme: neutral }, context));
    },
    choose: ({ message, choices }) =>
      ask(async (context) => {
        const { search, select } = await import("@inquirer/prompts");
        // Inquirer compares values by identity; the place in the list is one whatever T is.
        // What stays on the screen is the code, in one line.
        const items = choices.map(({ name }, index) => ({ value: index, name: wrapped(sanitize(name)), short: sanitize(name).split("  ", 1).join() }));
        const at =
          items.length <= listedMax
            ? await select({ message: asked(message), choices: items, pageSize, loop: false }, context)
            : await search(
                { message: `${asked(message)} (${items.length} choices: type to search)`, source: (term) => matching(items, term), pageSize },
                context,
              );
        const chosen = choices[at];
        if (chosen === undefined) throw interruptedAtQuestion();
        return chosen.value;
      }),
    unheard: (work) => unheard(options.input, work),
  };
};

/** Every word typed is somewhere in the name. */
export const matching = <T extends { readonly name: string }>(items: readonly T[], term: string | undefined): readonly T[] => {
  const words = (term ?? "").toLowerCase().split(/\s+/);
  return items.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
};

type DrawnContext = { readonly input: ReadStream; readonly output: NodeJS.WritableStream; readonly signal: AbortSignal };

/** Ctrl-C, Ctrl-D, a closed input and a signal all end the question as interrupted; the library itself would wait for ever on some of them. */
const guarded = async <T>(options: PrompterOptions, question: (context: DrawnContext) => Promise<T>): Promise<T> => {
  const { input } = options;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  // readline pauses its input when it is closed (Ctrl-D): that is only an end where no answer was given by then.
  const onPause = (): void => {
    setImmediate(abort);
  };
  input.once("end", abort).once("close", abort).on("pause", onPause);
  for (const name of endingSignals) process.once(name, abort);
  const drawn = cleaned(options.output, options.terminal.colour.stderr);
  try {
    const answer = await question({ input, output: drawn, signal: controller.signal });
    // The library draws the answered question after it has resolved: what is written next must not stand in the middle of it.
    await new Promise<void>((resolve) => setImmediate(resolve));
    return answer;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "ExitPromptError" || name === "AbortPromptError" || name === "CancelPromptError") throw interruptedAtQuestion(error);
    throw error;
  } finally {
    input.off("end", abort).off("close", abort).off("pause", onPause);
    for (const signal of endingSignals) process.off(signal, abort);
    // A reading stdin would keep the process from ending.
    input.pause();
  }
};

/**
 * What is typed or pasted is echoed by the library, so it is cleaned on its way out. The library colours on its own account on
 * Node 20: under NO_COLOR and --no-color the colours are taken out again.
 */
const cleaned = (output: WriteStream, colour: boolean): NodeJS.WritableStream => {
  const clean = new Writable({
    write: (chunk: Buffer, _, done) => {
      const text = sanitizeDrawing(String(chunk));
      output.write(colour ? text : text.replace(/\u001b\[[\d;]*m/g, ""), () => done());
    },
  });
  const size = (name: "columns" | "rows" | "isTTY"): PropertyDescriptor => ({ get: () => output[name] });
  return Object.defineProperties(clean, { columns: size("columns"), rows: size("rows"), isTTY: size("isTTY") });
};
