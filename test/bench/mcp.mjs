import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, cleanEnv, median, timed } from "./processes.mjs";

const starts = 10;
const calls = 1_000;

const connect = async (home) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, "mcp", "--sandbox"],
    env: cleanEnv({ PAYMENTS_HOME: home }),
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  return { client, pid: transport.pid };
};
const memoryOf = (pid) => Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;

/** The server for assistants, driven by the official client: from its start to the first list of tools, and what it holds after many calls. */
export const mcp = async () => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  try {
    const [found, floor] = [[], []];
    for (let turn = -2; turn < starts; turn += 1) {
      const bare = await timed(["-e", "0"]);
      const from = performance.now();
      const { client } = await connect(home);
      await client.listTools();
      const ms = performance.now() - from;
      await client.close();
      if (turn < 0) continue;
      found.push(ms);
      floor.push(bare.ms);
    }
    const { client, pid } = await connect(home);
    for (let call = 0; call < calls; call += 1) await client.callTool({ name: "journal_list", arguments: { limit: 1 } });
    const mb = memoryOf(pid);
    await client.close();
    const name = `to the first list of tools, in the best of ${starts} starts ${Math.round(Math.min(...found))} ms, in the middle ${Math.round(median(found))} ms`;
    return [
      { name, ratio: median(found) / median(floor), target: 7, against: "node -e 0" },
      { name: `held after ${calls} calls`, mb, target: 150 },
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
