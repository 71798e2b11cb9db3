import { describe, expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { runBinary } from "../../support/process.ts";
import { withService } from "../../support/serve.ts";

const home = createHome();
const creations = {
  stk: ["stk", "--phone", "0712345678", "--amount", "10", "--json", "--retries", "1"],
  b2c: ["b2c", "--phone", "0712345678", "--amount", "100", "--yes", "--json", "--retries", "1"],
};

const pay = async (mode: string, command: readonly string[]) => {
  const { result, requests } = await withService(["--mode", mode], (baseUrl) =>
    runBinary([...command, "--reference", mode], { home, env: { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: baseUrl } }),
  );
  return { ...result, created: requests.filter(({ method }) => method === "POST") };
};

describe("what the service answers, on the real binary", () => {
  it.each(Object.entries(creations))("R2-16: success, paid and every field null: %s", async (_, command) => {
    const { code, stdout, stderr, created } = await pay("null-id", command);
    expect([code, stdout, created.length, new Set(created.map(({ key }) => key)).size]).toEqual([9, "", 2, 1]);
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "outcome-unknown", sent: "unknown" });
  });

  it.each(Object.entries(creations))("R2-17: JSON that calls itself HTML is JSON: %s", async (_, command) => {
    const { code, stdout, stderr, created } = await pay("html-type", command);
    expect([code, stderr, created.length]).toEqual([0, "", 1]);
    expect(JSON.parse(stdout)).toEqual({ transactionId: "tx_new1", status: command[0] === "b2c" ? "QUEUED" : "SENT" });
  });

  it.each(Object.entries(creations))("R2-17: a warning of the server's runtime in front of the JSON: %s", async (_, command) => {
    const { code, stdout, stderr, created } = await pay("php-warning", command);
    expect([code, stdout, created.length, new Set(created.map(({ key }) => key)).size]).toEqual([9, "", 2, 1]);
    expect(JSON.parse(stderr).error.message).toContain("HTML");
    expect(stderr).not.toMatch(/<|Deprecated|pay\.php|\/srv/);
  });
});
