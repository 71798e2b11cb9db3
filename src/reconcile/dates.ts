/** Which of two numbers is the day. */
export type DayOrder = "dmy" | "mdy";
type Wall = { readonly year: number; readonly month: number; readonly day: number; readonly time: Time | undefined };
type Time = { readonly seconds: number /** Minutes east of UTC, where the text says so. */; readonly offset: number | undefined };

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const timeTail = "(?:[T,\\s]+(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,]\\d+)?)?\\s*([AaPp]\\.?[Mm]\\.?)?\\s*(Z|UTC|GMT|EAT|[+-]\\d{2}:?\\d{2})?)?";
const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${timeTail}$`, "u");
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})${timeTail}$`, "u");
const dayMonthName = new RegExp(`^(\\d{1,2})[-\\s]+([A-Za-z]{3,9})\\.?[-,\\s]+(\\d{4})${timeTail}$`, "u");
const monthNameDay = new RegExp(`^([A-Za-z]{3,9})\\.?\\s+(\\d{1,2}),?\\s+(\\d{4})${timeTail}$`, "u");
const compact = /^(20\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;
const serial = /^(\d{5})(?:\.(\d+))?$/;
const hyphen = 45;
const exactUtc = /^(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
// 1954 to 2119: what a spreadsheet's serial can sensibly be here.
const serialMin = 20_000;
const serialMax = 80_000;

const timeOf = (found: readonly (string | undefined)[], from: number): Time | undefined | "bad" => {
  const [hour, minute, second, half, zone] = found.slice(from, from + 5);
  if (hour === undefined) return undefined;
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return "bad";
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  }
  if (hours > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return "bad";
  return { seconds: hours * 3600 + Number(minute) * 60 + Number(second ?? 0), offset: offsetOf(zone) };
};

const offsetOf = (zone: string | undefined): number | undefined => {
  if (zone === undefined) return undefined;
  if (zone === "EAT") return 180;
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (found === null) return 0;
  return (found[1] === "-" ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]));
};

const wallOf = (year: number, month: number, day: number, time: Time | undefined | "bad"): Wall | undefined => {
  if (time === "bad" || month < 1 || month > 12 || day < 1) return undefined;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  return { year, month, day, time };
};

const fromSerial = (found: RegExpExecArray): Wall | undefined => {
  const days = Number(found[1]);
  if (days < serialMin || days > serialMax) return undefined;
  // To the second: a fraction of a day in binary is a little off otherwise.
  const seconds = Math.round(Number(`0.${found[2] ?? "0"}`) * 86_400);
  const at = new Date(Date.UTC(1899, 11, 30) + (days * 86_400 + seconds) * 1000);
  const inDay = at.getUTCHours() * 3600 + at.getUTCMinutes() * 60 + at.getUTCSeconds();
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate(), time: { seconds: inDay, offset: undefined } };
};

const monthOf = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** The two numbers of a date in which day and month could change places; undefined where the text leaves no doubt. */
const doubtful = (text: string): readonly [number, number] | undefined => {
  const found = yearLast.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[3])];
};

const parseWall = (text: string, order: DayOrder): Wall | undefined => {
  const last = yearLast.exec(text);
  if (last !== null) {
    const year = Number(last[4]);
    const [day, month] = order === "dmy" ? [Number(last[1]), Number(last[3])] : [Number(last[3]), Number(last[1])];
    return wallOf(year < 100 ? 2000 + year : year, month, day, timeOf(last, 5));
  }
  const first = yearFirst.exec(text);
  if (first !== null) return wallOf(Number(first[1]), Number(first[3]), Number(first[4]), timeOf(first, 5));
  const number = serial.exec(text);
  if (number !== null) return fromSerial(number);
  const named = dayMonthName.exec(text);
  if (named !== null) return wallOf(Number(named[3]), monthOf(named[2] ?? ""), Number(named[1]), timeOf(named, 4));
  const american = monthNameDay.exec(text);
  if (american !== null) return wallOf(Number(american[3]), monthOf(american[1] ?? ""), Number(american[2]), timeOf(american, 4));
  const packed = compact.exec(text);
  if (packed !== null) return wallOf(Number(packed[1]), Number(packed[2]), Number(packed[3]), timeOf(packed, 4));
  return undefined;
};

/** Could this be a date at all, whichever way round? */
export const looksLikeDate = (text: string): boolean => parseWall(text.trim(), "dmy") !== undefined || parseWall(text.trim(), "mdy") !== undefined;

export type DayEvidence = { readonly dmy: string | undefined; readonly mdy: string | undefined; readonly unclear: string | undefined };
/** Collects, over a whole column, whether the day or the month comes first (cases/reports.md R3). */
export const createDayJudge = () => {
  const seen: { dmy: string | undefined; mdy: string | undefined; unclear: string | undefined } = { dmy: undefined, mdy: undefined, unclear: undefined };
  return {
    see(cell: string): void {
      // A year in front leaves no doubt, and is what most files have.
      if (cell.charCodeAt(4) === hyphen && cell.charCodeAt(7) === hyphen) return;
      const pair = doubtful(cell.trim());
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

/** Is this the name of a time zone (IANA) that the runtime knows? */
export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

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

/** Reads the dates of one column. A time without a zone is wall clock of `zone`; a date alone stays a date. */
export const createDateReader = (zone: string) => {
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
  const toUtc = (wall: number): number => {
    const guess = wall - offsetAt(wall);
    return wall - offsetAt(guess);
  };
  return {
    read: (cell: string, order: DayOrder): string | undefined => (exactUtc.test(cell) ? cell : cell === "" ? undefined : read(cell.trim(), order)),
    /** The day, in the zone, of what `read` gave or of any ISO instant. */
    dayOf(at: string): string | undefined {
      if (/^\d{4}-\d{2}-\d{2}$/.test(at)) return at;
      const ms = Date.parse(at);
      return Number.isNaN(ms) ? undefined : new Date(ms + offsetAt(ms)).toISOString().slice(0, 10);
    },
  };
};
export type DateReader = ReturnType<typeof createDateReader>;
