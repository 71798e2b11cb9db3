// Mutation testing where money is decided: each small change to a file below must fail one of its tests.
// npm run mutation [-- FILE...]. Files on disk are never changed: the change is made as the test runner reads the file.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createVitest } from "vitest/node";
import { mutantsOf } from "./mutants.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const service = ["judge", "tries", "creations", "reads", "retry", "asleep", "reports"].map((name) => `test/service/${name}.test.ts`);
const payments = ["send-attempt", "grace", "settle-lookup", "create-payment", "settle", "two-senders", "settle-age"].map(
  (name) => `test/payments/${name}.test.ts`,
);
const testsByFile = {
  "src/service/judge.ts": service,
  "src/service/tries.ts": service,
  "src/service/retry.ts": ["test/service/retry.test.ts"],
  "src/payments/guard.ts": ["test/payments/guard.test.ts"],
  "src/payments/send-attempt.ts": payments,
  "src/payments/settle.ts": payments,
  "src/payments/settle-lookup.ts": payments,
  "src/reconcile/pair.ts": ["test/reconcile/pairing.test.ts", "test/reconcile/judging.test.ts"],
};
/** Caught, of a hundred mutants. */
const least = 85;

const wanted = process.argv.slice(2);
const files = Object.keys(testsByFile).filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));

/** The mutant that the runner reads in place of its file. */
let current;
const plugin = {
  name: "mutant",
  enforce: "pre",
  transform: (_, id) => (current !== undefined && id.split("?")[0] === current.path ? current.code : undefined),
};
const vitest = await createVitest(
  "test",
  {
    config: false,
    root,
    include: ["test/**/*.test.ts"],
    watch: true,
    bail: 1,
    pool: "forks",
    maxWorkers: 1,
    isolate: false,
    testTimeout: 30_000,
    setupFiles: [`${root}/test/mutation/limit.mjs`],
    reporters: [{}],
  },
  { plugins: [plugin] },
);
await vitest.standalone();

const survives = async (tests) => {
  const project = vitest.getRootProject();
  vitest.state.filesMap.clear();
  await vitest.runTestSpecifications(tests.map((test) => project.createSpecification(`${root}/${test}`)));
  const ran = vitest.state.getTestModules();
  return ran.length > 0 && ran.every((module) => module.ok()) && vitest.state.getUnhandledErrors().length === 0;
};

let isEnough = true;
for (const file of files) {
  const path = `${root}/${file}`;
  const source = readFileSync(path, "utf8");
  current = undefined;
  vitest.invalidateFile(path);
  process.env.MUTATION_LIMIT_MS = String(600_000);
  const from = performance.now();
  if (!(await survives(testsByFile[file]))) throw new Error(`The tests of ${file} fail without a mutant.`);
  // Five times what the tests take here and now, so that a busy computer is not taken for a loop.
  process.env.MUTATION_LIMIT_MS = String(Math.max(30_000, 5 * (performance.now() - from)));
  const survivors = [];
  const mutants = mutantsOf(source);
  for (const mutant of mutants) {
    current = { path, code: mutant.code };
    vitest.invalidateFile(path);
    if (await survives(testsByFile[file])) {
      survivors.push(mutant);
      console.log(`  survived ${file}:${mutant.line} ${mutant.what}`);
    }
  }
  const caught = Math.round((100 * (mutants.length - survivors.length)) / mutants.length);
  isEnough &&= caught >= least;
  console.log(`${file}: ${mutants.length - survivors.length} of ${mutants.length} caught (${caught}%)`);
}
await vitest.close();
process.exitCode = isEnough ? 0 : 1;
