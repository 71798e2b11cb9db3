// Whole processes, timed in turns so that load falls on all alike.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const binary = fileURLToPath(new URL("../../bin/payments-cli.js", import.meta.url));
const peak = fileURLToPath(new URL("peak.cjs", import.meta.url));

// Extra certificates cost every Node some 50 ms at start and would flatter each ratio.
export const cleanEnv = (extra = {}) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...extra });

const run = (args, env, descriptors) =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(process.execPath, args, { env: cleanEnv(env), stdio: ["ignore", ...descriptors] });
    let errors = "";
    let told = "";
    child.stdout.resume();
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.stdio[3]?.on("data", (chunk) => (told += chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ ms: performance.now() - from, code, errors, peakMb: Number(told) / 1024 }));
  });
export const timed = (args, env) => run(args, env, ["pipe", "pipe"]);
/** With the most memory that the process ever held, in MB. */
const weighed = (args, env) => run(["--require", peak, ...args], env, ["pipe", "pipe", "pipe"]);

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** `env` may be a function that makes each run ready. */
const inTurns = async (commands, { runs, warmUps, once }) => {
  const found = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let turn = -warmUps; turn < runs; turn++) {
    for (const [name, { args, env }] of Object.entries(commands)) {
      const one = await once(args, typeof env === "function" ? env() : env);
      if (one.code !== 0) throw new Error(`${name} ended ${one.code}: ${one.errors}`);
      if (turn >= 0) found[name].push(one);
    }
  }
  return found;
};
const each = (found, figure) => Object.fromEntries(Object.entries(found).map(([name, list]) => [name, figure(list)]));

/** Medians of `runs` for each named command, run in turns. Throws where one does not end 0. */
export const compare = async (commands, runs = 15) => {
  const found = await inTurns(commands, { runs, warmUps: 1, once: timed });
  return each(found, (list) => median(list.map(({ ms }) => ms)));
};

/** The same for what takes many seconds, where warming up changes nothing; with the most memory of all runs, in MB. */
export const compareLong = async (commands, runs) => {
  const found = await inTurns(commands, { runs, warmUps: 0, once: weighed });
  return {
    medians: each(found, (list) => median(list.map(({ ms }) => ms))),
    peaks: each(found, (list) => Math.max(...list.map(({ peakMb }) => peakMb))),
  };
};
