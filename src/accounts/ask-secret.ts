import { CliError } from "../errors.ts";
import type { Prompter } from "../ports.ts";

const refusalsMax = 3;

type Asking<T> = {
  readonly message: string;
  readonly check: (text: string) => string | undefined;
  readonly use: (typed: string) => Promise<T>;
  readonly isRefusal: (error: CliError) => boolean;
  /** What is said before it is asked for again. */
  readonly refused: string;
};

/**
 * What `use` makes of a secret that is asked for on a terminal. One that it refuses is asked for again in place, three times in all: the
 * next one that is pasted goes to this question, and not to the shell. Throws what `use` throws.
 */
export const askSecret = async <T>({ message, check, use, isRefusal, refused }: Asking<T>, prompt: Pick<Prompter, "secret" | "unheard">): Promise<T> => {
  for (let refusals = 1; ; refusals += 1) {
    const typed = await prompt.secret({ message: refusals === 1 ? message : [refused, message], check });
    try {
      return await prompt.unheard(() => use(typed));
    } catch (error) {
      if (!(error instanceof CliError) || !isRefusal(error) || refusals === refusalsMax) throw error;
    }
  }
};
