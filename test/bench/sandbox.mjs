import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLoad } from "./load.mjs";
import { binary, median, timed } from "./processes.mjs";
import { peerNames, startBare, startPeer, startServer } from "./servers.mjs";

const local = "/api/v1/merchants/payments";
const pushes = { method: "POST", path: `${local}/stk-push`, body: { phone: "254712345678", amount: 10 } };
const payouts = { ...pushes, path: `${local}/b2c` };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The built binary, on a folder of its own. `readyMs` is the time until it said that it listens. */
const startSandbox = async (folder) => {
  const startedMs = performance.now();
  const ready = (child) =>
    new Promise((resolve) => {
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
        if (text.includes("\n")) resolve({ ...JSON.parse(text.split("\n")[0]), readyMs: performance.now() - startedMs });
      });
    });
  const started = await startServer([binary, "sandbox", "--port", "0", "--data", folder, "--json"], { env: { PAYMENTS_HOME: folder }, ready });
  const headers = { authorization: `Bearer ${started.apiKey}`, "content-type": "application/json" };
  const ask = async (method, path, body) =>
    (await fetch(started.baseUrl + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })).json();
  return { ...started, url: started.baseUrl, headers, ask };
};

/** Money enough for all that follows, and approvals that come soon. */
const fund = async (sandbox) => {
  for (const wallet of ["balance", "b2c"]) for (let n = 0; n < 5; n += 1) await sandbox.ask("POST", "/_sandbox/topup", { wallet, amount: 1_000_000_000 });
  await sandbox.ask("PUT", "/_sandbox/settings", { autoApproveAfterMs: 500 });
};

const readiness = async (folder, runs = 7) => {
  const [floors, readys] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    floors.push((await timed(["-e", "0"], {})).ms);
    const sandbox = await startSandbox(folder);
    readys.push(sandbox.readyMs);
    await sandbox.close();
  }
  return { floor: median(floors), ready: median(readys) };
};

/** The lower of two ratios: of what came in a second, and of what came in a second of the server's own CPU, which a slow generator cannot flatter. */
const ratioOf = (ours, theirs) => {
  const rates = ours.perSecond / theirs.perSecond;
  if (ours.perCpuSecond === undefined || theirs.perCpuSecond === undefined) return rates;
  return Math.min(rates, ours.perCpuSecond / theirs.perCpuSecond);
};
const middle = (measured) => ({
  perSecond: median(measured.map((one) => one.perSecond)),
  perCpuSecond: measured.some((one) => one.perCpuSecond === undefined) ? undefined : median(measured.map((one) => one.perCpuSecond)),
});

/** Rounds of seconds that are not counted: a program that runs for hours is compiled, whoever's it is. */
const warmUps = 3;

/** Reads of one payment against a bare server, in turns. */
const reading = async (load, sandbox, rounds = 5) => {
  const bare = await startBare();
  const { transactionId } = await sandbox.ask("POST", pushes.path, { ...pushes.body, reference: "READ" });
  const plans = { ours: { ...sandbox, path: `${local}/transactions/${transactionId}` }, bare: { ...bare, headers: {} } };
  const found = { ours: [], bare: [] };
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [name, { url, path, headers, pid }] of Object.entries(plans)) {
      const measured = await load.measure({ url, path, headers, pid, ms: 1_000 });
      if (round >= 0) found[name].push(measured);
    }
  }
  await bare.close();
  return { ours: middle(found.ours), bare: middle(found.bare) };
};

/** As many callers for each server: what is measured is that creations which are there at once share one sync. */
const callers = 256;
/** What follows a creation is done so long after it: a push is approved, a payout paid. */
const followsMs = { push: 600, payout: 2_100 };
/** Creations alone: none of them is followed up before the last. */
const burst = async (load, sandbox, plan, ms, afterMs) => {
  const measured = await load.measure({ ...plan, url: sandbox.url, headers: sandbox.headers, pid: sandbox.pid, connections: callers, ms });
  await pause(afterMs);
  return measured;
};
/** Creations as they come for good: what those before left to be done goes on beside them, and is done before the next turn. */
const lasting = async (load, sandbox, plan, afterMs) => {
  await load.measure({ ...plan, url: sandbox.url, headers: sandbox.headers, pid: sandbox.pid, connections: callers, ms: afterMs });
  return await burst(load, sandbox, plan, 2_500, afterMs);
};
const writing = async (load, sandbox, rounds = 5) => {
  const started = await Promise.all(peerNames.map(async (name) => [name, await startPeer(name)]));
  const found = { push: [], payout: [], paid: [], ...Object.fromEntries(peerNames.map((name) => [name, []])) };
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, peer] of started) {
      if (peer.skipped !== undefined) continue;
      const asked = { url: peer.url, path: peer.path, headers: {}, pid: peer.pid, connections: callers };
      await load.measure({ ...asked, ms: round < 0 ? warmUps * 1_000 : 500 });
      const measured = await load.measure({ ...asked, ms: 1_000 });
      if (round >= 0) found[name].push(measured);
    }
    const push = await lasting(load, sandbox, pushes, followsMs.push);
    const paid = await lasting(load, sandbox, payouts, followsMs.payout);
    const payout = await burst(load, sandbox, payouts, 1_800, followsMs.payout);
    if (round < 0) continue;
    found.push.push(push);
    found.paid.push(paid);
    found.payout.push(payout);
  }
  for (const [, peer] of started) await peer.close?.();
  return { found: Object.fromEntries(Object.entries(found).flatMap(([name, list]) => (list.length === 0 ? [] : [[name, middle(list)]]))), started };
};

