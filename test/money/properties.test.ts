import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import { readAmount, toDecimal, toFixedText } from "../../src/money/money.ts";
import { msisdnReader } from "../../src/money/msisdn.ts";
import { readKenyanPhone } from "../../src/money/phone.ts";
import type { Answer, Client } from "../../src/ports.ts";
import { listAll } from "../../src/transactions/list-transactions.ts";

const digits = (min: number, max: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(""));

describe("amounts", () => {
  it("whatever is taken is worth what was typed, to the last cent", () => {
    fc.assert(
      fc.property(digits(1, 12), fc.option(digits(1, 2), { nil: undefined }), (whole, fraction) => {
        const typed = fraction === undefined ? whole : `${whole}.${fraction}`;
        const read = readAmount(typed, "KES");
        if ("problem" in read) {
          expect(Number(typed)).toBe(0);
          return;
        }
        expect(read.amount.minor).toBe(BigInt(whole + (fraction ?? "").padEnd(2, "0")));
        expect(JSON.stringify(JSON.parse(read.amount.text))).toBe(read.amount.text);
        expect(toFixedText(toDecimal(read.amount.text) ?? { digits: 0n, scale: 0 }, 2)).toBe(`${BigInt(whole)}.${(fraction ?? "").padEnd(2, "0")}`);
      }),
    );
  });
  it("never throws, and takes nothing but digits and one point", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), fc.constantFrom("KES", "UGX", "USD", "zzz", ""), (typed, currency) => {
        const read = readAmount(typed, currency);
        if ("amount" in read) expect(typed.trim()).toMatch(/^\d+(\.\d+)?$/);
      }),
    );
  });
});

describe("phones", () => {
  it("never throws, and what is taken is a Kenyan mobile number made of the digits typed", () => {
    const typed = fc.oneof(fc.string({ unit: "grapheme", maxLength: 30 }), fc.stringMatching(/^[+0-9 ().\-*/x]{0,24}$/));
    fc.assert(
      fc.property(typed, (text) => {
        const read = readKenyanPhone(text);
        if ("problem" in read) return;
        expect(read.phone).toMatch(/^254[17]\d{8}$/);
        expect(text.replace(/\D/g, "")).toContain(read.phone.slice(3));
      }),
      { numRuns: 500 },
    );
  });
  it("any spelling of a number is the same number", async () => {
    const readKenyanNational = await msisdnReader("KE");
    fc.assert(
      fc.property(
        digits(8, 8),
        fc.constantFrom("7", "1"),
        fc.constantFrom("0", "254", "+254", "00254", ""),
        fc.constantFrom("", " ", "-", "."),
        (rest, first, prefix, gap) => {
          const spelled = prefix + [first + rest.slice(0, 2), rest.slice(2, 5), rest.slice(5)].join(gap);
          expect(readKenyanPhone(spelled)).toEqual({ phone: `254${first}${rest}` });
          expect(readKenyanNational(spelled)).toEqual({ phone: `0${first}${rest}` });
        },
      ),
    );
  });
  it("reading the national form again changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("UG", "TZ", "GH", "NG", "SN", "CI", "SL", "ZA", "BJ", "XX"), digits(1, 16), async (country, text) => {
        const reader = await msisdnReader(country);
        const read = reader(text);
        if ("problem" in read) return;
        const again = reader(read.phone);
        expect("phone" in again && again.phone).toBe(read.phone);
      }),
    );
  });
});

/** A list of `count` rows, newest first, pages of at most `cap`; before page n, `arrivals[n]` rows come in. */
const listOf = (count: number, cap: number, arrivals: readonly number[]): Pick<Client, "call"> => {
  const rows = Array.from({ length: count }, (_, index) => ({ id: `T${index}` }));
  let page = 0;
  return {
    call: async (_route, input): Promise<Answer> => {
      const limit = Math.min(cap, Number(input?.query?.["limit"] ?? cap));
      const offset = Number(input?.query?.["offset"] ?? 0);
      for (let arrived = arrivals[page] ?? 0; arrived > 0; arrived--) rows.unshift({ id: `N${rows.length}` });
      page++;
      return { status: 200, headers: {}, text: "", body: { transactions: rows.slice(offset, offset + limit), total: rows.length } };
    },
  };
};

describe("listing everything", () => {
  it("gives each row once, and every row that was there at the start", async () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 40 }),
        arrivals,
        async (count, cap, pageSize, coming) => {
          const ids: string[] = [];
          try {
            for await (const row of listAll(listOf(count, cap, coming), { pageSize })) ids.push(row.id ?? "");
          } catch (error) {
            expect(error).toBeInstanceOf(CliError);
          }
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.filter((id) => id.startsWith("T")).length).toBe(count);
        },
      ),
    );
  });
});
