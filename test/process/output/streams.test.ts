import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { binary, cleanEnv, node, startService } from "../../support/process.ts";

const home = createHome();

/** A service with so many transactions, a hundred a page. */
const transactions = (total: number, padding: string) =>
  startService((seen, response) => {
    const query = new URL(seen.url, "http://x").searchParams;
    const offset = Number(query.get("offset") ?? "0");
    const limit = Math.min(100, Number(query.get("limit") ?? "20"));
    const page = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => ({
      id: `T${offset + at}`,
      reference: `R${offset + at}${padding}`,
      amount: 10,
      status: "COMPLETED",
    }));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ transactions: page, total }));
  });

type Ended = { readonly code: number | null; readonly out: Buffer[]; readonly err: string };

/** Runs the binary; `read` is given the reader of stdout and may close it. */
const run = (args: readonly string[], url: string, read: (stdout: NodeJS.ReadableStream & { destroy(): unknown }, out: Buffer[]) => void): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(node, [binary, ...args], {
      env: cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: url }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      err += chunk;
    });
    read(child.stdout, out);
    child.on("close", (code) => resolve({ code, out, err }));
  });

describe("cases/reports.md, on the real binary", () => {
  it("O3: ends quietly when the reader goes away", async () => {
    const service = await transactions(50_000, "");
    const ended = await run(["tx", "list", "--all", "-o", "jsonl"], service.url, (stdout, out) => {
      stdout.once("data", (chunk: Buffer) => {
        out.push(chunk);
        stdout.destroy();
      });
    });
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: "" });
    // It asks for no more pages than it needs to notice.
    expect(service.seen.length).toBeLessThan(250);
    expect(JSON.parse(Buffer.concat(ended.out).toString().split("\n")[0] ?? "")).toMatchObject({ id: "T0" });
  });

  it("O4: a large document arrives whole through a slow pipe", async () => {
    const service = await transactions(5000, "x".repeat(900));
    const ended = await run(["tx", "list", "--all", "--json"], service.url, (stdout, out) => {
      stdout.on("data", (chunk: Buffer) => {
        out.push(chunk);
        stdout.pause();
        setTimeout(() => stdout.resume(), 20);
      });
    });
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: "" });
    const document = JSON.parse(Buffer.concat(ended.out).toString());
    expect(document.total).toBe(5000);
    expect(new Set(document.transactions.map(({ id }: { id: string }) => id)).size).toBe(5000);
  });
});
