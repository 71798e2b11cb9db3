import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { createHome } from "../../support/ends.ts";
import { binary, cleanEnv, node, startService } from "../../support/process.ts";

const home = createHome();

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
afterAll(() => agent.destroy());

type Answer = { readonly status: number; readonly retryAfter: string | undefined };
const post = (url: string, body: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent }, (incoming) => {
      incoming.resume().on("end", () => resolve({ status: incoming.statusCode ?? 0, retryAfter: incoming.headers["retry-after"] }));
    });
    outgoing.on("error", reject).end(body);
  });

/** Many at once, as a service does that makes up for an outage. */
const postAll = async (url: string, bodies: readonly string[]): Promise<readonly Answer[]> => await Promise.all(bodies.map((body) => post(url, body)));

/** `webhook listen --json`, whose reader takes the first line and then nothing until `readOn`. */
const listen = async (...flags: readonly string[]) => {
  const child = spawn(node, [binary, "webhook", "listen", "--port", "0", "--json", ...flags], {
    env: cleanEnv({ PAYMENTS_HOME: home }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const first = await lines.next();
  child.stdout.pause();
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const peakMb = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  const readOn = async (): Promise<readonly string[]> => {
    child.kill("SIGINT");
    child.stdout.resume();
    const ids: string[] = [];
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) ids.push(JSON.parse(next.value).id);
    return ids;
  };
  return { url: String(JSON.parse(first.value).url), peakMb, readOn, exited };
};

const bodyOf = (id: string, bytes: number): string =>
  JSON.stringify({ id, type: "payment.completed", data: { id, status: "COMPLETED", more: "x".repeat(bytes) } });
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `evt_${index}`);

it.skipIf(process.platform !== "linux")(
  "a reader that stalls: memory is bounded, the rest is asked to come again, and all that was accepted is shown",
  async () => {
    const listening = await listen();
    const answers = await postAll(
      listening.url,
      ids(700).map((id) => bodyOf(id, 200_000)),
    );
    const accepted = ids(700).filter((_, index) => answers[index]?.status === 200);
    const later = answers.filter(({ status }) => status === 503);
    expect(accepted.length + later.length).toBe(700);
    expect(later.length).toBeGreaterThan(500);
    expect(later[0]?.retryAfter).toMatch(/^\d+$/);
    // All of them would be 140 MB more than the program itself.
    expect(listening.peakMb()).toBeLessThan(200);
    expect([...(await listening.readOn())].sort()).toEqual([...accepted].sort());
    expect(await listening.exited).toBe(0);
  },
);

it.skipIf(process.platform !== "linux")("an endpoint that stalls: what it has not taken is never answered 200, and memory is bounded", async () => {
  const endpoint = await startService(() => undefined);
  const listening = await listen("--forward-to", endpoint.url, "--timeout", "2");
  const answers = await postAll(
    listening.url,
    ids(200).map((id) => bodyOf(id, 500_000)),
  );
  expect([...new Set(answers.map(({ status }) => status))].filter((status) => status !== 503)).toEqual([502]);
  expect(listening.peakMb()).toBeLessThan(300);
  expect(await listening.readOn()).toHaveLength(answers.filter(({ status }) => status === 502).length);
  expect(await listening.exited).toBe(0);
});

it.skipIf(process.platform !== "linux")("senders that never end their request: others are still served, and the program still ends", async () => {
  const listening = await listen();
  const { port } = new URL(listening.url);
  const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\n\r\n";
  const sockets = await Promise.all(
    Array.from(
      { length: 100 },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), "127.0.0.1", () => {
            socket.write(head + "x".repeat(10_000));
            resolve(socket);
          }).on("error", reject);
        }),
    ),
  );
  for (const socket of sockets) socket.on("error", () => undefined);
  expect((await post(listening.url, bodyOf("evt_1", 10))).status).toBe(200);
  expect(await listening.readOn()).toEqual(["evt_1"]);
  expect(await listening.exited).toBe(0);
  for (const socket of sockets) socket.destroy();
});
