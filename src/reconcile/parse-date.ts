import data from "./words.json" with { type: "json" };
import { offsetMinutes, zonePattern } from "./zone-offset.ts";

/** Which of two numbers is the day. */
export type DayOrder = "dmy" | "mdy";
export type Wall = { readonly year: number; readonly month: number; readonly day: number; readonly time: Time | undefined };
type Time = { readonly seconds: number /** Minutes east of UTC, where the text says so. */; readonly offset: number | undefined };

const weekday =
  /^(?:mon|tue|wed|thu|fri|sat|sun|lun|mardi|mer|jeu|ven|sam|dim|die|mit|don|fre|son|juma|ijumaa|alhamisi)[a-z]{0,6}\.?,?\s+(?=\d)|^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+(?=\S)/i;
const timeTail = `(?:[T,\\s]+(?:(?:at|à)\\s+)?(\\d{1,2})[:.h](\\d{2})(?:[:.](\\d{2})(?:[.,]\\d+)?)?\\s*(?:hrs)?\\s*([AaPp]\\.?[Mm]\\.?)?\\s*(${zonePattern})?)?`;
const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${timeTail}$`, "u");
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})${timeTail}$`, "u");
const dayMonthName = new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)?[-/.\\s]*(\\p{L}{3,10})\\.?[-/.,\\s]*(\\d{4}|\\d{2})${timeTail}$`, "u");
const monthNameDay = new RegExp(`^([A-Za-z]{3,9})\\.?[-\\s]+(\\d{1,2})(?:st|nd|rd|th)?,?[-\\s]+(\\d{4})${timeTail}$`, "u");
const yearMonthName = new RegExp(`^(\\d{4})[-/\\s]([A-Za-z]{3,9})[-/\\s](\\d{1,2})${timeTail}$`, "u");
const compact = /^(20\d{2})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?$/;
const serial = /^(\d{5})(?:\.(\d+))?$/;
/** Seconds or milliseconds since 1970, from 2014 to 2036: other numbers of ten digits are not instants. */
const epoch = /^((?:1[4-9]|20)\d{8})(?:\.\d+|\d{3})?$/;
// 1954 to 2119: what a spreadsheet's serial can sensibly be here.
const serialMin = 20_000;
const serialMax = 80_000;
/** `26-03-13` may be the 13th of March: no file is read that is as old as the other reading would make it. */
const shortYearMin = 15;

const timeOf = (found: readonly (string | undefined)[], from: number): Time | undefined | "bad" => {
  const [hour, minute, second, half, zone] = found.slice(from, from + 5);
  if (hour === undefined) return undefined;
  let hours = Number(hour);
  if (half !== undefined && hours <= 12) {
    if (hours < 1) return "bad";
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  } else if (half !== undefined && /^a/i.test(half)) return "bad";
  if (hours > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return "bad";
  const offset = zone === undefined ? undefined : offsetMinutes(zone);
  if (zone !== undefined && offset === undefined) return "bad";
  return { seconds: hours * 3600 + Number(minute) * 60 + Number(second ?? 0), offset };
};

const wallOf = (year: number, month: number, day: number, time: Time | undefined | "bad"): Wall | undefined => {
  if (time === "bad" || Number.isNaN(year) || month < 1 || month > 12 || day < 1) return undefined;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  return { year, month, day, time };
};

/** NaN for two digits that are no year of a payment. */
const yearOf = (text: string | undefined): number => {
  const year = Number(text);
  if (text?.length !== 2) return year;
  return year < shortYearMin ? Number.NaN : 2000 + year;
};

const fromSeconds = (seconds: number, offset: number | undefined): Wall => {
  const at = new Date(seconds * 1000);
  const inDay = at.getUTCHours() * 3600 + at.getUTCMinutes() * 60 + at.getUTCSeconds();
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate(), time: { seconds: inDay, offset } };
};

const fromSerial = (found: RegExpExecArray): Wall | undefined => {
  const days = Number(found[1]);
  if (days < serialMin || days > serialMax) return undefined;
  // To the second: a fraction of a day in binary is a little off otherwise.
  const seconds = Math.round(Number(`0.${found[2] ?? "0"}`) * 86_400);
  return fromSeconds(Date.UTC(1899, 11, 30) / 1000 + days * 86_400 + seconds, undefined);
};

/** From 1; 0 for what is no month, or the beginning of several (`jui`), of three letters or more. In seven languages, without accents. */
const monthOf = (name: string | undefined): number => {
  const text = (name ?? "").normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  for (const names of data.months) {
    const found = names.flatMap((month, index) => (month.startsWith(text) ? [index + 1] : []));
    if (found.length > 0) return found.length === 1 ? (found[0] ?? 0) : 0;
  }
  return 0;
};

/** The two numbers of a date in which day and month could change places; undefined where the text leaves no doubt. */
export const doubtfulDay = (text: string): readonly [number, number] | undefined => {
  const found = yearLast.exec(text.replace(weekday, ""));
  return found === null ? undefined : [Number(found[1]), Number(found[3])];
};

/** The clock's face that a text shows; undefined for what is no date. */
export const parseWall = (cell: string, order: DayOrder): Wall | undefined => {
  const text = /^[a-z]/i.test(cell) ? cell.replace(weekday, "") : cell;
  const last = yearLast.exec(text);
  if (last !== null) {
    const [day, month] = order === "dmy" ? [Number(last[1]), Number(last[3])] : [Number(last[3]), Number(last[1])];
    return wallOf(yearOf(last[4]), month, day, timeOf(last, 5));
  }
  const first = yearFirst.exec(text);
  if (first !== null) return wallOf(Number(first[1]), Number(first[3]), Number(first[4]), timeOf(first, 5));
  const number = serial.exec(text);
  if (number !== null) return fromSerial(number);
  const instant = epoch.exec(text);
  if (instant !== null) return fromSeconds(Number(instant[1]), 0);
  const named = dayMonthName.exec(text);
  if (named !== null) return wallOf(yearOf(named[3]), monthOf(named[2]), Number(named[1]), timeOf(named, 4));
  const american = monthNameDay.exec(text);
  if (american !== null) return wallOf(Number(american[3]), monthOf(american[1]), Number(american[2]), timeOf(american, 4));
  const sorted = yearMonthName.exec(text);
  if (sorted !== null) return wallOf(Number(sorted[1]), monthOf(sorted[2]), Number(sorted[3]), timeOf(sorted, 4));
  const packed = compact.exec(text);
  if (packed !== null) return wallOf(Number(packed[1]), Number(packed[2]), Number(packed[3]), timeOf(packed, 4));
  return undefined;
};
