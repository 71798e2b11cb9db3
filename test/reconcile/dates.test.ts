import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDateReader, createDayJudge, looksLikeDate } from "../../src/reconcile/dates.ts";

const nairobi = createDateReader("Africa/Nairobi");

describe("a date as files write it", () => {
  it.each([
    ["2026-03-05 06:12:44.123456+00", "2026-03-05T06:12:44Z"],
    ["2026-03-06 00:10:00.5+03", "2026-03-05T21:10:00Z"],
    ["2026-03-06 09:30", "2026-03-06T06:30:00Z"],
    ["2026-03-13 08:05:12 +0300", "2026-03-13T05:05:12Z"],
    ["2026-03-13T05:05:12+00:00", "2026-03-13T05:05:12Z"],
    ["2026-03-13T05:05Z", "2026-03-13T05:05:00Z"],
    ["2026-03-13 08:05 GMT+3", "2026-03-13T05:05:00Z"],
    ["13/03/2026 08:05 EAT", "2026-03-13T05:05:00Z"],
    ["13/03/2026 08:05 CAT", "2026-03-13T06:05:00Z"],
    ["13-Mar-26", "2026-03-13"],
    ["13-MAR-2026", "2026-03-13"],
    ["13 Mar 2026", "2026-03-13"],
    ["13Mar2026", "2026-03-13"],
    ["13.March.2026", "2026-03-13"],
    ["13th March 2026", "2026-03-13"],
    ["1st Sept 2026", "2026-09-01"],
    ["March 13, 2026", "2026-03-13"],
    ["2026-Mar-13", "2026-03-13"],
    ["Fri, 13 Mar 2026 08:05:12", "2026-03-13T05:05:12Z"],
    ["Friday 13/03/2026", "2026-03-13"],
    ["13 Machi 2026", "2026-03-13"],
    ["5 Desemba 2026", "2026-12-05"],
    ["13/3/26 at 8:05 AM", "2026-03-13T05:05:00Z"],
    ["13-03-26 08:05 PM", "2026-03-13T17:05:00Z"],
    ["13/03/2026 12:05 a.m.", "2026-03-12T21:05:00Z"],
    ["13/03/2026 20:05 PM", "2026-03-13T17:05:00Z"],
    ["13.03.2026 08.05", "2026-03-13T05:05:00Z"],
    ["20260313", "2026-03-13"],
    ["20260313080512", "2026-03-13T05:05:12Z"],
    ["1773378312", "2026-03-13T05:05:12Z"],
    ["1773378312123", "2026-03-13T05:05:12Z"],
    ["46094.336944", "2026-03-13T05:05:12Z"],
    ["46094", "2026-03-12T21:00:00Z"],
  ])("%s", (cell, at) => expect(nairobi.read(cell, "dmy")).toBe(at));

  it.each([
    "13/13/2026",
    "30 Feb 2026",
    "13 Foo 2026",
    "2026-03-13 25:00",
    "13/03/2026 20:05 AM",
    "2026-03-13 08:05 +99",
    "26-03-13",
    "0712345678",
    "254722000111",
    "722000111",
    "",
    "-",
    "n/a",
  ])("%s is none", (cell) => {
    expect(nairobi.read(cell, "dmy")).toBeUndefined();
    expect(looksLikeDate(cell)).toBe(false);
  });
});

describe("date, time and zone in columns of their own", () => {
  it.each([
    [{ date: "13/03/2026", time: "08:05:12" }, "2026-03-13T05:05:12Z"],
    [{ date: "13/03/2026", time: "8:05 PM" }, "2026-03-13T17:05:00Z"],
    [{ date: "2026-03-13", time: "08:05", zone: "UTC" }, "2026-03-13T08:05:00Z"],
    [{ date: "2026-03-13", time: "08:05", zone: "+0300" }, "2026-03-13T05:05:00Z"],
    [{ date: "2026-03-13", time: "08:05", zone: "America/New_York" }, "2026-03-13T12:05:00Z"],
    [{ date: "2026-03-13 00:00:00", time: "08:05" }, "2026-03-13T05:05:00Z"],
    [{ date: "46094", time: "0.336944" }, "2026-03-13T05:05:12Z"],
    [{ date: "46094", time: "08:05:12" }, "2026-03-13T05:05:12Z"],
    [{ date: "13 Mar 2026", time: "0.5" }, "2026-03-13T09:00:00Z"],
    [{ date: "13 Mar 2026", time: "" }, "2026-03-13"],
    [{ date: "13 Mar 2026 08:05", zone: "EAT" }, "2026-03-13T05:05:00Z"],
    [{ date: "13 Mar 2026", time: "soon" }, undefined],
    [{ date: "13 Mar 2026", time: "08:05", zone: "Nowhere/Else" }, undefined],
  ])("%j", (cells, at) => expect(nairobi.readCells(cells, "dmy")).toBe(at));
});

it("the order of day and month is proved by a column, also behind weekdays and before times", () => {
  const evidence = (...cells: readonly string[]) => {
    const judge = createDayJudge();
    for (const cell of cells) judge.see(cell);
    return judge.evidence();
  };
  expect(evidence("03/02/2026 08:05 AM", "Fri 13/02/26")).toMatchObject({ dmy: "Fri 13/02/26", mdy: undefined });
  expect(evidence("03/02/26", "02/13/26 8:05 PM")).toMatchObject({ dmy: undefined, mdy: "02/13/26 8:05 PM" });
  expect(evidence("13 Mar 2026", "2026-03-02")).toEqual({ dmy: undefined, mdy: undefined, unclear: undefined });
});

it("no instant changes by the form in which it is written", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_450_000_000, max: 2_000_000_000 }), (seconds) => {
      const at = new Date(seconds * 1000).toISOString();
      const utc = `${at.slice(0, 19)}Z`;
      const wall = new Date((seconds + 3 * 3600) * 1000).toISOString();
      const [day, clock] = [wall.slice(0, 10), wall.slice(11, 19)];
      const [year, month, date] = day.split("-");
      for (const text of [
        String(seconds),
        `${seconds}000`,
        utc,
        `${day} ${clock}`,
        `${day}T${clock}+03`,
        `${date}/${month}/${year} ${clock}`,
        `${date}.${month}.${year?.slice(2)} ${clock} EAT`,
      ])
        expect(nairobi.read(text, "dmy")).toBe(utc);
      expect(nairobi.readCells({ date: `${month}/${date}/${year}`, time: clock }, "mdy")).toBe(utc);
    }),
  );
});
