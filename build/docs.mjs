// Writes docs/commands.md from the command specs, read from source.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "docs-"));
try {
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    logLevel: "warn",
    input: { reference: "build/reference.ts", registry: "src/cli/registry.ts", flags: "src/cli/global-flags.ts" },
    // Packages stay outside: no command is run here.
    external: [/^node:/, /^@/, /^[a-z][a-z-]*$/],
  });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await bundle.close();
  const load = async (name) => await import(pathToFileURL(join(folder, name)).href);
  const [{ commandReference }, { registry }, { globalFlags }] = await Promise.all([load("reference.mjs"), load("registry.mjs"), load("flags.mjs")]);
  mkdirSync(join(root, "docs"), { recursive: true });
  writeFileSync(join(root, "docs", "commands.md"), commandReference(registry, globalFlags));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
