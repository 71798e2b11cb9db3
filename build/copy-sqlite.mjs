// Copies the binaries of @photostructure/sqlite into the package: as a dependency it would bring its sources and an install script.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** Fills `folder` with one file for each platform, processor and C library, and their checksums. */
export const copySqlite = (folder) => {
  const prebuilds = join(dirname(require.resolve("@photostructure/sqlite/package.json")), "prebuilds");
  mkdirSync(folder, { recursive: true });
  const sums = readdirSync(prebuilds).flatMap((platform) =>
    readdirSync(join(prebuilds, platform)).map((file) => {
      const library = platform.startsWith("linux-") ? `-${file.split(".").at(-2)}` : "";
      const name = `${platform}${library}.node`;
      copyFileSync(join(prebuilds, platform, file), join(folder, name));
      return `${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}  ${name}\n`;
    }),
  );
  writeFileSync(join(folder, "SHA256SUMS"), sums.sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1)).join(""));
};
