import { describe, expect, it } from "vitest";
import { runCli, type Service } from "../../support/cli.ts";

/** A transaction of a flow that this program does not know is listed under `all` alone. */
const rows = [
  { id: "T1", reference: " cafe\u0301 7 ", amount: 150, status: "COMPLETED" },
  { id: "T2", reference: "CAFÉ 7", amount: 10, status: "COMPLETED" },
];
const service: Service = ({ path, query }) => {
  if (path.endsWith("/transactions")) return { body: { transactions: query.get("flow") === "all" ? rows : [], total: query.get("flow") === "all" ? 2 : 0 } };
  return { body: rows.find(({ id }) => path.endsWith(`/${id}`)) };
};

describe.each(["get", "watch"])("tx %s --reference", (verb) => {
  it.each(["caf\u00e9 7", "cafe\u0301 7", "  caf\u00e9 7\t"])(
    "finds it in any flow, whatever stands around it and however its accents are written: %j",
    async (reference) => {
      const { code, stdout } = await runCli(["tx", verb, "--reference", reference, "-o", "jsonl"], { service });
      const found = JSON.parse(stdout);
      expect([code, (found.transaction ?? found)["id"]]).toEqual([0, "T1"]);
    },
  );

  it("finds no other letter case", async () => {
    expect((await runCli(["tx", verb, "--reference", "Café 7", "--json"], { service })).code).toBe(4);
  });

  it("refuses a global reference with blanks around it", async () => {
    const { code, requests } = await runCli(["tx", verb, "--reference", " GD-1 "], { service });
    expect([code, requests.length]).toEqual([2, 0]);
  });
});
