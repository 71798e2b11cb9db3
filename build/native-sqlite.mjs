// In the bundles this stands in for `node-gyp-build`: it loads the SQLite for Node before 22.13 from dist/sqlite (build.mjs fills it).
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The files that may be right for this machine, the likelier first: a build for another C library does not load. */
const names = () => {
  const { arch, platform } = process;
  const libraries = existsSync("/etc/alpine-release") ? ["-musl", "-glibc"] : ["-glibc", "-musl"];
  return (platform === "linux" ? libraries : [""]).map((library) => `${platform}-${arch}${library}.node`);
};

export default () => {
  const require = createRequire(import.meta.url);
  // Bundles are in dist and in folders directly below it.
  const files = names().flatMap((name) => ["./sqlite/", "../sqlite/"].map((folder) => fileURLToPath(new URL(folder + name, import.meta.url))));
  let failure = new Error(`There is no SQLite for ${process.platform} ${process.arch}.`);
  for (const file of files.filter((path) => existsSync(path))) {
    try {
      return require(file);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};
