import { retyped } from "../command.ts";
import { CliError } from "../errors.ts";
import type { Prompter, Terminal } from "../ports.ts";

/** Every question passes here, so that the run can be typed again without its questions. */
export type Questions = {
  readonly prompt: Prompter;
  /** The command that was typed as `words`, with the answers as flags; undefined if no flag was asked for. Money out asks again for consent. */
  readonly again: (words: readonly string[]) => readonly string[] | undefined;
};

/** Asking where nobody can answer is a fault of ours: a command checks `terminal.interactive` first. */
export const createQuestions = (load: () => Promise<Prompter>, terminal: Pick<Terminal, "interactive">): Questions => {
  const answers: string[] = [];
  let asked = false;
  const ready = async (): Promise<Prompter> => {
    if (!terminal.interactive) throw new CliError("usage", "A value is missing, and without a terminal nobody can be asked for it.");
    return await load();
  };
  const answered = <T>(answer: T, words: ((answer: T) => readonly string[]) | undefined): T => {
    const given = words?.(answer) ?? [];
    answers.push(...given);
    asked ||= given.length > 0;
    return answer;
  };
  return {
    prompt: {
      text: async (question) => answered(await (await ready()).text(question), question.words),
      secret: async (question) => (await ready()).secret(question),
      confirm: async (question) => answered(await (await ready()).confirm(question), question.words),
      choose: async (question) => {
        const [only, other] = question.choices;
        if (only === undefined || other !== undefined) return answered(await (await ready()).choose(question), question.words);
        answers.push(...(question.words?.(only.value) ?? []));
        return only.value;
      },
      unheard: async (work) => await (await ready()).unheard(work),
    },
    again: (words) => (asked ? retyped({ words: withoutEmpty(words, answers) }, { without: ["yes"], add: answers }) : undefined),
  };
};

/** Without the flags that stood there with an empty value, which counts as missing: with the answer they would be given twice. */
const withoutEmpty = (words: readonly string[], answers: readonly string[]): readonly string[] => {
  const isEmpty = (at: number): boolean => words[at]?.startsWith("--") === true && words[at + 1]?.trim() === "" && answers.includes(words[at]);
  return words.filter((word, at) => !isEmpty(at) && !isEmpty(at - 1) && !(word.endsWith("=") && answers.includes(word.slice(0, -1))));
};
