// `npx` with nothing in npm's cache: what somebody waits for who tries the program for the first time. Needs the registry.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./processes.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const runs = 3;

/** One `npx` with a cache and a folder of its own. The registry's settings are the machine's; so are the certificates it needs. */
const cold = (args, registry) =>
  new Promise((resolve) => {
    const folder = mkdtempSync(join(tmpdir(), "payments-cli-npx-"));
    const from = performance.now();
    const env = { ...process.env, npm_config_cache: join(folder, "cache"), npm_config_update_notifier: "false", ...registry };
    const child = spawn("npx", ["--yes", ...args], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.once("error", (error) => (errors += error.message));
    child.once("close", (code) => {
      const ms = performance.now() - from;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      resolve({ ms, code, errors });
    });
  });

/** The tarball of a folder's package, and what a registry says of it. */
const pack = (folder, into) => {
  mkdirSync(into);
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", into], { cwd: folder, stdio: "ignore" });
  const tarball = readFileSync(join(into, readdirSync(into).find((name) => name.endsWith(".tgz")) ?? ""));
  return { manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), tarball };
};

/** The least that npx can take: a package of one line without dependencies. */
const packFloor = (folder) => {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "npx-floor", version: "1.0.0", bin: "floor.js" }));
  writeFileSync(join(folder, "floor.js"), "#!/usr/bin/env node\n");
  return pack(folder, `${folder}-packed`);
};

/** A registry on this machine that has these packages, as npm unpacks a tarball of a folder twice. All others are at the real one. */
const startRegistry = async (packages) => {
  const real = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim().replace(/\/$/, "");
  const server = createServer(({ url, headers }, response) => {
    const found = packages.find(({ manifest }) => url === `/${manifest.name}` || url === `/${manifest.name}.tgz`);
    if (found === undefined) return response.writeHead(302, { location: real + url }).end();
    const { manifest, tarball } = found;
    if (url.endsWith(".tgz")) return response.end(tarball);
    const dist = { tarball: `http://${headers.host}/${manifest.name}.tgz`, integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}` };
    const { name, version } = manifest;
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
};

const timesInTurns = async (commands, registry) => {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const [name, args] of Object.entries(commands)) {
      const { ms, code, errors } = await cold(args, name === "@stripe/cli" ? {} : registry);
      if (code === 0) times[name].push(ms);
      else console.log(`  skipped one run of ${name}: ended ${code}: ${errors.trim().split("\n")[0]}`);
    }
  }
  return times;
};

/** A cold `npx payments-cli --version`, against that of @stripe/cli and of a package of one line. */
export const npx = async () => {
  const folder = mkdtempSync(join(tmpdir(), "payments-cli-npx-"));
  const registry = await startRegistry([pack(root, join(folder, "own")), packFloor(join(folder, "least"))]);
  try {
    const times = await timesInTurns(
      { "payments-cli": ["payments-cli", "--version"], "@stripe/cli": ["@stripe/cli", "--version"], "a package of one line": ["npx-floor"] },
      { npm_config_registry: registry.url },
    );
    for (const [name, list] of Object.entries(times)) {
      console.log(list.length === 0 ? `  ${name}: skipped, it could not be run` : `  ${name}: ${(median(list) / 1000).toFixed(2)} s (${list.length} runs)`);
    }
    const ours = median(times["payments-cli"]);
    const targets = { "@stripe/cli": 1, "a package of one line": "none" };
    return Object.entries(targets).flatMap(([against, target]) =>
      times[against].length === 0 ? [] : [{ name: "cold npx --version", ratio: ours / median(times[against]), target, against }],
    );
  } finally {
    registry.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
