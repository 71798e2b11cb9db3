// What every bundle of the program has in common.
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * What libraries bring along and this program never calls. commander: subcommands that are programs of their own. conf: schemas,
 * migrations, a folder of its own choice, for which it asks for the home at import (a container may have none), and listeners that
 * send a signal again, so that one Ctrl-C would count as two; it writes synchronously, so no signal can find it half way.
 * chalk: its own look at the environment, as the level is always given. cli-table3: colours of its own, and the widths of characters,
 * as what it lays out is ASCII (src/output/table.ts). The protocol's server: a validator of JSON Schema, for questions to the assistant's
 * user, which this program never asks.
 */
const unused = [
  { by: "commander", name: /^(node:)?child_process$/, code: "export default {}; export const spawn = undefined;" },
  { by: "conf", name: /^(env-paths|semver|debounce-fn)$/, code: "export default undefined;" },
  { by: "conf", name: /^ajv/, code: "export default {}; export const Ajv2020 = undefined;" },
  { by: "chalk", name: /^#supports-color$/, code: "export default {};" },
  { by: "cli-table3", name: /^@colors\/colors/, code: "module.exports = {};" },
  { by: "cli-table3", name: /^string-width$/, code: "module.exports = (text) => text.length;" },
  {
    by: "@modelcontextprotocol/server",
    name: /^@modelcontextprotocol\/server\/_shims$/,
    code: 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}',
  },
  { by: "atomically", name: /^when-exit$/, code: "export default () => () => undefined;" },
];
const unusedBy = (id, importer = "") => unused.findIndex(({ by, name }) => name.test(id) && importer.replaceAll("\\", "/").includes(`/node_modules/${by}/`));
const external = (id, importer) => /^node:/.test(id) && unusedBy(id, importer) < 0;

const withoutUnused = {
  name: "without-unused",
  resolveId: (id, importer) => {
    const index = unusedBy(id, importer);
    return index < 0 ? undefined : `\0unused-${index}`;
  },
  load: (id) => (id.startsWith("\0unused-") ? unused[Number(id.slice("\0unused-".length))].code : undefined),
};

/** The binaries are in the package itself (copy-sqlite.mjs), not in a folder of a dependency. */
const ownBinaries = {
  name: "own-binaries",
  resolveId: (id) => (id === "node-gyp-build" ? fileURLToPath(new URL("native-sqlite.mjs", import.meta.url)) : undefined),
};

/** A bundle holds the files of the folders beside assets.ts, layouts.ts and sql.ts, as a package has no folder to read them from. */
const embeddedAssets = {
  name: "embedded-assets",
  load: (id) => {
    if (!/[\\/]src[\\/].*[\\/](?:assets|layouts|sql)\.ts$/.test(id)) return undefined;
    const folder = id.replace(/\.ts$/, "/");
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => extname(path) !== "")
      .sort();
    const assets = Object.fromEntries(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(folder + path, "utf8").replaceAll("\r\n", "\n")]));
    return `const assets = ${JSON.stringify(assets)}; export const readAssets = () => assets;`;
  },
};

/** What a module exports, as the program has it. */
export const evaluate = async (input) => {
  const bundle = await rolldown({ cwd: root, platform: "node", input, external: /^node:/ });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
};

/** A bundle holds what these modules make, instead of making it at every start. */
const madeBeforehand = {
  name: "made-beforehand",
  load: async (id) => {
    if (!/[\\/]src[\\/]commands[\\/]schema[\\/]schemas\.ts$/.test(id)) return undefined;
    return `export const schemas = ${JSON.stringify((await evaluate(id)).schemas)};`;
  },
};

export const common = {
  cwd: root,
  platform: "node",
  external,
  // What is imported both ways is so by design (the pieces are named in build.mjs).
  checks: { ineffectiveDynamicImport: false },
  logLevel: "warn",
  treeshake: true,
  plugins: [withoutUnused, ownBinaries, embeddedAssets, madeBeforehand],
  resolve: { mainFields: ["module", "main"] },
};
