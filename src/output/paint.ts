import { Chalk } from "chalk";
import type { Tone } from "../outcome.ts";

const styles = { good: "green", bad: "red", waiting: "yellow", quiet: "dim", strong: "bold", plain: undefined } as const satisfies Record<Tone, unknown>;

/** The level is ours (`terminalOf` decides for each stream): chalk's own detection is never asked. */
const chalk = { on: new Chalk({ level: 1 }), off: new Chalk({ level: 0 }) };

/** Colour for clean text. Colour is never the only sign. */
export const paint = (text: string, tone: Tone, colour: boolean): string => {
  const style = styles[tone];
  return style === undefined ? text : (colour ? chalk.on : chalk.off)[style](text);
};
