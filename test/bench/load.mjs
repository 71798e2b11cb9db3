// Load in a process of its own: what is measured shares no event loop, and where there are two, no core, with what measures.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Agent } from "undici";
import { pinned } from "./servers.mjs";

/** CPU time of a process and its threads, ms; undefined where the system does not tell. */
const cpuMs = (pid) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
};

/** Starts the generator. `measure(plan)` gives requests per second, and per second of the server's own CPU. */
export const startLoad = async () => {
  const child = fork(fileURLToPath(import.meta.url), ["generate"], { execArgv: [], ...pinned("load") });
  await new Promise((resolve) => child.once("message", resolve));
  const send = (plan) =>
    new Promise((resolve, reject) => {
      child.once("message", (answer) => (answer.error === undefined ? resolve(answer) : reject(new Error(answer.error))));
      child.send(plan);
    });
  return {
    measure: async ({ pid, ...plan }) => {
      const before = cpuMs(pid);
      const { count, ms } = await send(plan);
      const spent = before === undefined ? 0 : cpuMs(pid) - before;
      return { count, ms, perSecond: (count * 1000) / ms, perCpuSecond: spent > 0 ? (count * 1000) / spent : undefined };
    },
    close: () => void child.kill(),
  };
};

const answersOf = (agent, plan, body) =>
  new Promise((resolve, reject) => {
    let status = 0;
    const options = { origin: plan.url, path: plan.path, method: plan.method ?? "GET", headers: { ...plan.headers, ...body?.headers }, body: body?.text };
    agent.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart: (_, code) => {
        status = code;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => (status === 200 ? resolve() : reject(new Error(`${plan.method ?? "GET"} ${plan.path} was answered ${status}`))),
      onResponseError: (_, error) => reject(error),
    });
  });

/** `count` requests, or as many as `ms` leaves time for; each creation with a key and a reference of its own. */
const generate = async (plan, run) => {
  const agent = new Agent({ connections: plan.connections ?? 64, pipelining: 1 });
  const body =
    plan.body === undefined
      ? undefined
      : (n) => ({ text: JSON.stringify({ ...plan.body, reference: `R-${run}-${n}` }), headers: { "idempotency-key": `k-${run}-${n}` } });
  const wanted = plan.count ?? Number.POSITIVE_INFINITY;
  const startedMs = performance.now();
  const endsMs = startedMs + (plan.ms ?? Number.POSITIVE_INFINITY);
  let next = 0;
  const worker = async () => {
    while (next < wanted && performance.now() < endsMs) {
      next += 1;
      await answersOf(agent, plan, body?.(next));
    }
  };
  try {
    await Promise.all(Array.from({ length: plan.connections ?? 64 }, worker));
    return { count: next, ms: performance.now() - startedMs };
  } finally {
    await agent.close();
  }
};

if (process.argv[2] === "generate" && process.send !== undefined) {
  let runs = 0;
  process.on("message", (plan) => {
    runs += 1;
    generate(plan, `${process.pid}-${runs}`).then(
      (answer) => process.send(answer),
      (error) => process.send({ error: error.message }),
    );
  });
  process.send("ready");
}
