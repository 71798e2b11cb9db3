import { describe, expect, it } from "vitest";
import { run as listen } from "../../../src/commands/webhook/listen.ts";
import { webhookListenSpec } from "../../../src/commands/webhook/spec.ts";
import { signatureSchemes } from "../../../src/service/contract/limits.ts";
import { createHome, runCli } from "../../support/cli.ts";
import { serviceOf } from "../../support/transactions-service.ts";
import { typedInput } from "../../support/typed-input.ts";
import { createBench, secret } from "./bench.ts";

/** A few bytes at most, whatever the scheme makes of them. */
const empty = ["whsec_", "whsec_A", "a", "  x  "];
/** Few bytes once they are decoded, as Standard Webhooks does. */
const decoded = ["whsec_AA==", "whsec_QUJD", "QUJD"];
const cases = [
  ...signatureSchemes.flatMap((scheme) => empty.map((text) => [scheme, text] as const)),
  ...decoded.map((text) => ["standard-webhooks", text] as const),
];
const service = serviceOf([{ flow: "standard", id: "T1", reference: "R-1", amount: 10, status: "COMPLETED" }]);

describe("a webhook secret that protects nothing", () => {
  it.each(cases)("%s %j is refused wherever it would be used, and never repeated", async (scheme, text) => {
    const env = { PAYMENTS_WEBHOOK_SECRET: text };
    const posted: string[] = [];
    const post = async () => {
      posted.push("posted");
      return { status: 200, headers: {} };
    };
    const uses = [
      ["webhook", "verify", "--header", "webhook-id: x", "--header", "webhook-signature: x", "--body", "-"],
      ["webhook", "replay", "T1", "--to", "https://shop.example/"],
      ["webhook", "listen", "--port", "0"],
      ["tx", "watch", "T1", "--forward-to", "https://shop.example/"],
    ];
    for (const argv of uses) {
      const { code, stdout, stderr } = await runCli([...argv, "--signature", scheme, "--json"], { service, env, post, stdin: "{}" });
      const { message, hint } = JSON.parse(stderr).error;
      expect([argv[1], code, stdout, posted]).toEqual([argv[1], 2, "", []]);
      expect(message).toContain("secret");
      const bare = text.trim().replace(/^whsec_/, "");
      if (bare.length > 3) expect(`${message} ${hint}`).not.toContain(bare);
    }
  });

  it.each(cases)("%s %j is not stored", async (scheme, text) => {
    const home = createHome();
    expect((await runCli(["profile", "set", "shop", "--base-url", "https://pay.example"], { home })).code).toBe(0);
    const { code } = await runCli(["profile", "set", "shop", "--signature", scheme, "--with-webhook-secret"], { home, stdin: `${text}\n` });
    expect(code).toBe(2);
    const refused = await runCli(["webhook", "replay", "T1", "--to", "https://shop.example/", "--profile", "shop", "--json"], { home });
    expect(JSON.parse(refused.stderr).error.message).toContain("no webhook secret");
  });

  it("is refused beside a good one, by its place", async () => {
    const bench = createBench({ settings: { scheme: "standard-webhooks", secrets: [secret, "whsec_AA=="] } });
    await expect(listen(typedInput(webhookListenSpec, { port: "0" }), bench.context)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("2 of 2"),
    });
  });

  it.each([
    ["standard-webhooks", "whsec_YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcywgZmFrZSE="],
    ["standard-webhooks", "YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcywgZmFrZSE="],
    ["stripe", "whsec_demo_not_real_used_as_is"],
    ["hmac-sha256-hex", "demo_secret_not_real_1"],
    ["hmac-sha256-base64", "secret"],
    ["hmac-sha512-hex", "a secret with spaces"],
  ] as const)("%s %j is long enough", async (scheme, text) => {
    const { code } = await runCli(["webhook", "replay", "T1", "--to", "https://shop.example/", "--signature", scheme], {
      service,
      env: { PAYMENTS_WEBHOOK_SECRET: text },
      post: async () => ({ status: 200, headers: {} }),
    });
    expect(code).toBe(0);
  });
});
