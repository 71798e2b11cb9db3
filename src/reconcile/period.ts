import { usageError } from "../errors.ts";
import type { ReconcileOptions } from "./judge.ts";

export type Period = NonNullable<ReconcileOptions["period"]>;

const isDay = (text: string): boolean => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** `--period FROM..TO`, both days included; one day alone is that day. Throws CliError usage. */
export const parsePeriod = (text: string): Period => {
  const [from = "", to = from, ...more] = text.trim().split("..");
  const hint = "For example: --period 2026-03-01..2026-03-31";
  if (more.length > 0 || !isDay(from) || !isDay(to)) throw usageError(`--period takes two days, not "${text}".`, hint);
  if (to < from) throw usageError(`--period: ${to} is before ${from}.`, hint);
  return { from, to };
};
