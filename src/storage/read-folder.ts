import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** The texts of the files below a folder, by their paths in it. */
export const readFolder = (url: URL): Readonly<Record<string, string>> => {
  const folder = fileURLToPath(url);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => extname(path) !== "")
    .sort();
  return Object.fromEntries(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(`${folder}${path}`, "utf8")]));
};
