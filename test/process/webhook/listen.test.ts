import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startBinary, startService } from "../../support/process.ts";

const home = mkdtempSync(join(tmpdir(), "payments-cli-listen-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

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
