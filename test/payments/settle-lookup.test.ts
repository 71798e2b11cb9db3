import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import type { Attempt, AttemptFilter } from "../../src/journal/port.ts";
import type { Json } from "../../src/json/exact-json.ts";
import { lookUpAttempts } from "../../src/payments/settle-lookup.ts";
import type { CallInput } from "../../src/ports.ts";
import { newAttempt } from "../support/new-attempt.ts";

type Row = { readonly id?: string; readonly reference?: string; readonly amount?: number | string; readonly status?: string };
const attempt = (id: string, more: Partial<Attempt> = {}): Attempt => ({
  ...newAttempt(id),
  state: "unknown",
  tries: [],
  unanswered: true,
  reference: "RENT",
  ...more,
});
const rent: Row = { id: "T1", reference: "RENT", amount: 100, status: "COMPLETED" };

/** A look-up over these lists (by flow) and this journal; `asked` has each page that was read. */
const lookUp = async (
  attempts: readonly Attempt[],
  world: {
    readonly standard?: readonly Row[];
    readonly b2c?: readonly Row[];
    readonly journal?: readonly Attempt[];
    readonly total?: number;
    readonly seen?: readonly string[];
    /** What is answered about one transaction. */
    readonly details?: () => Json;
    /** When the mirror first saw each transaction. */
    readonly firstSeen?: Readonly<Record<string, string>>;
  },
) => {
  const asked: string[] = [];
  const found = await lookUpAttempts(attempts, {
    signal: new AbortController().signal,
    mirror: { firstSeen: () => new Map(Object.entries(world.firstSeen ?? {})) },
    journal: {
      list: async (filter: AttemptFilter) =>
        [...attempts, ...(world.journal ?? [])].filter((each) =>
          (["transactionId", "baseUrl", "operation", "reference", "state"] as const).every((name) => filter[name] === undefined || filter[name] === each[name]),
        ),
      seeTransactions: async (_, ids) => ids.filter((id) => world.seen?.includes(id)),
    },
    client: {
      call: async ({ path }, { query = {} }: CallInput = {}) => {
        if (!path.endsWith("/transactions")) return { status: 200, headers: {}, text: "", body: world.details?.() ?? {} };
        asked.push(`${query["flow"]} ${query["limit"]} ${query["offset"] ?? 0}`);
        const rows = (query["flow"] === "b2c" ? world.b2c : world.standard) ?? [];
        const offset = Number(query["offset"] ?? 0);
        const page = rows.slice(offset, offset + Number(query["limit"]));
        const body = { transactions: page.map((row) => ({ ...row })), ...(world.total === undefined ? {} : { total: world.total }) };
        return { status: 200, headers: {}, text: "", body };
      },
    },
  });
  return { found: Object.fromEntries(found), asked };
};

describe("the list that is read", () => {
  test("is that of the attempts' flow alone, once for all of them, in pages of 100", async () => {
    const rows = Array.from({ length: 150 }, (_, index) => ({ id: `T${index}`, reference: `R-${index}`, amount: 100, status: "SENT" }));
    const both = [attempt("A1", { operation: "stk", reference: "R-3" }), attempt("A2", { operation: "stk", reference: "R-140" })];
    const { found, asked } = await lookUp(both, { standard: rows, total: 150 });
    expect(asked).toEqual(["standard 100 0", "standard 100 100"]);
    expect(found).toEqual({
      A1: { candidates: [{ id: "T3", status: "SENT" }], complete: true },
      A2: { candidates: [{ id: "T140", status: "SENT" }], complete: true },
    });
    expect((await lookUp([attempt("A3")], { b2c: [{ ...rent }], total: 1 })).asked).toEqual(["b2c 100 0"]);
    expect((await lookUp([], {})).asked).toEqual([]);
  });

  test("proves nothing where fewer rows came than it says it has", async () => {
    const { found } = await lookUp([attempt("A1")], { b2c: [], total: 5 });
    expect(found["A1"]).toMatchObject({ candidates: [], complete: false });
  });
});

