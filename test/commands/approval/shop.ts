import { expect } from "vitest";
import { createHome, runCli, type ServiceAnswer } from "../../support/cli.ts";
import { createPayouts } from "../b2c-batch/payouts.ts";

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly state: string };

/** One merchant's machine: its home, its clock and the service. */
export const createShop = () => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const trouble: { next: (() => ServiceAnswer) | undefined } = { next: undefined };
  const payouts = createPayouts((request) => {
    if (request.method !== "POST" || trouble.next === undefined) return undefined;
    const { next } = trouble;
    trouble.next = undefined;
    return next();
  });
  const run = (words: readonly string[], more: Parameters<typeof runCli>[1] = {}) => runCli(words, { home, clock, service: payouts.service, ...more });
  const json = async (...words: string[]): Promise<Row> => {
    const { code, stdout, stderr } = await run([...words, "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  const errorOf = async (words: readonly string[], code: number): Promise<Row> => {
    const ended = await run([...words, "--json"]);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    return JSON.parse(ended.stderr).error;
  };
  return { home, clock, trouble, payouts, run, json, errorOf };
};
