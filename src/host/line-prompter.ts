import { createInterface } from "node:readline";
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
  const until = async <T>(ask: () => Promise<string>, read: (answer: string) => { readonly value: T } | string): Promise<T> => {
    for (;;) {
      const result = read(await ask());
      if (typeof result !== "string") return result.value;
      say(sanitize(result));
    }
  };
  return {
    text: async ({ message, initial, check, consent }) => {
      if (consent === true) await dropTypedAhead(streams.input);
      const offered = initial === undefined ? "" : ` [${sanitize(initial)}]`;
      // After a wrong answer the last line is enough.
      let question = message;
      const ask = (): Promise<string> => {
        const text = asked(question, offered);
        question = typeof question === "string" ? question : question.slice(-1);
        return readLine(streams, text);
      };
      return await until(ask, (answer) => {
        const text = answer === "" ? (initial ?? "") : answer;
        return check?.(text) ?? { value: text };
      });
    },
    secret: ({ message, check }) =>
      until(
        async () => {
          const typed = await readSecret(streams, asked(message, " (hidden)"));
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

/** One line, edited by the terminal itself. Its end, Ctrl-C and signals are interruptions. */
const readLine = (streams: Streams, prompt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input: streams.input, output: streams.output, terminal: false });
    let answered = false;
    const onSignal = (): void => {
      streams.output.write("\n");
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
      streams.input.pause();
      if (!answered) reject(interruptedAtQuestion());
    });
    lines.setPrompt(prompt);
    lines.prompt();
  });

/** One line that is not echoed: the terminal's own echo is off while it is read. */
const readSecret = (streams: Streams, prompt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { input, output } = streams;
    const wasRaw = input.isRaw;
    let typed = "";
    const end = (settle: () => void): void => {
      input.off("data", onData).off("end", onEnd).off("close", onEnd);
      for (const name of endingSignals) process.off(name, onEnd);
      setRaw(input, wasRaw);
      input.pause();
      output.write("\n");
      settle();
    };
    const onEnd = (): void => end(() => reject(interruptedAtQuestion()));
    const onData = (chunk: Buffer | string): void => {
      for (const character of String(chunk)) {
        if (character === "\r" || character === "\n") {
          end(() => resolve(typed));
          return;
        }
        if (character === "\u0003" || (character === "\u0004" && typed === "")) {
          onEnd();
          return;
        }
        if (character === "\u007f" || character === "\b") typed = [...typed].slice(0, -1).join("");
        else if (character === "\u0015") typed = "";
        else typed += character;
      }
    };
    setRaw(input, true);
    for (const name of endingSignals) process.once(name, onEnd);
    input.on("data", onData).once("end", onEnd).once("close", onEnd);
    input.resume();
    // Asked only now: whoever answers at once finds the echo off and Ctrl-C watched.
    output.write(prompt);
  });

const setRaw = (input: ReadStream, raw: boolean): void => {
  if (input.isTTY === true) input.setRawMode(raw);
};
