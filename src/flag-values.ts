import { usageError } from "./errors.ts";

/** A whole number within bounds, both allowed. Throws CliError usage that names the flag and the bounds. */
export const wholeNumber =
  (least: number, most = 999_999_999) =>
  (text: string, flag: string): number => {
    const typed = text.trim();
    const value = /^\d{1,16}$/.test(typed) ? Number(typed) : Number.NaN;
    if (!(value >= least && value <= most)) throw usageError(`${flag} takes a whole number from ${least} to ${most}, not "${text}".`);
    return value;
  };

/** A number of seconds within bounds, both allowed, as milliseconds. Throws CliError usage that names the flag and the bounds. */
export const secondsAsMs =
  (least: number, most: number) =>
  (text: string, flag: string): number => {
    const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(seconds >= least && seconds <= most)) throw usageError(`${flag} takes a number of seconds from ${least} to ${most}, not "${text}".`);
    return Math.round(seconds * 1000);
  };
