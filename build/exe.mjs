// Makes dist-exe/payments-cli: the program and this very Node in one file (Node's single executable applications).
// Natives stay out: SQLite is Node's own from 22.13 on, and the keychain is missed in words.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { common } from "./bundle.mjs";
import { licensesOf } from "./licenses.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const executable = join(root, "dist-exe", process.platform === "win32" ? "payments-cli.exe" : "payments-cli");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const run = (program, args) => execFileSync(program, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });

/** All chunks in one, as an executable has no folder to load others from. Gives the modules in it. */
const bundle = async (file) => {
  const entry = "\0exe";
  const plugin = {
    name: "exe-entry",
    resolveId: (id) => (id === entry ? entry : undefined),
    load: (id) => (id === entry ? `import { start } from ${JSON.stringify(join(root, "src/start.ts"))}; start(${JSON.stringify(version)});` : undefined),
  };
  const built = await rolldown({ ...common, plugins: [...common.plugins, plugin], input: entry });
  const { output } = await built.write({ file, format: "cjs", codeSplitting: false });
  await built.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
};

/** Before Node 25 the program is put into a copy of Node by postject, fetched for the purpose. */
const inject = (blob) => {
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  if (process.platform === "darwin") run("codesign", ["--remove-signature", executable]);
  const segment = process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
  run("npx", ["--yes", "postject@1.0.0-alpha.6", executable, "NODE_SEA_BLOB", blob, ...fuse, ...segment]);
};

const folder = mkdtempSync(join(tmpdir(), "payments-cli-exe-"));
try {
  if (major < 22 || (major === 22 && minor < 13))
    console.error(`Node ${process.versions.node} has no SQLite of its own: the executable could record no payment. Build it with Node 22.13 or newer.`);
  const [main, config, blob] = ["main.cjs", "config.json", "program.blob"].map((name) => join(folder, name));
  const modules = await bundle(main);
  rmSync(join(root, "dist-exe"), { recursive: true, force: true });
  mkdirSync(join(root, "dist-exe"));
  // Node's own licence is with whoever the Node is from.
  writeFileSync(join(root, "dist-exe", "licenses.txt"), licensesOf(modules));
  const whole = major >= 25;
  writeFileSync(config, JSON.stringify({ main, output: whole ? executable : blob, disableExperimentalSEAWarning: true }));
  run(process.execPath, whole ? ["--build-sea", config] : ["--experimental-sea-config", config]);
  if (!whole) inject(blob);
  if (process.platform === "darwin") run("codesign", ["--sign", "-", executable]);
  console.log(`${executable} (${Math.round(statSync(executable).size / 1e6)} MB, with Node ${process.versions.node})`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
