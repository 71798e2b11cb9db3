import { expect, it } from "vitest";
import { run } from "../../../src/commands/webhook/listen.ts";
import { webhookListenSpec } from "../../../src/commands/webhook/spec.ts";
import { createHome } from "../../support/cli.ts";
import { typedInput } from "../../support/typed-input.ts";

it("listen does not forward to itself", async () => {
  let closed = 0;
  const listen = async () => ({
    url: "http://127.0.0.1:4877",
    port: 4877,
    close: async () => {
      closed += 1;
    },
  });
  const context = {
    env: {},
    webhookSettings: async () => ({ scheme: "standard-webhooks", secrets: ["whsec_bm90IGEgc2VjcmV0IG9mIGFueW9uZQ=="] }),
    signal: new AbortController().signal,
    flags: {},
    paths: { data: createHome() },
    note: () => undefined,
    client: async () => ({ mask: (text: string) => text }),
    listen,
  };
  const input = typedInput(webhookListenSpec, { port: "4877", "forward-to": "http://localhost:4877/hook" });
  await expect(run(input, context as unknown as Parameters<typeof run>[1])).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringContaining("this very listener"),
  });
  expect(closed).toBe(1);
});
