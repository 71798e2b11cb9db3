// What every bundle of the program has in common.
import { fileURLToPath } from "node:url";

// Native and optional: loaded where it is installed, missed in words where it is not.
const optional = ["@photostructure/sqlite"];
const fromCommander = (importer) => /node_modules[\\/]commander[\\/]/.test(importer ?? "");
const external = (id, importer) => optional.includes(id) || (/^node:/.test(id) && !(id === "node:child_process" && fromCommander(importer)));

/** commander loads child_process for subcommands that are programs of their own, which this one has none of. */
const withoutChildProcess = {
  name: "without-child-process",
  resolveId: (id, importer) => (/^(node:)?child_process$/.test(id) && fromCommander(importer) ? "\0no-child-process" : undefined),
  load: (id) => (id === "\0no-child-process" ? "export default {}; export const spawn = undefined;" : undefined),
};

export const common = {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  platform: "node",
  external,
  // What is imported both ways is so by design (the pieces are named in build.mjs).
  checks: { ineffectiveDynamicImport: false },
  logLevel: "warn",
  treeshake: true,
  plugins: [withoutChildProcess],
  resolve: { mainFields: ["module", "main"] },
};
