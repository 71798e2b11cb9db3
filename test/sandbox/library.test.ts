import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/library.ts";

describe("payments-cli/sandbox", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  const start = async (options: Parameters<typeof createSandbox>[0] = {}): Promise<Sandbox> => {
    const sandbox = await createSandbox({ autoApproveAfterMs: null, ...options });
    open.push(sandbox);
    return sandbox;
  };
  const ask = async (sandbox: Sandbox, method: string, path: string, body?: unknown, apiKey = sandbox.apiKey) => {
    const answer = await fetch(`${sandbox.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
  };
  const push = (sandbox: Sandbox, more: object = {}) =>
    ask(sandbox, "POST", "/api/v1/merchants/payments/stk-push", { phone: "254712345678", amount: 100, reference: "T-1", ...more });
  const statusOf = async (sandbox: Sandbox, id: unknown) => (await ask(sandbox, "GET", `/api/v1/merchants/payments/transactions/${String(id)}`)).body["status"];

  it("takes a free port, answers prompts, and closes", async () => {
    const [sandbox, other] = [await start(), await start()];
    expect(sandbox.url).not.toBe(other.url);
    const { body } = await push(sandbox);
    expect(await statusOf(sandbox, body["transactionId"])).toBe("SENT");
    const [prompt] = await sandbox.prompts();
    expect(prompt).toMatchObject({ transactionId: body["transactionId"], phone: "254712345678", amount: 100, reference: "T-1" });
    await sandbox.answerPrompt(prompt?.transactionId ?? "", "approve");
    expect(await statusOf(sandbox, body["transactionId"])).toBe("COMPLETED");
    expect((await sandbox.ledger("balance"))[0]).toMatchObject({ type: "FEE", transactionId: body["transactionId"] });
    expect(await other.prompts()).toEqual([]);
    await sandbox.close();
    open.shift();
    await expect(fetch(sandbox.url)).rejects.toThrow();
  });

  it("moves time, delivers callbacks, and sends them again", async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      request.on("data", (chunk) => received.push(String(chunk))).on("end", () => response.end("ok"));
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    open.push({ close: () => new Promise((resolve) => void receiver.close(() => resolve())) });
    const sandbox = await start();
    const { body } = await push(sandbox, { callbackUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` });
    await sandbox.advance(3_600_000);
    expect(await statusOf(sandbox, body["transactionId"])).toBe("EXPIRED");
    await expect.poll(() => received.length).toBe(1);
    const [delivery] = await sandbox.deliveries();
    expect(delivery?.transactionId).toBe(body["transactionId"]);
    await sandbox.resend(delivery?.id ?? "");
    await expect.poll(() => received.length).toBe(2);
    receiver.closeAllConnections();
  });

  it("breaks requests on demand, lists them, and starts afresh", async () => {
    const sandbox = await start();
    await sandbox.setFaults([{ kind: "503", method: "POST", path: "/api/v1/merchants/payments/stk-push", times: 1 }]);
    expect((await push(sandbox)).status).toBe(503);
    expect((await push(sandbox)).status).toBe(200);
    expect((await sandbox.requests()).map(({ status }) => status)).toEqual([200, 503]);
    await sandbox.reset();
    expect(await sandbox.prompts()).toEqual([]);
  });

  it("is the same for the same seed, and its keys may do less", async () => {
    const [one, two] = [await start({ seed: 5 }), await start({ seed: 5 })];
    expect(one.apiKey).toBe(two.apiKey);
    expect((await push(one)).body).toEqual((await push(two)).body);
    const reader = await one.createKey(["wallet:read"]);
    expect((await ask(one, "GET", "/api/v1/merchants/payments/wallet", undefined, reader)).status).toBe(200);
    expect(await ask(one, "POST", "/_sandbox/reset", {}, reader)).toMatchObject({ status: 403, body: { code: "SCOPE_REQUIRED" } });
  });

  it("answers the same to the last digit on a clock that stands still, and arms what comes next", async () => {
    const clock = { now: () => 1_790_000_000_000 };
    const wallets = await Promise.all(
      [1, 2].map(async () => {
        const sandbox = await start({ seed: 5, clock });
        expect(await sandbox.now()).toBe(clock.now());
        await sandbox.arm("no-funds");
        const [unpaid, paid] = [await push(sandbox), await push(sandbox)];
        await sandbox.advance(60_000);
        await sandbox.answerPrompt(String(paid.body["transactionId"]), "approve");
        expect(await sandbox.now()).toBe(clock.now() + 60_000);
        expect(await statusOf(sandbox, unpaid.body["transactionId"])).toBe("FAILED");
        return (await ask(sandbox, "GET", "/api/v1/merchants/payments/wallet")).body;
      }),
    );
    expect(wallets[0]).toEqual(wallets[1]);
  });

  it("settles the global side and refuses in words", async () => {
    const sandbox = await start();
    const { body } = await ask(sandbox, "POST", "/api/v1/global/collections", { rail: "UG_MOMO", msisdn: "0772345678", amount: 5000, currency: "UGX" });
    const { reference } = body["collection"] as { readonly reference: string };
    await sandbox.settleCollection(reference, "confirm");
    expect((await sandbox.ledger("global")).some((entry) => entry.reference === reference)).toBe(true);
    await expect(sandbox.settleCollection(reference, "fail")).rejects.toThrow(/409.*COMPLETED already/);
    await expect(sandbox.topup("balance", Number.NaN)).rejects.toThrow(/\b400: amount\b/);
    await sandbox.topup("b2c", 10);
  });

  it("serves the dashboard to this machine and nobody else's page", async () => {
    const sandbox = await start();
    expect(await (await fetch(sandbox.dashboardUrl)).text()).toContain(sandbox.apiKey);
    const foreign = await fetch(`${sandbox.url}/_sandbox/reset`, {
      method: "POST",
      headers: { origin: "https://evil.example", authorization: `Bearer ${sandbox.apiKey}` },
    });
    expect(foreign.status).toBe(403);
  });
});