const rssMb = (pid) => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  } catch {
    return undefined;
  }
};
/** Memory while more and more is kept, and what a page costs at the end of it all. */
const growing = async (load, sandbox, { few, many }) => {
  const fill = async (wanted) => {
    const { total } = await sandbox.ask("GET", `${local}/transactions?flow=all&limit=1`);
    if (total < wanted) await load.measure({ ...pushes, url: sandbox.url, headers: sandbox.headers, pid: sandbox.pid, count: wanted - total });
    return rssMb(sandbox.pid);
  };
  const before = await fill(few);
  const after = await fill(many);
  await pause(1_000);
  const { total } = await sandbox.ask("GET", `${local}/transactions?flow=standard&limit=1`);
  const pages = { first: [], deep: [] };
  for (let round = -1; round < 4; round += 1) {
    for (const [name, offset] of Object.entries({ first: 0, deep: total - 200 })) {
      const path = `${local}/transactions?flow=standard&limit=100&offset=${offset}`;
      const measured = await load.measure({ url: sandbox.url, path, headers: sandbox.headers, connections: 1, count: 150 });
      if (round >= 0) pages[name].push(measured.ms);
    }
  }
  return { before, after, deep: median(pages.deep) / median(pages.first) };
};

const each = (measured) => `${Math.round(measured.perSecond)}/s`;

/** The embedded service, one core, loopback: all it must be quick at (issue: the sandbox is the whole service). */
export const sandbox = async ({ few = 20_000, many = 200_000 } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const load = await startLoad();
  try {
    const { floor, ready } = await readiness(folder);
    const service = await startSandbox(folder);
    await fund(service);
    const { ours, bare } = await reading(load, service);
    const { found, started } = await writing(load, service);
    await service.close();
    const fresh = await startSandbox(join(folder, "growing"));
    await fund(fresh);
    const grown = await growing(load, fresh, { few, many });
    await fresh.close();
    const against = (name) => ({ against: `${name}'s plain GET (${each(found[name])})` });
    const named = {
      push: "durable POST push, approvals beside it",
      payout: "durable POST payout",
      paid: "payouts made, and as many paid beside them",
    };
    const versus = (name, peer, target) => ({
      name: `${named[name]}, ${each(found[name])}`,
      ratio: ratioOf(found[name], found[peer]),
      target,
      ...against(peer),
    });
    const all = (peer, target) => [versus("push", peer, target), versus("payout", peer, target), versus("paid", peer, "none")];
    return [
      { name: `ready, ${Math.round(ready)} ms (300 ms wanted)`, ratio: ready / floor, target: "none", against: "node -e 0" },
      { name: `GET one payment, ${each(ours)}`, ratio: ratioOf(ours, bare), target: "at least 0.5", against: `a bare node:http server (${each(bare)})` },
      ...(found["json-server"] === undefined ? [] : all("json-server", "at least 1")),
      ...["Prism", "mockoon"].flatMap((peer) => (found[peer] === undefined ? [] : all(peer, "none"))),
      ...started.flatMap(([, peer]) => (peer.skipped === undefined ? [] : [{ skipped: peer.skipped }])),
      ...(grown.before === undefined
        ? [{ skipped: "memory: this system does not tell it" }]
        : [{ name: `memory with ${many} payments, ${Math.round(grown.after)} MB`, ratio: grown.after / grown.before, target: 1.5, against: `with ${few}` }]),
      { name: "a page at the end of them", ratio: grown.deep, target: 2, against: "the first page" },
    ];
  } finally {
    load.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
