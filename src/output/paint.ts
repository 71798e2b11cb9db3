import type { Tone } from "../outcome.ts";

const csi = "\u001b[";
const codes: Readonly<Record<Tone, readonly [number, number] | undefined>> = {
  good: [32, 39],
  bad: [31, 39],
  waiting: [33, 39],
  quiet: [2, 22],
  strong: [1, 22],
  plain: undefined,
};

/** Colour for clean text. Ten numbers need no library: chalk costs up to 9 ms of a start. Colour is never the only sign. */
export const paint = (text: string, tone: Tone, colour: boolean): string => {
  const code = codes[tone];
  return !colour || code === undefined || text === "" ? text : `${csi}${code[0]}m${text}${csi}${code[1]}m`;
};
