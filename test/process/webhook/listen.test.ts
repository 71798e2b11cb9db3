import { expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { runBinary, startBinary, startService } from "../../support/process.ts";

const home = createHome();

it("webhook listen says where, forwards the bytes, and ends with 0 on Ctrl-C", async () => {
  const endpoint = await startService((_, response) => response.writeHead(202).end());
  const running = startBinary(["webhook", "listen", "--port", "0", "--forward-to", `${endpoint.url}/h?a=1&b=2`, "--json"], { home });
  const lines: string[] = [];
  let posted: Promise<Response> | undefined;
  const body = '{ "type":"payment.completed","id":"evt_1","data":{"id":"T1","status":"COMPLETED","amount":1500.0} }\r\n';
  for await (const line of running) {
    lines.push(String(line));
    if (lines.length === 1) posted = fetch(JSON.parse(String(line)).url, { method: "POST", body, headers: { "content-type": "application/json" } });
    else running.kill("SIGINT");
  }
  const result = await running;
  expect({ code: result.exitCode, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
  expect((await posted)?.status).toBe(202);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ id: "evt_1", valid: false, reason: "not checked", duplicate: false, body });
  expect(endpoint.seen).toMatchObject([{ method: "POST", url: "/h?a=1&b=2", body }]);
});

it("against the sandbox it works with no settings: a payment's callback arrives and holds, and can be replayed", async () => {
  const running = startBinary(["webhook", "listen", "--sandbox", "--port", "0", "--json"], { home });
  const lines: string[] = [];
  let paid: Promise<unknown> | undefined;
  for await (const line of running) {
    lines.push(String(line));
    if (lines.length === 2) running.kill("SIGINT");
    const url = JSON.parse(String(line)).url;
    const stk = ["stk", "--sandbox", "--phone", "0712345001", "--amount", "10", "--reference", "W-1", "--callback-url", url];
    if (lines.length === 1) paid = runBinary(stk, { home });
  }
  const [result] = await Promise.all([running, paid]);
  expect(result.exitCode).toBe(0);
  const delivery = JSON.parse(lines[1] ?? "");
  expect(delivery).toMatchObject({ valid: true, duplicate: false, answered: 200 });
  const endpoint = await startService((_, response) => response.writeHead(200).end());
  const replay = await runBinary(["webhook", "replay", "--sandbox", JSON.parse(delivery.body).data.id, "--to", endpoint.url, "--json"], { home });
  expect(replay.code).toBe(0);
  expect(JSON.parse(endpoint.seen[0]?.body ?? "").type).toBe(JSON.parse(delivery.body).type);
});