describe("a candidate", () => {
  test.each<readonly [string, Row, boolean]>([
    ["the same reference and amount", rent, true],
    ["the amount written otherwise", { ...rent, amount: "100.00" }, true],
    ["a reference with spaces around it", { ...rent, reference: " RENT " }, true],
    ["another reference", { ...rent, reference: "RENT-2" }, false],
    ["another amount", { ...rent, amount: 101 }, false],
    ["no reference", { id: "T1", amount: 100, status: "SENT" }, false],
    ["no id", { reference: "RENT", amount: 100, status: "SENT" }, false],
  ])("%s: %j is one: %s", async (_, row, isOne) => {
    const { found } = await lookUp([attempt("A1")], { b2c: [row], total: 1 });
    expect(found["A1"]?.candidates.length).toBe(isOne ? 1 : 0);
    expect(found["A1"]?.complete).toBe(true);
  });

  test("without a status has an empty one", async () => {
    const { status: _, ...row } = rent;
    expect((await lookUp([attempt("A1")], { b2c: [row], total: 1 })).found["A1"]?.candidates).toEqual([{ id: "T1", status: "" }]);
  });

  test("is one of several, in the order of the list", async () => {
    const { found } = await lookUp([attempt("A1")], { b2c: [rent, { ...rent, id: "T2" }], total: 2 });
    expect(found["A1"]?.candidates.map(({ id }) => id)).toEqual(["T1", "T2"]);
  });

  test("is another attempt's if that has its id, and this one's own if this one has it", async () => {
    const others = { journal: [attempt("B1", { state: "accepted", transactionId: "T1" })] };
    expect((await lookUp([attempt("A1")], { b2c: [rent], total: 1, ...others })).found["A1"]).toEqual({ candidates: [], complete: true });
    const elsewhere = { journal: [attempt("B1", { state: "accepted", transactionId: "T1", baseUrl: "http://127.0.0.1:8" })] };
    expect((await lookUp([attempt("A1")], { b2c: [rent], total: 1, ...elsewhere })).found["A1"]?.candidates).toHaveLength(1);
    expect((await lookUp([attempt("A1", { transactionId: "T1" })], { b2c: [rent], total: 1 })).found["A1"]?.candidates).toHaveLength(1);
  });

  test("is not one that was seen before the attempt began, unless it is known to be its own", async () => {
    expect((await lookUp([attempt("A1")], { b2c: [rent], total: 1, seen: ["T1"] })).found["A1"]).toEqual({ candidates: [], complete: true });
    const own = await lookUp([attempt("A1", { transactionId: "T1" })], { b2c: [rent], total: 1, seen: ["T1"] });
    expect(own.found["A1"]?.candidates).toHaveLength(1);
  });
});

describe("whether a transaction is older than the attempt", () => {
  const one = attempt("A1");
  const startedMs = Date.parse(one.startedAt);
  const candidates = async (world: Parameters<typeof lookUp>[1]) =>
    (await lookUp([one], { b2c: [rent], total: 1, ...world })).found["A1"]?.candidates.map(({ id }) => id);
  const failing = (status: number | undefined) => (): Json => {
    throw new CliError("rejected", "no details", status === undefined ? {} : { status });
  };

  test.each([400, 403, 499])("is not known where its details are answered %i", async (status) => {
    expect(await candidates({ details: failing(status) })).toEqual(["T1"]);
  });
  test.each([undefined, 429, 500, 503])("decides nothing where its details are lost: %s", async (status) => {
    await expect(candidates({ details: failing(status) })).rejects.toThrow("no details");
  });
  test("is not known of one without a date, or of another's details", async () => {
    expect(await candidates({ details: () => ({ id: "T1", createdAt: "yesterday" }) })).toEqual(["T1"]);
    expect(await candidates({ details: () => ({ id: "T2", createdAt: "2020-01-01T00:00:00Z" }) })).toEqual(["T1"]);
  });
  test("the mirror saw it before, not at the same moment", async () => {
    const at = (ms: number) => ({ firstSeen: { T1: new Date(ms).toISOString() } });
    expect([await candidates(at(startedMs - 1)), await candidates(at(startedMs))]).toEqual([[], ["T1"]]);
  });
  test("the service's clock may be a minute behind", async () => {
    const made = (ms: number) => ({ details: () => ({ id: "T1", createdAt: new Date(ms).toISOString() }) });
    expect([await candidates(made(startedMs - 60_001)), await candidates(made(startedMs - 60_000))]).toEqual([[], ["T1"]]);
  });
});
