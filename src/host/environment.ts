import { unwrap } from "../unwrap.ts";

/** What this program and its proxy settings read. NODE_EXTRA_CA_CERTS is not among them: Node itself has read it as it is. */
const ours = /^(?:PAYMENTS_\w+|(?:HTTPS?|NO)_PROXY|NO_COLOR|FORCE_COLOR|TERM)$/i;

/**
 * Takes white space, quotes and byte order marks from around our values, which container and secret files leave there (rules.md, Where
 * settings come from). In place, as only the real environment knows its names in any case of letters on Windows.
 */
export const cleanEnvironment = <T extends Record<string, string | undefined>>(env: T): T => {
  for (const name of Object.keys(env)) {
    const value = ours.test(name) ? env[name] : undefined;
    if (value === undefined) continue;
    // Webhook secrets are one a line, each with quotes of its own.
    const cleaned = unwrap(value).split(/\r?\n/).map(unwrap).join("\n");
    if (cleaned !== value) Object.assign(env, { [name]: cleaned });
  }
  return env;
};
