// Writes the dashboard's plain files into a module, so that they are found from source, from the bundle and from a package alike.
// Run it after a change under src/sandbox/dashboard/assets; test/sandbox says when that was forgotten.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../src/sandbox/dashboard/assets/", import.meta.url));
const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/").replaceAll("//", "/").slice(folder.length))
  .sort();
const line = (name) => `  ${JSON.stringify(name)}: ${JSON.stringify(readFileSync(folder + name, "utf8").replaceAll("\r\n", "\n"))},`;

const head = [
  "// Made from assets/ by build/embed-assets.mjs: change the files there and run it.",
  "// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of other programs.",
  "// biome-ignore format: a file is a line.",
];

writeFileSync(
  fileURLToPath(new URL("../src/sandbox/dashboard/assets.ts", import.meta.url)),
  `${head.join("\n")}\nexport const assets: Readonly<Record<string, string>> = {\n${names.map(line).join("\n")}\n};\n`,
);
