import data from "./words.json" with { type: "json" };
import { offsetMinutes, zonePattern } from "./zone-offset.ts";

/** Which of two numbers is the day. */
export type DayOrder = "dmy" | "mdy";
export type Wall = { readonly year: number; readonly month: number; readonly day: number; readonly time: Time | undefined };
type Time = { readonly seconds: number /** Minutes east of UTC, where the text says so. */; readonly offset: number | undefined };

const weekday =
  /^(?:mon|tue|wed|thu|fri|sat|sun|lun|mardi|mer|jeu|ven|sam|dim|die|mit|don|fre|son|juma|ijumaa|alhamisi)[a-z]{0,6}\.?,?\s+(?=\d)|^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+(?=\S)/i;
const time = `(?:[T,\\s]+(?:(?:at|à)\\s+)?(?<hour>\\d{1,2})[:.h](?<minute>\\d{2})(?:[:.](?<second>\\d{2})(?:[.,]\\d+)?)?\\s*(?:hrs)?\\s*(?<half>[AaPp]\\.?[Mm]\\.?)?\\s*(?<zone>${zonePattern})?)?`;
const yearLast = new RegExp(`^(?<one>\\d{1,2})(?<mark>[-/.])(?<two>\\d{1,2})\\k<mark>(?<year>\\d{4}|\\d{2})${time}$`, "u");
const forms: readonly RegExp[] = [
  yearLast,
  new RegExp(`^(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})${time}$`, "u"),
  new RegExp(`^(?<day>\\d{1,2})(?:st|nd|rd|th)?[-/.\\s]*(?<name>\\p{L}{3,10})\\.?[-/.,\\s]*(?<year>\\d{4}|\\d{2})${time}$`, "u"),
  new RegExp(`^(?<name>[A-Za-z]{3,9})\\.?[-\\s]+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?[-\\s]+(?<year>\\d{4})${time}$`, "u"),
  new RegExp(`^(?<year>\\d{4})[-/\\s](?<name>[A-Za-z]{3,9})[-/\\s](?<day>\\d{1,2})${time}$`, "u"),
  /^(?<year>20\d{2})(?<month>\d{2})(?<day>\d{2})(?:(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?)?$/,
];
const serial = /^(\d{5})(?:\.(\d+))?$/;
/** Seconds or milliseconds since 1970, from 2014 to 2036: other numbers of ten digits are not instants. */
const epoch = /^((?:1[4-9]|20)\d{8})(?:\.\d+|\d{3})?$/;
// 1954 to 2119: what a spreadsheet's serial can sensibly be here.
const serialMin = 20_000;
const serialMax = 80_000;
/** `26-03-13` may be the 13th of March: no file is read that is as old as the other reading would make it. */
const shortYearMin = 15;

type Groups = Readonly<Record<string, string | undefined>>;
const timeOf = ({ hour, minute, second = "0", half, zone }: Groups): Time | undefined | "bad" => {
  if (hour === undefined) return undefined;
  let hours = Number(hour);
  if (half !== undefined && hours <= 12) {
    if (hours < 1) return "bad";
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  } else if (half !== undefined && /^a/i.test(half)) return "bad";
  const offset = zone === undefined ? undefined : offsetMinutes(zone);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59 || (zone !== undefined && offset === undefined)) return "bad";
  return { seconds: hours * 3600 + Number(minute) * 60 + Number(second), offset };
};

const wallOf = (found: Groups, order: DayOrder): Wall | undefined => {
  const { one, two, name } = found;
  const [first, second] = order === "dmy" ? [two, one] : [one, two];
  const [month, day] = [name === undefined ? Number(found["month"] ?? first) : monthOf(name), Number(found["day"] ?? second)];
  const short = Number(found["year"]);
  const year = found["year"]?.length === 2 && short >= shortYearMin ? 2000 + short : short;
  const time = timeOf(found);
  if (time === "bad" || year < 100 || month < 1 || month > 12 || day < 1) return undefined;
  return day > new Date(Date.UTC(year, month, 0)).getUTCDate() ? undefined : { year, month, day, time };
};

const fromSeconds = (seconds: number, offset: number | undefined): Wall => {
  const at = new Date(seconds * 1000);
  const inDay = at.getUTCHours() * 3600 + at.getUTCMinutes() * 60 + at.getUTCSeconds();
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate(), time: { seconds: inDay, offset } };
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
  const found = yearLast.exec(text.replace(weekday, ""))?.groups;
  return found === undefined ? undefined : [Number(found["one"]), Number(found["two"])];
};

/** The clock's face that a text shows; undefined for what is no date. */
export const parseWall = (cell: string, order: DayOrder): Wall | undefined => {
  const text = /^[a-z]/i.test(cell) ? cell.replace(weekday, "") : cell;
  for (const form of forms) {
    const found = form.exec(text)?.groups;
    if (found !== undefined) return wallOf(found, order);
  }
  const [, days, part = "0"] = serial.exec(text) ?? [];
  if (days !== undefined) {
    if (Number(days) < serialMin || Number(days) > serialMax) return undefined;
    // To the second: a fraction of a day in binary is a little off otherwise.
    return fromSeconds(Date.UTC(1899, 11, 30) / 1000 + Number(days) * 86_400 + Math.round(Number(`0.${part}`) * 86_400), undefined);
  }
  const instant = epoch.exec(text)?.[1];
  return instant === undefined ? undefined : fromSeconds(Number(instant), 0);
};
