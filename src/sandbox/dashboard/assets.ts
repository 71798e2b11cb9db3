import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** The files of the dashboard and the checkout, by their names under assets/. A bundle has their contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => {
  const folder = fileURLToPath(new URL("assets/", import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => extname(path) !== "");
  return Object.fromEntries(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(`${folder}${path}`, "utf8")]));
};
