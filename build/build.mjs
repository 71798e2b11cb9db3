// Bundles the program: one CommonJS entry with lazily loaded chunks for the binary, ES modules and types for the library.
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { common } from "./bundle.mjs";
import { publishContractTypes } from "./contract-types.mjs";
import { copySqlite } from "./copy-sqlite.mjs";
import { licensesOf } from "./licenses.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });

/**
 * Opening a file costs a start some 0.4 ms, and a call would open forty of them; every file of the package costs whoever tries
 * it through npx some 3 ms. So the program is in a few files, by what runs together; the first that names a module has it,
 * with all that it imports. What is large and seldom needed (a library, the dashboard, the batch) stays in pieces of its own.
 */
const pieces = {
  core: [
    "errors",
    "command",
    "json/exact-json",
    "output/(display-width|sanitize|wrap)",
    "cli/(find-command|global-flags|help)",
    // The command line is checked by it.
    "payments/reference",
    "main",
    "host/(interrupts|node-host|progress)",
  ],
  call: [
    "outcome",
    "cli/(parse|context)",
    "accounts/(account|profiles|settings-file|secrets)",
    "service/[a-z-]+",
    "service/contract/routes",
    "transactions/status",
    "money/grouped",
    "output/(csv|error-text|fields|format|json-text|render)",
    "storage/(safe-file|make-folder)",
    "host/(connect|dial|proxy|request-time|send-once|transport)",
    "output/views/.*",
  ],
  // Tables and colours: a call that prints JSON has no use for them.
  drawing: ["output/(live-table|paint|table)"],
  complete: ["cli/complete", "payments/rails"],
  signature: ["webhooks/webhook-signature"],
  find: ["commands/tx/find", "transactions/(mirror|mirror-[a-z]+)", "storage/(sqlite|lock|commit-queue)"],
  pay: [
    "payments/(create-payment|await-final)",
    "transactions/(list-transactions|sync-details)",
    "commands/(stk|b2c|wallet|global|tx)/(stk|b2c|stats|wallet|collect|withdraw|providers|fx|list|get)",
  ],
  records: ["journal/journal", "commands/journal/(list|show|resume|prune)", "commands/tx/sync"],
  batch: ["commands/b2c/batch"],
  table: ["tables/(read-table|input-file)"],
  xlsx: ["tables/(open-workbook|xlsx|workbook)"],
  queue: ["webhooks/forward-queue"],
  webhooks: ["webhooks/deliver", "commands/webhook/(listen|replay|verify)", "host/callback-listener"],
  settings: [
    "commands/(login|logout|whoami|commands)/[a-z]+",
    "commands/schema/schema",
    "commands/profile/(list|set|remove|use)",
    "commands/completion/.*",
    "cli/help-topics",
  ],
  doctor: ["commands/doctor/doctor", "host/inspect"],
  // zod and the fields of the endpoints: for schemas and for the sandbox.
  contract: ["service/contract/schemas"],
  sandbox: ["sandbox/(sandbox|state-queue|request|ticking|connection|running|storage/.*)"],
};
const sources = readdirSync(`${root}/src`, { recursive: true }).map((path) => `/src/${String(path).replaceAll("\\", "/")}`);
for (const [name, patterns] of Object.entries(pieces)) {
  const stale = patterns.filter((pattern) => !sources.some((path) => new RegExp(`^/src/(${pattern})\\.ts$`).test(path)));
  if (stale.length > 0) throw new Error(`The piece ${name} names modules that do not exist: ${stale.join(", ")}`);
}
const modules = (name) =>
  new RegExp(`[\\\\/]src[\\\\/](${pieces[name].join("|").replaceAll("/", "[\\\\/]")})\\.ts$|${name === "call" ? "node_modules[\\\\/]commander[\\\\/]" : "^$"}`);

/** Every module that went into a file. */
const bundled = [];
const write = async (bundle, options) => {
  const { output } = await bundle.write({ dir: "dist", ...options });
  bundled.push(...output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
  await bundle.close();
};

const binary = await rolldown({ ...common, input: { start: "src/start.ts" } });
await write(binary, {
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  exports: "named",
  minify: false,
  sourcemap: false,
  // The program's loader runs plain scripts (src/host/compiled-code.ts), in which import() is not to be had everywhere.
  dynamicImportInCjs: false,
  codeSplitting: {
    groups: Object.keys(pieces).map((name, index, names) => ({ name, test: modules(name), priority: names.length - index })),
  },
});

const boot = await rolldown({ ...common, input: { boot: "src/boot.ts" } });
await write(boot, { format: "cjs", entryFileNames: "[name].cjs", exports: "named" });

const library = await rolldown({ ...common, resolve: {}, input: { library: "src/library.ts", sandbox: "src/sandbox/library.ts" } });
await write(library, { format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "library/[name]-[hash].mjs" });

// The types in one file an entry: in files of their own they were a third of the package's, and named packages that it does not bring.
const typescript = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
execFileSync(process.execPath, [typescript, "-p", "test/meta/tsconfig.types.json"], { cwd: root, stdio: "inherit" });
await publishContractTypes(`${root}/dist/types/service/contract/types.d.ts`);
const types = await rolldown({
  cwd: root,
  input: { library: "dist/types/library.d.ts", sandbox: "dist/types/sandbox/library.d.ts" },
  external: /^[^./]/,
  plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  logLevel: "warn",
});
await write(types, { format: "esm", entryFileNames: "[name].d.ts" });
rmSync(`${root}/dist/types`, { recursive: true });
copySqlite(`${root}/dist/sqlite`);
writeFileSync(`${root}/dist/licenses.txt`, licensesOf(bundled));

// The first page of help, known beforehand (bin/payments-cli.js).
writeFileSync(`${root}/dist/help.txt`, execFileSync(process.execPath, ["bin/payments-cli.js", "help"], { cwd: root }));
