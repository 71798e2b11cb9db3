import { expect, test } from "vitest";
import { runCli, type Service } from "../../support/cli.ts";

test("a service that lists the same transactions under either flow is synced to its end", async () => {
  const all = Array.from({ length: 10 }, (_, at) => ({ id: at, reference: `R ${at}`, amount: at, status: "Success" }));
  const service: Service = ({ path, query }) => {
    const id = path.split("/transactions/")[1];
    if (id !== undefined) return { body: { ...all[Number(id)], provider: "p" } };
    const offset = Number(query.get("offset") ?? 0);
    return { body: { transactions: all.slice(offset, offset + 3), total: all.length } };
  };
  const { code, stdout } = await runCli(["tx", "sync", "--json"], { service });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, total: 10, new: 10 });
});
