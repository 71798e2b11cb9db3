// The licences of the packages that are bundled: what they ask of whoever passes them on.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** From their repositories: licences that the packages themselves leave out. */
const kept = fileURLToPath(new URL("licences/", import.meta.url));

const packageOf = (module) => /^(?!\0).*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0];

/** One text for the packages that these modules are of. Throws where one has none. */
export const licensesOf = (modules) => {
  const texts = new Map();
  for (const folder of new Set(modules.map(packageOf))) {
    if (folder === undefined) continue;
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
    const path = file === undefined ? join(kept, `${name}.txt`) : join(folder, file);
    if (!existsSync(path)) throw new Error(`${name} is bundled, and has no licence to go with it.`);
    texts.set(name, `${name} ${version} (${license})\n\n${readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim()}\n`);
  }
  const sorted = [...texts.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  return ["This program holds parts of the following packages.\n", ...sorted].join(`\n${"-".repeat(80)}\n\n`);
};
