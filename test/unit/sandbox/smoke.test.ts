import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemas } from "../../../src/contract/schemas.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";

for (const data of ["ephemeral", "disk"]) {
  test(`all eleven endpoints answer (${data})`, async () => {
    const clock = {
      nowMs: Date.UTC(2026, 2, 1, 8),
      now() {
        return this.nowMs;
      },
    };
    const sandbox = await createSandbox({ data: data === "disk" ? mkdtempSync(join(tmpdir(), "sb-")) : data, seed: 1, clock });
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await sandbox.handle({
        method,
        path,
        headers: {
          authorization: `Bearer ${sandbox.apiKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json", "idempotency-key": JSON.stringify(body).replace(/[^a-z0-9]/gi, "") }),
        },
        body: body === undefined ? "" : JSON.stringify(body),
      });
      if ("drop" in answer) throw new Error(answer.drop);
      return { status: answer.status, body: JSON.parse(String(answer.body)), headers: answer.headers };
    };
    const p = "/api/v1/merchants/payments";
    const g = "/api/v1/global";
    const stk = await ask("POST", `${p}/stk-push`, { phone: "254712345678", amount: 150, reference: "A" });
    expect(stk.body.status).toBe("SENT");
    const again = await ask("POST", `${p}/stk-push`, { phone: "254712345678", amount: 150, reference: "A" });
    expect(again.body).toEqual(stk.body);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    const b2c = await ask("POST", `${p}/b2c`, { phone: "254712345678", amount: 150, reference: "B" });
    expect(schemas.b2c.reply.parse(b2c.body)).toBeTruthy();
    const w = await ask("GET", `${p}/wallet`);
    expect(w.body.wallet.b2cHeldBalance).toBe(155);
    clock.nowMs += 10_000;
    const tx = await ask("GET", `${p}/transactions/${stk.body.transactionId}`);
    expect(tx.body).toMatchObject({ status: "COMPLETED", amount: 150 });
    console.log(tx.body);
    for (const [id, path] of [
      ["wallet", `${p}/wallet`],
      ["b2cStats", `${p}/stats/b2c`],
      ["listTransactions", `${p}/transactions?flow=all`],
      ["providers", `${g}/providers`],
      ["globalWallet", `${g}/wallet`],
      ["fxRates", `${g}/fx/rates?base=KES`],
    ] as const) {
      const answer = await ask("GET", path);
      expect(answer.status, path).toBe(200);
      schemas[id].reply.parse(answer.body);
      if (id === "wallet") console.log(JSON.stringify(answer.body));
    }
    const c = await ask("POST", `${g}/collections`, { rail: "UG_MOMO", msisdn: "0772000001", amount: 5000, currency: "UGX" });
    expect(c.status, JSON.stringify(c.body)).toBe(200);
    const d = await ask("POST", `${g}/disbursements`, {
      rail: "UG_MOMO",
      channel: "MOBILE_MONEY",
      operator: "MTN",
      payeeMsisdn: "0772000001",
      amount: 5000,
      currency: "UGX",
    });
    expect(d.status, JSON.stringify(d.body)).toBe(200);
    clock.nowMs += 10_000;
    console.log((await ask("GET", `${g}/wallet`)).body, c.body, d.body);
    await sandbox.close();
  });
}
