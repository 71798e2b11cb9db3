import { CliError, type ErrorKind, errorCode } from "../../errors.ts";

/** One line of the examination, with the error that the command would end with if it is not well. */
export type Check = { readonly name: string; readonly detail: string; readonly fault?: CliError };

export const well = (name: string, detail: string): Check => ({ name, detail });
export const faulty = (name: string, kind: ErrorKind, detail: string, hint?: string): Check => ofFault(name, new CliError(kind, detail, { hint }));
export const ofFault = (name: string, fault: CliError): Check => ({ name, detail: fault.message, fault });

/** Runs one examination: what it says (nothing if there is nothing to examine), or its error. `otherwise` is said for a fault of this program. */
export const check = async (name: string, otherwise: string, examine: () => string | Promise<string>): Promise<Check> => {
  try {
    return well(name, await examine());
  } catch (error) {
    if (!(error instanceof CliError)) return faulty(name, "bug", `${otherwise} (${errorCode(error) ?? "unreadable"})`);
    if (error.kind === "interrupted") throw error;
    return ofFault(name, error);
  }
};
