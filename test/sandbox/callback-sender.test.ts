import { expect, test } from "vitest";
import type { Post } from "../../src/sandbox/callback-sender.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { type Body, local } from "./harness.ts";

/** A sandbox whose callbacks to `/hangs` are answered when the test says so, or never. */
const open = async () => {
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const posted: string[] = [];
  const signals: AbortSignal[] = [];
  let answer = (): void => undefined;
  const post: Post = (url, _headers, _body, signal) => {
    posted.push(url.pathname);
    signals.push(signal);
    if (url.pathname !== "/hangs") return Promise.resolve({ status: 500 });
    return new Promise((resolve, reject) => {
      answer = () => resolve({ status: 200 });
      signal.addEventListener("abort", () => reject(new Error("given up")));
    });
  };
  const sandbox = await createSandbox({ data: "ephemeral", seed: 1, clock: { now: () => clock.nowMs }, post });
  const ask = async (method: string, path: string, body: object = {}): Promise<Body> => {
    const reply = await sandbox.handle({ method, path, headers: { authorization: `Bearer ${sandbox.apiKey}` }, body: JSON.stringify(body) });
    if ("drop" in reply) throw new Error("dropped");
    return JSON.parse(String(reply.body));
  };
  const push = (path: string) =>
    ask("POST", `${local}/stk-push`, { phone: "254712345678", amount: 1, reference: path, callbackUrl: `https://shop.example${path}` });
  /** What the ticker of a running sandbox does. */
  const pass = async (ms: number): Promise<void> => {
    clock.nowMs += ms;
    await sandbox.look();
  };
  return { sandbox, clock, posted, signals, ask, push, pass, answer: () => answer() };
};

test("an endpoint that hangs holds up neither other callbacks nor the end", async () => {
  const { sandbox, posted, signals, push, pass } = await open();
  await push("/hangs");
  await pass(3_000);
  await push("/other");
  await pass(3_000);
  expect(posted).toEqual(["/hangs", "/other"]);
  await sandbox.close();
  expect(signals[0]?.aborted).toBe(true);
});

test("an answer that comes after a reset is not taken for that of the new delivery with its id", async () => {
  const { sandbox, ask, push, pass, answer } = await open();
  await push("/hangs");
  await pass(3_000);
  await ask("POST", "/_sandbox/reset");
  await push("/other");
  await pass(3_000);
  answer();
  await sandbox.tick();
  const { deliveries } = await ask("GET", "/_sandbox/deliveries");
  expect(deliveries).toMatchObject([{ state: "due", url: "https://shop.example/other", tries: [{ status: 500 }] }]);
  await sandbox.close();
});

test("a callback that was due before the clock was moved is tried, and dated, before the move", async () => {
  const { sandbox, ask, push, pass, clock } = await open();
  await push("/other");
  clock.nowMs += 3_000;
  const dueMs = clock.nowMs;
  await ask("POST", "/_sandbox/clock", { advanceMs: 86_400_000 });
  const times = async () =>
    (await ask("GET", "/_sandbox/deliveries")).deliveries.map((one: Body) => [one.createdAt, ...one.tries.map((tried: Body) => tried.at)]);
  expect(await times()).toEqual([[new Date(dueMs).toISOString(), new Date(dueMs).toISOString()]]);
  // Its next try, 5 s later, was due on the way.
  await pass(0);
  await sandbox.tick();
  expect((await times())[0]).toHaveLength(3);
  await sandbox.close();
});

test("callback-early: the answer waits for the callback, also where a look at the same moment took it up", async () => {
  const { sandbox, posted, ask, answer } = await open();
  const early = { phone: "254712345024", amount: 10, reference: "E", callbackUrl: "https://shop.example/hangs" };
  let answered = false;
  const asked = ask("POST", `${local}/b2c`, early).then((body) => {
    answered = true;
    return body;
  });
  const looks = Promise.all([sandbox.look(), sandbox.look(), sandbox.look()]);
  await expect.poll(() => posted).toEqual(["/hangs"]);
  await looks;
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  answer();
  expect((await asked).status).toBe("QUEUED");
  await sandbox.close();
});
