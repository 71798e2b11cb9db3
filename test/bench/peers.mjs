// Other people's programs from npm: outside of the repository, and kept for the next run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folderOf = (name) => join(tmpdir(), "payments-cli-bench-peers", name.replace(/[^\w.-]/g, "_"));

/** The folder of `name` (with its version) and the path of its `entry`. Throws where npm cannot fetch it. */
export const installed = ({ name, entry }) => {
  const folder = folderOf(name);
  const path = join(folder, "node_modules", entry);
  if (existsSync(path)) return { folder, path };
  mkdirSync(folder, { recursive: true });
  const npm = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--silent", name];
  execFileSync("npm", npm, { cwd: folder, stdio: "ignore", timeout: 120_000 });
  return { folder, path };
};
