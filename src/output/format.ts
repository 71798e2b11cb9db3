import { ExactNumber, type Json, textOf } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Style } from "../outcome.ts";

/** Shown where the service gave nothing. */
export const absent = "–";

/** An amount with its currency, `KES 1,234.50`. A value that is no number is shown as it came, none as a dash. */
export const money = (value: Json | undefined, currency: string): string => {
  const text = typeof value === "number" || value instanceof ExactNumber || typeof value === "string" ? textOf(value) : undefined;
  if (text === undefined || text === "") return absent;
  return currency === "" ? groupedAmount(text, currency) : `${currency} ${groupedAmount(text, currency)}`;
};

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** An ISO time in the person's zone, `2026-03-01 11:00:05` (with `UTC` after it under --utc). Other text comes back as it is, none as a dash. */
export const localTime = (value: Json | undefined, style: Pick<Style, "zone">): string => {
  const text = textOf(value);
  if (text === undefined || text === "") return absent;
  const ms = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return text;
  if (style.zone === "UTC") return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  // Swedish writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: style.zone }).format(ms);
};

/** The same with its zone after it, `2026-03-01 11:00:05 EAT`: where no heading names the zone. */
export const zonedTime = (value: Json | undefined, style: Pick<Style, "zone">): string => {
  const text = localTime(value, style);
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) && text !== textOf(value) ? `${text} ${zoneName(style.zone)}` : text;
};

/** Narrower than this, a table has room for what else matters if its times leave out the seconds, and the year if it is this one. */
const wholeTimesWidth = 120;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time in a column whose heading names the zone (`isTime`): `2026-03-01 11:00:05`, or `01 Mar 11:00` on a narrow terminal. */
export const timeCell = (value: Json | undefined, style: Pick<Style, "zone" | "width" | "nowMs">): string => {
  const text = localTime(value, style).replace(/(?<=\d) UTC$/, "");
  const [, year = "", month = "", day = "", time = ""] = /^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d):\d\d$/.exec(text) ?? [];
  if (style.width >= wholeTimesWidth || year === "") return text;
  const isThisYear = localTime(new Date(style.nowMs).toISOString(), style).startsWith(year);
  return `${day} ${months[Number(month) - 1] ?? month}${isThisYear ? "" : ` ${year}`} ${time}`;
};

/** How people call a zone: `UTC`, `EAT`, `GMT+3`. */
export const zoneName = (zone: string): string => {
  if (zone === "UTC") return zone;
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "short" }).formatToParts(0);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
};

const steps: readonly (readonly [number, number, string])[] = [
  [90, 1, "s"],
  [90 * 60, 60, "min"],
  [36 * 3600, 3600, "h"],
  [Number.POSITIVE_INFINITY, 86_400, "days"],
];

/** `4 min`, `2 h`, `3 days`: a length of time in one unit. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [, unit, name] = steps.find(([below]) => seconds < below) ?? [0, 1, "s"];
  return `${Math.round(seconds / unit)} ${name}`;
};
