import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readMsisdn } from "../../src/money/msisdn.ts";
import { readKenyanPhone } from "../../src/money/phone.ts";

const cases = readFileSync(new URL("../cases/phones.tsv", import.meta.url), "utf8")
  .split("\n")
  .slice(1)
  .filter((line) => line !== "")
  .map((line) => line.split("\t"));

describe("cases/phones.tsv", () => {
  it("has its rows", () => expect(cases.length).toBeGreaterThan(20));
  for (const [input = "", expected = "", note = ""] of cases) {
    it(`${note}: ${JSON.stringify(input)} is ${expected}`, () => {
      const read = readKenyanPhone(input);
      expect("problem" in read ? `ERR:${read.problem}` : read.phone).toBe(expected);
      if (note.includes("warn")) expect(read).toHaveProperty("warning");
    });
  }
});

describe("a number in the rail's own country", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["0712345678", "KE", "0712345678"],
    ["+254712345678", "KE", "0712345678"],
    ["0772000001", "UG", "0772000001"],
    ["+256 772 000 001", "UG", "0772000001"],
    ["772000001", "UG", "0772000001"],
    ["771234567", "SN", "771234567"],
    ["+221771234567", "SN", "771234567"],
    ["0712345678", "CI", "0712345678"],
    ["+2250712345678", "CI", "0712345678"],
    ["0197123456", "BJ", "0197123456"],
    ["08031234567", "NG", "08031234567"],
    ["+13334445555", "XX", "13334445555"],
  ];
  for (const [typed, country, wanted] of rows) it(`${typed} in ${country}`, () => expect(readMsisdn(typed, country)).toEqual({ phone: wanted }));

  it("says what is wrong", () => {
    expect(readMsisdn("+254712345678", "UG")).toMatchObject({ problem: "not-country" });
    expect(readMsisdn("077200", "UG")).toMatchObject({ problem: "length" });
    expect(readMsisdn("12", "XX")).toMatchObject({ problem: "length" });
    expect(readMsisdn("0772***001", "UG")).toMatchObject({ problem: "masked" });
    expect(readMsisdn("2.567E+11", "UG")).toMatchObject({ problem: "scientific" });
  });

  it("leaves a zero out where the country dials none, and says so", () => {
    expect(readMsisdn("0771234567", "SN")).toMatchObject({ phone: "771234567", warning: expect.stringContaining("left out") });
  });
});
