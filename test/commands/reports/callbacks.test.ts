import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";

type Vector = { name: string; scheme: string; headers: Record<string, string>; secret: string; now: number; body: string };
const vectors = JSON.parse(readFileSync(new URL("../../cases/webhooks.json", import.meta.url), "utf8")) as Vector[];

it.each(["sw-short-signature", "hex-short", "stripe-short"])("W2: %s, of another length, is invalid and no crash", async (name) => {
  const vector = vectors.find((one) => one.name === name);
  if (vector === undefined) throw new Error(`no vector ${name}`);
  const headers = Object.entries(vector.headers).flatMap(([header, value]) => ["--header", `${header}: ${value}`]);
  const argv = ["webhook", "verify", "--signature", vector.scheme, ...headers, "--body", "-", "--at", String(vector.now)];
  const { code, stdout, stderr } = await runCli(argv, { env: { PAYMENTS_WEBHOOK_SECRET: vector.secret }, stdin: vector.body });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/signature/);
  expect(stderr).not.toMatch(/\n\s+at |RangeError|same byte length/);
});
