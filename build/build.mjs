// Bundles the program: one CommonJS entry with lazily loaded chunks for the binary, ES modules and types for the library.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
// Native and optional: loaded where they are installed, missed in words where they are not.
const external = [/^node:/, "@photostructure/sqlite", "@napi-rs/keyring"];

rmSync(`${root}/dist`, { recursive: true, force: true });
const common = { cwd: root, platform: "node", external, logLevel: "warn", treeshake: true };

const binary = await rolldown({ ...common, input: { start: "src/start.ts" }, resolve: { mainFields: ["module", "main"] } });
await binary.write({
  dir: "dist",
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  exports: "named",
  minify: false,
  sourcemap: false,
});
await binary.close();

const library = await rolldown({ ...common, input: { library: "src/library.ts", sandbox: "src/sandbox/library.ts" } });
await library.write({ dir: "dist", format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "library/[name]-[hash].mjs" });
await library.close();

const typescript = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
execFileSync(process.execPath, [typescript, "-p", "test/meta/tsconfig.types.json"], { cwd: root, stdio: "inherit" });
