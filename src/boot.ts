import { join } from "node:path";
import { createCompiledCode, createLoader } from "./host/compiled-code.ts";
import { pathsOf } from "./host/paths.ts";
import type { start } from "./start.ts";

/** Starts the program from the bundle's folder, with the code compiled by an earlier run where there is one. */
export const boot = (folder: string, version: string): void => {
  const { env } = process;
  const release = `${version}-${process.version}-${process.arch}`;
  // The variable is Node's own for the same purpose; coverage needs code that was compiled in this run.
  const without = (env["NODE_DISABLE_COMPILE_CACHE"] ?? "") !== "" || (env["NODE_V8_COVERAGE"] ?? "") !== "";
  const cache = without ? undefined : cacheFolder(env);
  const loader = createLoader(require, cache === undefined ? undefined : createCompiledCode(join(cache, "compiled"), release));
  // On the way out, when the answer has been given.
  process.on("exit", loader.keep);
  const program = loader.load(join(folder, "start.cjs")) as { readonly start: typeof start };
  void program.start(version);
};

/** Without a folder (no home) the program runs as well, only slower. */
const cacheFolder = (env: NodeJS.ProcessEnv): string | undefined => {
  try {
    return pathsOf(env).cache;
  } catch {
    return undefined;
  }
};
