// Whole processes, timed in turns so that load falls on all alike.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const binary = fileURLToPath(new URL("../../bin/payments-cli.js", import.meta.url));

// Extra certificates cost every Node some 50 ms at start and would flatter each ratio.
export const cleanEnv = (extra = {}) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...extra });

export const timed = (args, env) =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(process.execPath, args, { env: cleanEnv(env), stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stdout.resume();
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ ms: performance.now() - from, code, errors }));
  });

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Medians of `runs` for each named command, run in turns. Throws where one does not end 0. */
export const compare = async (commands, runs = 15) => {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let run = -1; run < runs; run++) {
    for (const [name, { args, env }] of Object.entries(commands)) {
      const { ms, code, errors } = await timed(args, env);
      if (code !== 0) throw new Error(`${name} ended ${code}: ${errors}`);
      if (run >= 0) times[name].push(ms);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
};
