import { expect, it } from "vitest";
import type { Json } from "../../src/json/exact-json.ts";
import type { Answer, CallInput, Client } from "../../src/ports.ts";
import { listAllByPages } from "../../src/transactions/list-transactions.ts";

const held: readonly Json[] = Array.from({ length: 30 }, (_, index) => ({ id: `T${index}` }));

/** Ten rows a page; tells the offsets asked for. `fail` is the offset that is not answered. `again`: the first rows of a page are there twice. */
const service = (fail?: number, again = 0): { readonly client: Pick<Client, "call">; readonly asked: readonly number[] } => {
  const asked: number[] = [];
  const call = async (_: unknown, input?: CallInput): Promise<Answer> => {
    const offset = Number(input?.query?.["offset"] ?? 0);
    asked.push(offset);
    if (offset === fail) throw new Error("lost");
    const rows = held.slice(offset, offset + 10);
    return { status: 200, headers: {}, text: "", body: { transactions: [...rows, ...rows.slice(0, again)], total: held.length } };
  };
  return { client: { call }, asked };
};

it("has one page on its way while another is used, and asks for none beyond the last", async () => {
  const { client, asked } = service();
  const seen: (readonly number[])[] = [];
  for await (const _ of listAllByPages(client, {})) seen.push([...asked]);
  expect(seen).toEqual([
    [0, 10],
    [0, 10, 20],
    [0, 10, 20],
  ]);
});

it("gives what came before a page that is lost, and tells of that one to whom goes on alone", async () => {
  const rows: Json[] = [];
  const all = async (): Promise<void> => {
    for await (const page of listAllByPages(service(10).client, {})) rows.push(...page.map(({ body }) => body));
  };
  await expect(all()).rejects.toThrow("lost");
  expect(rows).toEqual(held.slice(0, 10));
  // An unhandled rejection would fail this run.
  for await (const _ of listAllByPages(service(10).client, {})) break;
  await new Promise((done) => setImmediate(done));
});

it("passes over no row where others are twice on a page", async () => {
  const rows: Json[] = [];
  for await (const page of listAllByPages(service(undefined, 2).client, {})) rows.push(...page.map(({ body }) => body));
  expect(rows).toEqual(held);
});
