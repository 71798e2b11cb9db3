import { exitCodes } from "../errors.ts";
import { shellOf } from "../shell.ts";
import type { Host } from "./host.ts";

/** How an error is written. Changes as the command line is read. */
export type Reporting = { readonly host: Host; json: boolean; debug: boolean; noColor: boolean; sandbox: boolean };

/** Columns of stderr; 0 off a terminal, where lines are left whole. */
export const errWidth = (host: Host): number => (host.stderrIsTerminal ? host.width() : 0);

/** Says on stderr what went wrong and gives the exit code. */
export const reportError = async (thrown: unknown, { host, json, debug, noColor, sandbox }: Reporting): Promise<number> => {
  const { asCliError, errorLine, errorText } = await import("../output/error-text.ts");
  const { colourOf } = await import("./context.ts");
  const error = asCliError(thrown);
  const shell = shellOf(host.env);
  const mask = debug ? await debugMask(host.env) : (text: string) => text;
  const shown = { colour: colourOf(host, noColor).stderr, debug, mask, width: errWidth(host), shell };
  host.err(json ? errorLine(error, { sandbox, shell }) : await errorText(error, shown));
  return exitCodes[error.kind];
};

/** For stacks and causes: a client's errors have no key by now, but others may. */
const debugMask = async (env: Host["env"]): Promise<(text: string) => string> => {
  const { createMask, maskPhones } = await import("../service/mask.ts");
  const mask = createMask([env["PAYMENTS_API_KEY"] ?? "", env["PAYMENTS_WEBHOOK_SECRET"] ?? ""]);
  return (text) => maskPhones(mask(text));
};
