import type { Entry } from "../command.ts";
import { nearest } from "../nearest.ts";

/** The commands whose words begin with these, the command of these words among them. */
export const entriesBelow = (path: readonly string[], registry: readonly Entry[]): readonly Entry[] =>
  registry.filter(({ spec }) => path.every((word, at) => spec.path[at] === word));

/** The command of exactly these words. */
export const entryAt = (path: readonly string[], registry: readonly Entry[]): Entry | undefined =>
  entriesBelow(path, registry).find(({ spec }) => spec.path.length === path.length);

/** Words that people type first, and the commands that do what they mean. */
const meant: Readonly<Record<string, readonly string[]>> = {
  pay: ["b2c", "stk"],
  payment: ["b2c", "stk"],
  payments: ["tx list"],
  send: ["b2c", "stk"],
  payout: ["b2c"],
  payouts: ["b2c batch"],
  charge: ["stk"],
  request: ["stk"],
  push: ["stk"],
  balance: ["wallet", "global wallet"],
  balances: ["wallet", "global wallet"],
  transaction: ["tx list"],
  transactions: ["tx list"],
  ls: ["tx list"],
  status: ["tx get", "whoami"],
  history: ["tx list", "journal list"],
  log: ["journal list"],
  rates: ["global fx"],
  rails: ["global providers"],
  config: ["profile set", "whoami"],
  configure: ["login"],
  auth: ["login"],
  init: ["login"],
  setup: ["login"],
  docs: ["help"],
  list: ["tx list", "journal list", "profile list"],
};

/** The commands that an unknown word at the beginning may stand for, the likeliest first: by meaning, as a verb without its noun, or misspelt. */
export const commandsMeant = (word: string, registry: readonly Entry[]): readonly string[] => {
  const typed = word.toLowerCase();
  if (Object.hasOwn(meant, typed)) return meant[typed] ?? [];
  const verbs = registry.map(({ spec }) => spec.path).filter((path) => path.length > 1 && path.at(-1) === typed);
  if (verbs.length > 0) return verbs.map((path) => path.join(" "));
  const near = nearest(typed, [...new Set([...registry.map(({ spec }) => spec.path[0]), ...Object.keys(meant)])]);
  return near === undefined ? [] : (meant[near] ?? [near]);
};
