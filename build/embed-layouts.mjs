// Writes the layouts' JSON files into a module, so that they are found from source, from the bundle and from a package alike.
// The build runs it; test/reconcile says when that was forgotten.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../src/reconcile/layouts/", import.meta.url));
const line = (name) => `  ${JSON.stringify(JSON.parse(readFileSync(folder + name, "utf8")))},`;
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort();

const text = `// Made from layouts/ by build/embed-layouts.mjs: change the files there.
import type { LayoutData } from "./layout-schema.ts";

export const builtInLayouts: readonly LayoutData[] = [
${names.map(line).join("\n")}
];
`;
const target = fileURLToPath(new URL("../src/reconcile/built-in-layouts.ts", import.meta.url));
if (process.argv.includes("--check")) process.exitCode = readFileSync(target, "utf8") === text ? 0 : 1;
else writeFileSync(target, text);
