// Bundles the program: one CommonJS entry with lazily loaded chunks for the binary, ES modules and types for the library.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { common } from "./bundle.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });

/**
 * Opening a file costs a start some 0.4 ms, and a call would open forty of them: what every command needs is one file, what
 * every request needs is another, and the rest stays in pieces that are loaded when they are used.
 */
const everyStart = [
  "kernel/(errors|command|exact-json)",
  "output/(display-width|sanitize|wrap)",
  "cli/(find-command|global-flags|help)",
  "main",
  "host/(interrupts|node-host|progress)",
];
const everyCall = [
  "kernel/outcome",
  "cli/(parse|context|account)",
  "client/(?!library-types).*",
  "contract/routes",
  "domain/(status|grouped)",
  "output/(csv|error-text|fields|format|json-text|paint|render|table)",
  "store/(profiles|profile-name|settings-file|safe-file|make-folder|secrets)",
  "host/(connect|exchange|transport-common|transport-node|proxy)",
  "flows/views/.*",
];
const modules = (names) =>
  new RegExp(`[\\\\/]src[\\\\/](${names.join("|").replaceAll("/", "[\\\\/]")})\\.ts$|${names === everyCall ? "node_modules[\\\\/]commander[\\\\/]" : "^$"}`);

const binary = await rolldown({ ...common, input: { start: "src/start.ts" } });
await binary.write({
  dir: "dist",
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  exports: "named",
  minify: false,
  sourcemap: false,
  // The program's loader runs plain scripts (src/host/compiled-code.ts), in which import() is not to be had everywhere.
  dynamicImportInCjs: false,
  codeSplitting: {
    groups: [
      { name: "core", test: modules(everyStart), priority: 2 },
      { name: "call", test: modules(everyCall), priority: 1 },
    ],
  },
});
await binary.close();

const boot = await rolldown({ ...common, input: { boot: "src/boot.ts" } });
await boot.write({ dir: "dist", format: "cjs", entryFileNames: "[name].cjs", exports: "named" });
await boot.close();

// With a thread's own copy of what it needs: it loads one file.
const thread = await rolldown({ ...common, input: { "journal-thread": "src/host/journal-worker.ts" } });
await thread.write({ dir: "dist", format: "cjs", entryFileNames: "[name].cjs", exports: "named", codeSplitting: false, dynamicImportInCjs: false });
await thread.close();

const library = await rolldown({ ...common, plugins: [], resolve: {}, input: { library: "src/library.ts", sandbox: "src/sandbox/library.ts" } });
await library.write({ dir: "dist", format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "library/[name]-[hash].mjs" });
await library.close();

const typescript = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
execFileSync(process.execPath, [typescript, "-p", "test/meta/tsconfig.types.json"], { cwd: root, stdio: "inherit" });

// The first page of help, known beforehand (bin/payments-cli.js).
writeFileSync(`${root}/dist/help.txt`, execFileSync(process.execPath, ["bin/payments-cli.js", "help"], { cwd: root }));
