import type { ErrorKind } from "../../errors.ts";

/** One line of the examination. `kind` is the kind of fault, which decides the exit code; it is not printed. */
export type Check = {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint?: string;
  /** The one command that is the remedy: it ends the hint. */
  readonly command?: readonly string[];
  readonly kind?: ErrorKind;
};

export const well = (name: string, detail: string): Check => ({ name, ok: true, detail });
export const fault = (name: string, kind: ErrorKind, detail: string, hint?: string): Check => ({
  name,
  ok: false,
  detail,
  kind,
  ...(hint === undefined ? {} : { hint }),
});
