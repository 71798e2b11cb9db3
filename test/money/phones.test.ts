import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { msisdnReader } from "../../src/money/msisdn.ts";
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

const countries: readonly string[] = [
  ...new Set(JSON.parse(readFileSync(new URL("../cases/rails.json", import.meta.url), "utf8")).map(({ country }: { country: string }) => country)),
].map(String);

/** Calling code, digits after it, and the trunk prefix dialled inside the country. */
const plans: Readonly<Record<string, readonly [code: string, subscriber: string, trunk: string]>> = {
  BJ: ["229", "0197123456", ""],
  CD: ["243", "991234567", "0"],
  CI: ["225", "0712345678", ""],
  CM: ["237", "671234567", ""],
  GH: ["233", "241234567", "0"],
  KE: ["254", "712345678", "0"],
  MW: ["265", "991234567", "0"],
  NG: ["234", "8031234567", "0"],
  RW: ["250", "788123456", "0"],
  SL: ["232", "76123456", "0"],
  SN: ["221", "771234567", ""],
  TZ: ["255", "754123456", "0"],
  UG: ["256", "772000001", "0"],
  ZA: ["27", "821234567", "0"],
  ZM: ["260", "961234567", "0"],
};

describe("a number in the rail's own country", () => {
  it("is tested for every country of the rails", () => expect(countries.toSorted()).toEqual(Object.keys(plans)));

  for (const [country, [code, subscriber, trunk]] of Object.entries(plans)) {
    const phone = trunk + subscriber;
    for (const typed of [phone, subscriber, `+${code}${subscriber}`, `00${code}${subscriber}`, `+${code} ${subscriber.replace(/..(?=.)/g, "$& ")}`]) {
      it(`${typed} in ${country}`, async () => expect((await msisdnReader(country))(typed)).toEqual({ phone }));
    }
    it(`${code}${subscriber} in ${country}`, async () => expect((await msisdnReader(country))(code + subscriber)).toMatchObject({ phone }));
    it(`a 0 after +${code}`, async () => {
      const read = (await msisdnReader(country))(`+${code}0${subscriber}`);
      expect(read).toMatchObject(subscriber.startsWith("0") ? { problem: "length" } : { phone, warning: expect.stringContaining("0") });
    });
    it(`no number of ${country}`, async () => {
      const read = await msisdnReader(country);
      for (const typed of [phone.slice(0, -1), `${phone}5`, `+${code}${subscriber}5`, `+${code}${subscriber.slice(1)}`, "12", "077200"]) {
        expect(read(typed), typed).toMatchObject({ problem: "length" });
      }
      expect(read(country === "UG" ? "+254712345678" : "+256772000001")).toMatchObject({ problem: "not-country" });
      expect(read(`${phone.slice(0, 4)}***${phone.slice(7)}`)).toMatchObject({ problem: "masked" });
      expect(read(`${phone.slice(0, -1)}O`)).toMatchObject({ problem: "non-digit" });
      expect(read("CALL ME NOW")).toMatchObject({ problem: "non-digit" });
      expect(read("2.567E+11")).toMatchObject({ problem: "scientific" });
      expect(read(`${phone}/${phone}`)).toMatchObject({ problem: "multiple" });
      expect(read("")).toMatchObject({ problem: "empty" });
    });
  }

  it("is read by its length in a range that the plans do not have", async () => {
    expect((await msisdnReader("UG"))("0100000001")).toEqual({ phone: "0100000001" });
    expect((await msisdnReader("ug"))("256100000001")).toEqual({ phone: "0100000001" });
    expect((await msisdnReader("SN"))("+221 99 123 45 67")).toEqual({ phone: "991234567" });
  });

  it("loses the zero where the country dials none, and says so", async () => {
    expect((await msisdnReader("SN"))("0771234567")).toMatchObject({ phone: "771234567", warning: expect.stringContaining("left out") });
  });

  it("is kept as typed in a country without a known plan", async () => {
    const read = await msisdnReader("XX");
    expect(read("+13334445555")).toEqual({ phone: "13334445555" });
    expect(read("0772 000 001")).toEqual({ phone: "0772000001" });
    for (const typed of ["123", "1234567890123456"]) expect(read(typed)).toMatchObject({ problem: "length" });
    expect(read("0772***001")).toMatchObject({ problem: "masked" });
  });
});
