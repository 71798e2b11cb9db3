import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../../support/ends.ts";
import { payoutWords } from "../../support/payout-words.ts";
import { runBinary, startBinary } from "../../support/process.ts";
import { startModel } from "./model.ts";

type Listed = { attempts: { id: string; state: string; idempotencyKey: string; reference: string }[] };
const resumeAll = ["journal", "resume", "--all", "--yes", "--json"];

test.runIf(process.platform !== "win32")("one key from two terminals is sent by one, also while that one is stopped", async () => {
  const home = createHome();
  const model = await startModel("held");
  const options = { home, env: model.env };
  const created = model.nextCreate();
  const first = startBinary(payoutWords("TWO", "--idempotency-key", "own"), options);
  await created;
  for (const signal of [undefined, "SIGSTOP"] as const) {
    if (signal !== undefined) first.kill(signal);
    const second = await runBinary(payoutWords("TWO", "--idempotency-key", "own"), options);
    expect([second.code, second.stdout, JSON.parse(second.stderr).error.sent]).toEqual([11, "", "unknown"]);
    const resumed = await runBinary(resumeAll, options);
    expect([resumed.code, resumed.stdout]).toEqual([9, ""]);
    const marked = await runBinary(["journal", "resume", "own", "--mark", "refused", "--json"], options);
    expect([marked.code, marked.stdout]).toEqual([11, ""]);
  }
  expect(model.counts.creations).toBe(1);
  first.kill("SIGCONT");
  model.release();
  expect((await first).exitCode).toBe(0);
  const again = await runBinary(payoutWords("TWO", "--idempotency-key", "own"), options);
  expect([again.code, JSON.parse(again.stdout).transactionId]).toEqual([0, "T-1"]);
  expect(model.counts).toEqual({ creations: 1, mostAtOnce: 1 });
});

test("after a kill several resumes at once never have two requests with one key on the way", async () => {
  const home = createHome();
  const model = await startModel("held");
  const options = { home, env: model.env };
  for (const reference of ["A", "B", "C"]) {
    const created = model.nextCreate();
    const running = startBinary(payoutWords(reference), options);
    await created;
    running.kill("SIGKILL");
    await running;
  }
  // The list shows nothing: each has to be sent again.
  model.payments.clear();
  model.release();
  const ends = await Promise.all(Array.from({ length: 4 }, () => runBinary(resumeAll, options)));
  for (const { code, stderr } of ends) expect([0, 9], stderr).toContain(code);
  expect((await runBinary(resumeAll, options)).code).toBe(0);
  expect(model.counts.mostAtOnce).toBe(1);
  expect([...model.payments.values()].map(({ reference }) => reference).sort()).toEqual(["A", "B", "C"]);
});

test("a resume beside a running batch leaves its rows alone, also those that wait to be sent", async () => {
  const home = createHome();
  const model = await startModel("held");
  const options = { home, env: model.env };
  const file = join(home, "pay.csv");
  writeFileSync(file, `phone,amount,reference\n${Array.from({ length: 40 }, (_row, at) => `07123456${at + 10},100,R-${at}\n`).join("")}`);
  const created = model.nextCreate();
  const batch = startBinary(["b2c", "batch", file, "--yes", "--json", "--concurrency", "2"], options);
  await created;
  const { code, stdout } = await runBinary(resumeAll, options);
  expect([code, stdout]).toEqual([9, ""]);
  expect(model.counts.creations).toBeLessThanOrEqual(2);
  model.release();
  expect((await batch).exitCode).toBe(0);
  expect(model.counts).toEqual({ creations: 40, mostAtOnce: 1 });
});

test("a batch beside a payment with the key of its row: the row is unknown, and is not sent once more", async () => {
  const home = createHome();
  const model = await startModel("held");
  const options = { home, env: model.env };
  const file = join(home, "pay.csv");
  writeFileSync(file, "phone,amount,reference\n0712345678,100,ROW\n");
  const batch = ["b2c", "batch", file, "--yes", "--json"];
  let created = model.nextCreate();
  const killed = startBinary(batch, options);
  await created;
  killed.kill("SIGKILL");
  await killed;
  const { attempts } = JSON.parse((await runBinary(["journal", "list", "--json"], options)).stdout) as Listed;
  created = model.nextCreate();
  const single = startBinary(payoutWords("ROW", "--idempotency-key", attempts[0]?.idempotencyKey ?? ""), options);
  await created;
  const beside = await runBinary(batch, options);
  expect([beside.code, JSON.parse(beside.stdout).rows]).toMatchObject([13, [{ row: 1, state: "unknown" }]]);
  model.release();
  expect((await single).exitCode).toBe(0);
  expect(model.counts).toEqual({ creations: 2, mostAtOnce: 1 });
  expect(model.payments.size).toBe(1);
});
