import data from "./words.json" with { type: "json" };

/** Minutes east of UTC. Names that stand for several zones (CST, IST) are left out. */
const named: Readonly<Record<string, number>> = data.zones;
const farthest = 14 * 60;

/** What `offsetMinutes` reads, as part of a regular expression without groups of its own. */
export const zonePattern = `(?:(?:UTC|GMT)?[+-]\\d{1,2}(?::?\\d{2})?|${Object.keys(named).join("|")})`;

/** Minutes east of UTC of `+03`, `+0300`, `GMT+3`, `EAT`; undefined for what is none of them. */
export const offsetMinutes = (zone: string): number | undefined => {
  const text = zone.trim().toUpperCase();
  if (Object.hasOwn(named, text)) return named[text];
  const [, sign, hours, minutes = "0"] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(text) ?? [];
  if (sign === undefined || Number(minutes) > 59) return undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return offset > farthest ? undefined : sign === "-" ? -offset : offset;
};
