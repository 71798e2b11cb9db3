import { type DayOrder, doubtfulDay, parseWall } from "./parse-date.ts";
import { offsetMinutes } from "./zone-offset.ts";

export type { DayOrder } from "./parse-date.ts";

const hyphen = 45;
const exactUtc = /^(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** Could this be a date at all, whichever way round? */
export const looksLikeDate = (text: string): boolean => parseWall(text.trim(), "dmy") !== undefined || parseWall(text.trim(), "mdy") !== undefined;

/** How many days a date is from a known one (ISO 8601), read in one order; undefined for what is no date. */
export const daysApart = (cell: string, order: DayOrder, at: string): number | undefined => {
  const wall = parseWall(cell, order);
  return wall === undefined ? undefined : Math.abs(Date.UTC(wall.year, wall.month - 1, wall.day) - Date.parse(at.slice(0, 10))) / 86_400_000;
};

export type DayEvidence = { readonly dmy: string | undefined; readonly mdy: string | undefined; readonly unclear: string | undefined };
/** Collects, over a whole column, whether the day or the month comes first (cases/reports.md R3). */
export const createDayJudge = () => {
  const seen: { dmy: string | undefined; mdy: string | undefined; unclear: string | undefined } = { dmy: undefined, mdy: undefined, unclear: undefined };
  return {
    see(cell: string): void {
      // A year in front leaves no doubt, and is what most files have.
      if (cell.charCodeAt(4) === hyphen && cell.charCodeAt(7) === hyphen) return;
      const pair = doubtfulDay(cell.trim());
      if (pair === undefined) return;
      const [first, second] = pair;
      if (first > 12 && second <= 12) seen.dmy ??= cell;
      else if (second > 12 && first <= 12) seen.mdy ??= cell;
      else if (first !== second) seen.unclear ??= cell;
    },
    evidence: (): DayEvidence => ({ ...seen }),
  };
};

const two = (value: number): string => String(value).padStart(2, "0");

/** Of times that name no zone, and of days. */
export const usualZone = "Africa/Nairobi";

/** Is this the name of a time zone (IANA) that the runtime knows? */
export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

export const isZone = (text: string): boolean => offsetMinutes(text) !== undefined || isTimeZone(text);

const createOffsets = (zone: string): ((utcMs: number) => number) => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  // Zones change on quarter hours, so one answer serves a quarter of an hour.
  const known = new Map<number, number>();
  return (utcMs) => {
    const quarter = Math.floor(utcMs / 900_000);
    const remembered = known.get(quarter);
    if (remembered !== undefined) return remembered;
    const part = Object.fromEntries(format.formatToParts(quarter * 900_000).map(({ type, value }) => [type, Number(value)]));
    const wall = Date.UTC(part["year"] ?? 0, (part["month"] ?? 1) - 1, part["day"], part["hour"], part["minute"], part["second"]);
    const offset = wall - quarter * 900_000;
    known.set(quarter, offset);
    return offset;
  };
};

/** The cells that give one instant together, where a file has a column for each. */
type DateCells = { readonly date: string; readonly time?: string | undefined; readonly zone?: string | undefined };

const fraction = /^0?\.\d+$/;
const midnight = /[T\s]+00:00(?::00(?:\.0+)?)?$/;

/** A time of day as a sheet keeps it (`0.3363`) or as it is written (`8:04`, `8:04 PM`); undefined for what is neither. */
const timeText = (cell: string): string | undefined => {
  if (!fraction.test(cell)) return /^\d{1,2}[:.]\d{2}/.test(cell) ? cell : undefined;
  const seconds = Math.round(Number(cell) * 86_400) % 86_400;
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part))).join(":");
};

/** One text of them. A date whose own time is midnight has none of its own. */
const joinCells = ({ date, time = "", zone = "" }: DateCells): string | undefined => {
  const clock = time.trim();
  let text = date.trim().replace(/(?<=^\d{5})\.0+$/, "");
  if (clock !== "" && /^\d{5}$/.test(text)) {
    if (fraction.test(clock)) return `${text}${clock.replace(/^0/, "")}`;
    text = new Date(Date.UTC(1899, 11, 30) + Number(text) * 86_400_000).toISOString().slice(0, 10);
  }
  if (clock !== "") {
    const said = timeText(clock);
    if (said === undefined) return undefined;
    text = `${text.replace(midnight, "")} ${said}`;
  }
  return zone.trim() === "" || offsetMinutes(zone) === undefined ? text : `${text} ${zone.trim().toUpperCase()}`;
};

export type DateReader = {
  readonly read: (cell: string, order: DayOrder) => string | undefined;
  /** The instant that cells of several columns give together; a zone may also be an IANA name. Undefined for what is no date or time. */
  readonly readCells: (cells: DateCells, order: DayOrder) => string | undefined;
  /** The day, in the zone, of what `read` gave or of any ISO instant. */
  readonly dayOf: (at: string) => string | undefined;
};

/** Reads the dates of one column. A time without a zone is wall clock of `zone`; a date alone stays a date. */
export const createDateReader = (zone: string): DateReader => {
  const offsetAt = createOffsets(zone);
  const read = (text: string, order: DayOrder): string | undefined => {
    const wall = parseWall(text, order);
    if (wall === undefined) return undefined;
    const { year, month, day, time } = wall;
    if (time === undefined) return `${year}-${two(month)}-${two(day)}`;
    const asUtc = Date.UTC(year, month - 1, day) + time.seconds * 1000;
    const utc = time.offset === undefined ? toUtc(asUtc) : asUtc - time.offset * 60_000;
    return `${new Date(utc).toISOString().slice(0, 19)}Z`;
  };
  const readers = new Map<string, DateReader>();
  /** Of a zone that a cell names; few are named in one file. */
  const readerIn = (named: string): DateReader => {
    const reader = readers.get(named) ?? createDateReader(named);
    if (readers.size < 100) readers.set(named, reader);
    return reader;
  };
  const toUtc = (wall: number): number => {
    const guess = wall - offsetAt(wall);
    return wall - offsetAt(guess);
  };
  return {
    read: (cell: string, order: DayOrder): string | undefined => (exactUtc.test(cell) ? cell : cell === "" ? undefined : read(cell.trim(), order)),
    readCells(cells: DateCells, order: DayOrder): string | undefined {
      const text = joinCells(cells);
      const named = cells.zone?.trim() ?? "";
      if (text === undefined || named === "" || offsetMinutes(named) !== undefined) return text === undefined ? undefined : read(text, order);
      return isTimeZone(named) ? readerIn(named).read(text, order) : undefined;
    },
    dayOf(at: string): string | undefined {
      if (/^\d{4}-\d{2}-\d{2}$/.test(at)) return at;
      const ms = Date.parse(at);
      return Number.isNaN(ms) ? undefined : new Date(ms + offsetAt(ms)).toISOString().slice(0, 10);
    },
  };
};
