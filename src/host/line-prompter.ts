import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { sanitize, sanitizeLines } from "../output/sanitize.ts";
import { wrapText } from "../output/wrap.ts";
import type { Lines, Prompter } from "../ports.ts";
import { dropTypedAhead, endingSignals, interruptedAtQuestion, unheard } from "./typed-ahead.ts";

type Streams = { readonly input: ReadStream; readonly output: NodeJS.WritableStream & { readonly columns?: number } };

/** Questions as plain lines, without one escape sequence: for TERM=dumb and for whoever has the screen read out. */
export const createLinePrompter = (streams: Streams): Prompter => {
  const wrapped = (text: string): string => wrapText(text, { width: streams.output.columns ?? 0 });
  /** The last line of a question, up to where the answer is typed. */
  const asked = (message: Lines, more: string): string => `${wrapped(`${sanitizeLines(message).replace(/:$/, "")}${more}:`)} `;
  const say = (line: string): void => {
    streams.output.write(`${wrapped(line)}\n`);
  };
  const until = async <T>(ask: (isAgain: boolean) => Promise<string>, read: (answer: string) => { readonly value: T } | string): Promise<T> => {
    for (let isAgain = false; ; isAgain = true) {
      const result = read(await ask(isAgain));
      if (typeof result !== "string") return result.value;
      say(sanitize(result));
    }
  };
  return {
    text: async ({ message, initial, check, consent }) => {
      if (consent === true) await dropTypedAhead(streams.input);
      const offered = initial === undefined ? "" : ` [${sanitize(initial)}]`;
      // After a wrong answer the last line is enough.
      const ask = (isAgain: boolean) => readLine(streams, asked(isAgain && typeof message !== "string" ? message.slice(-1) : message, offered));
      return await until(ask, (answer) => {
        const text = answer === "" ? (initial ?? "") : answer;
        return check?.(text) ?? { value: text };
      });
    },
    secret: ({ message, check }) =>
      until(
        async () => {
          const typed = await readLine(streams, asked(message, " (hidden)"), true);
          await dropTypedAhead(streams.input);
          return typed;
        },
        (text) => check?.(text) ?? { value: text },
      ),
    confirm: async ({ message, initial }) => {
      await dropTypedAhead(streams.input);
      return await until(
        () => readLine(streams, asked(message, initial === true ? " [Y/n]" : " [y/N]")),
        (answer) => {
          const word = answer.trim().toLowerCase();
          if (word === "") return { value: initial ?? false };
          if (word === "y" || word === "yes") return { value: true };
          return word === "n" || word === "no" ? { value: false } : "Please answer y or n.";
        },
      );
    },
    choose: ({ message, choices }) => {
      say(`${sanitizeLines(message)}:`);
      for (const [index, { name }] of choices.entries()) say(`  ${index + 1}. ${sanitize(name)}`);
      return until(
        () => readLine(streams, `Number (1 to ${choices.length}): `),
        (answer) => {
          const text = answer.trim().toLowerCase();
          const found = /^\d{1,6}$/.test(text) ? choices[Number(text) - 1] : choices.find((choice) => choice.name.toLowerCase() === text);
          return found === undefined ? `Please type a number from 1 to ${choices.length}.` : { value: found.value };
        },
      );
    },
    unheard: (work) => unheard(streams.input, work),
  };
};

/** One line, edited by the terminal itself; a `hidden` one by Node, which shows nothing of it. Its end, Ctrl-C and signals are interruptions. */
const readLine = ({ input, output }: Streams, prompt: string, hidden = false): Promise<string> =>
  new Promise((resolve, reject) => {
    const echo = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output;
    const lines = createInterface({ input, output: echo, terminal: hidden, historySize: 0 });
    let answered = false;
    const onSignal = (): void => {
      if (!hidden) output.write("\n");
      lines.close();
    };
    for (const name of endingSignals) process.once(name, onSignal);
    lines.once("line", (line) => {
      answered = true;
      resolve(line);
      lines.close();
    });
    lines.once("close", () => {
      for (const name of endingSignals) process.off(name, onSignal);
      input.pause();
      if (hidden) output.write("\n");
      if (!answered) reject(interruptedAtQuestion());
    });
    // Asked only now: whoever answers at once finds the echo off and Ctrl-C watched.
    output.write(prompt);
  });
