import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { node } from "./process.ts";

const script = fileURLToPath(new URL("../cases/files/serve.mjs", import.meta.url));

export type ServedRequest = { readonly method: string; readonly path: string; readonly key?: string; readonly body?: string };

/** The small service of cases/files/serve.mjs while `work` runs: what `work` found, and every request that the service saw. */
export const withService = async <T>(
  args: readonly string[],
  work: (baseUrl: string) => Promise<T>,
): Promise<{ readonly result: T; readonly requests: readonly ServedRequest[] }> => {
  const service = execa(node, [script, ...args], { stdin: "ignore", reject: false });
  const results: T[] = [];
  for await (const line of service) {
    results.push(await work(JSON.parse(line).baseUrl));
    service.kill();
  }
  const { stderr } = await service;
  const [result] = results;
  if (result === undefined) throw new Error(`serve.mjs gave no address: ${stderr}`);
  return {
    result,
    requests: stderr
      .split("\n")
      .filter((line) => line !== "")
      .map((line): ServedRequest => JSON.parse(line)),
  };
};
