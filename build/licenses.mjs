// The licences of the packages that are bundled: what they ask of whoever passes them on.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const packageOf = (module) => /^(?!\0).*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0];

/** One text for the packages that these modules are of. Throws where one has none. */
export const licensesOf = (modules) => {
  const texts = new Map();
  for (const folder of new Set(modules.map(packageOf))) {
    if (folder === undefined) continue;
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
    if (file === undefined) throw new Error(`${name} is bundled, and has no licence to go with it.`);
    texts.set(name, `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()}\n`);
  }
  const sorted = [...texts.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  return ["This program holds parts of the following packages.\n", ...sorted].join(`\n${"-".repeat(80)}\n\n`);
};
