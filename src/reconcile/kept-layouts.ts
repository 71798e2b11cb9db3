import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError, errorCode, usageError } from "../errors.ts";
import { ensureFolder, privateFile, readPrivateFile, replaceFile, unusableFile } from "../storage/safe-file.ts";
import type { LayoutData } from "./layout-schema.ts";

/** The merchant's own layouts: one JSON file each, in a folder of the settings. */
export type KeptLayouts = {
  /** All of them, by name. Throws CliError usage for one that is damaged. */
  list(): Promise<readonly LayoutData[]>;
  save(layout: LayoutData): Promise<void>;
  /** False if there is no such layout. */
  remove(name: string): Promise<boolean>;
};

/** A layout from JSON. `source` is what messages call it. Throws CliError usage that names the field. */
export const parseLayout = async (text: string, source: string): Promise<LayoutData> => {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new CliError("usage", `${source} is not JSON, so it is not a layout.`, { hint: "docs/layouts.md shows one", cause });
  }
  const { layoutSchema } = await import("./layout-schema.ts");
  const parsed = layoutSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? "it" : issue.path.join(".");
  throw usageError(`${source} is not a layout: ${path}: ${issue?.message ?? "unknown"}.`, "docs/layouts.md says what each field is");
};

export const openKeptLayouts = (configFolder: string): KeptLayouts => {
  const folder = join(configFolder, "layouts");
  const pathOf = (name: string): string => join(folder, `${name}.json`);
  const read = async (name: string): Promise<LayoutData | undefined> => {
    const bytes = await readPrivateFile(pathOf(name));
    return bytes === undefined ? undefined : await parseLayout(new TextDecoder().decode(bytes), pathOf(name));
  };
  return {
    async list() {
      let files: readonly string[];
      try {
        files = await readdir(folder);
      } catch (error) {
        if (errorCode(error) === "ENOENT") return [];
        throw unusableFile(folder, "read", error);
      }
      const names = files.filter((file) => /^[a-z0-9][a-z0-9-]{0,40}\.json$/.test(file)).map((file) => file.slice(0, -".json".length));
      const layouts: LayoutData[] = [];
      for (const name of names.sort()) {
        const layout = await read(name);
        if (layout !== undefined) layouts.push(layout);
      }
      return layouts;
    },
    async save(layout) {
      await ensureFolder(folder);
      await replaceFile(pathOf(layout.name), (staged) => writeFile(staged, `${JSON.stringify(layout, undefined, 2)}\n`, { mode: privateFile }));
    },
    async remove(name) {
      try {
        await rm(pathOf(name));
        return true;
      } catch (error) {
        if (errorCode(error) === "ENOENT") return false;
        throw unusableFile(pathOf(name), "written", error);
      }
    },
  };
};
