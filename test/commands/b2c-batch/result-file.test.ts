import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, runCli, type SeenRequest } from "../../support/cli.ts";
import { createPayouts, errorOf, header, openBatch, rows, write } from "./payouts.ts";

const linesOf = (path: string): readonly string[] => readFileSync(path, "utf8").trimEnd().split("\n").slice(1);
const rowsOf = (path: string): readonly string[] => linesOf(path).map((line) => line.split(",").slice(0, 3).join(" "));

const openBench = (count = 3) => openBatch(header + rows(count));
/** A service that refuses the account at once. */
const unpaid = () => ({ status: 402, body: {} });

describe("the result file of a batch", () => {
  test("ends with one line a row, in the order of the file, with the fee and the file's own cells", async () => {
    const { result, batch } = openBench(12);
    await batch();
    expect(linesOf(result).map((line) => line.split(","))).toEqual(
      Array.from({ length: 12 }, (_, at) => [
        String(at + 1),
        "accepted",
        expect.stringMatching(/^tx-/),
        "QUEUED",
        "23",
        "",
        `0712345${String(at % 10).padStart(3, "0")}`,
        "100",
        `REF-${at}`,
      ]),
    );
    expect(readdirSync(join(result, "..")).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  test("is written by one run with --wait too, and its reasons survive a later --resume", async () => {
    const { batch, result } = openBatch(`${header}0712345001,100,A\n0712345041,100,B\n`);
    expect((await batch("--wait", "20")).code).toBe(13);
    const written = readFileSync(result, "utf8");
    expect(written).toContain("Payee not registered");
    await batch("--resume");
    expect(readFileSync(result, "utf8")).toBe(written);
  });

  const withLostRow = async (transactionId: string) => {
    const lose = (request: SeenRequest, count: number) => (count === 2 && request.method === "POST" ? payouts.payThenLose(request) : undefined);
    const { payouts, result, batch } = openBatch(header + rows(3), lose);
    expect((await batch("--retries", "0", "--concurrency", "1")).code).toBe(13);
    writeFileSync(result, readFileSync(result, "utf8").replace(/^2,unknown,.*?,0712/m, `2,accepted,${transactionId},QUEUED,,,0712`));
    return { payouts, result, batch };
  };
  test("has a transaction that the journal could not record: the service confirms it, and the row is not sent again", async () => {
    const { payouts, result, batch } = await withLostRow("tx-2");
    const { code, stderr } = await batch();
    expect([code, errorOf(stderr).message]).toEqual([11, expect.stringContaining("3 paid")]);
    expect(payouts.posts()).toBe(3);
    expect(rowsOf(result)).toEqual(["1 accepted tx-1", "2 accepted tx-2", "3 accepted tx-3"]);
  });
  test.each(["tx-unheard-of", "tx-of-another-reference", "tx-of-another-amount"])("names %s for a row: nothing is sent, and the file stays", async (id) => {
    const { payouts, result, batch } = await withLostRow(id);
    payouts.payments.set("k-1", { id: "tx-of-another-reference", key: "k-1", reference: "REF-9", amount: 100, status: "COMPLETED" });
    payouts.payments.set("k-2", { id: "tx-of-another-amount", key: "k-2", reference: "REF-1", amount: 101, status: "COMPLETED" });
    const before = readFileSync(result, "utf8");
    expect((await batch()).code).toBe(2);
    expect([payouts.posts(), readFileSync(result, "utf8")]).toEqual([3, before]);
  });

  test.each([
    ["cut in the middle of a line", (path: string) => truncateSync(path, statSync(path).size - 20)],
    ["cut down to its heading", (path: string) => writeFileSync(path, readFileSync(path, "utf8").split("\n").slice(0, 1).join("\n"))],
    ["emptied", (path: string) => truncateSync(path, 0)],
    [
      "with the half line that a killed run leaves",
      (path: string) => {
        writeFileSync(path, readFileSync(path, "utf8").split("\n").slice(0, 2).join("\n"));
        appendFileSync(path, '\n3,accepted,"tx');
      },
    ],
  ])("%s is made whole by the same command, which pays nothing", async (_, damage) => {
    const { payouts, result, batch } = openBench();
    await batch();
    const written = readFileSync(result, "utf8");
    damage(result);
    const again = await batch();
    expect([again.code, again.rows.map(({ transactionId }) => transactionId)]).toEqual([0, ["tx-1", "tx-2", "tx-3"]]);
    expect([readFileSync(result, "utf8"), payouts.posts()]).toEqual([written, 3]);
    expect((await batch()).code).toBe(11);
  });

  test("keeps what an earlier run wrote when the next one is stopped at once", async () => {
    const { home, path, result, batch } = openBench();
    let credit = 2;
    const { service } = createPayouts(({ method }) => (method === "GET" || credit-- > 0 ? undefined : { status: 402, body: {} }));
    await runCli(["b2c", "batch", path, "--yes", "--concurrency", "1"], { home, service });
    expect(rowsOf(result)).toEqual(["1 accepted tx-1", "2 accepted tx-2", "3 notSent "]);
    await runCli(["b2c", "batch", path, "--yes"], { home, service: unpaid });
    expect(rowsOf(result)).toEqual(["1 accepted tx-1", "2 accepted tx-2", "3 notSent "]);
    expect((await batch()).code).toBe(0);
  });

  test("of a run that this journal does not know is left alone, and nothing is sent", async () => {
    const { payouts, path, result, batch } = openBench();
    await batch();
    const written = readFileSync(result, "utf8");
    const elsewhere = await runCli(["b2c", "batch", path, "--yes", "--json"], { home: createHome(), service: payouts.service });
    expect([elsewhere.code, elsewhere.stdout, payouts.posts(), readFileSync(result, "utf8")]).toEqual([2, "", 3, written]);
    const { command = [] } = errorOf(elsewhere.stderr);
    const another = command[command.indexOf("--result") + 1] ?? path;
    expect([existsSync(another), another.startsWith(path)]).toEqual([false, true]);
  });

  test("of an earlier list in the same file is kept under another name", async () => {
    const { home, path, result, batch } = openBench();
    const kept: string[] = [];
    for (const reference of ["B", "C"]) {
      await batch();
      kept.push(readFileSync(result, "utf8"));
      write(home, `${header}0712345009,100,${reference}\n`);
    }
    expect((await batch()).code).toBe(0);
    expect(rowsOf(result)).toEqual(["1 accepted tx-5"]);
    expect([1, 2].map((number) => readFileSync(`${path}.result.${number}.csv`, "utf8"))).toEqual(kept);
    expect(statSync(`${path}.result.1.csv`).mode & 0o777).toBe(0o600);
  });

  test("of the sandbox gives way to that of the real service", async () => {
    const { home, path, result, batch } = openBench();
    expect((await runCli(["b2c", "batch", path, "--yes", "--sandbox"], { home })).code).toBe(0);
    const sandbox = readFileSync(result, "utf8");
    expect((await batch()).code).toBe(0);
    expect(readFileSync(`${path}.result.1.csv`, "utf8")).toBe(sandbox);
  });

  test("with one --result, two batches do not write to it: one after the other, nor at once", async () => {
    const home = createHome();
    const shared = join(home, "shared.csv");
    const a = write(home, `${header}0712345001,100,A\n`, "a.csv");
    const b = write(home, `${header}0712345002,100,B\n`, "b.csv");
    const payouts = createPayouts();
    const second: number[] = [];
    const pay = (file: string, service: typeof payouts.service) => runCli(["b2c", "batch", file, "--yes", "--json", "--result", shared], { home, service });
    const first = await pay(a, async (request, count) => {
      if (request.method === "POST") second.push((await pay(b, payouts.service)).code);
      return await payouts.service(request, count);
    });
    second.push((await pay(b, payouts.service)).code);
    expect([first.code, second, payouts.paid()]).toEqual([0, [2, 2], { A: 1 }]);
    expect(rowsOf(shared)).toEqual(["1 accepted tx-1"]);
  });

  test("that another program replaces meanwhile is not overwritten, and that is said", async () => {
    const { home, payouts, path, result } = openBench(1);
    const service: typeof payouts.service = (request, count) => {
      if (request.method === "POST") {
        rmSync(result);
        writeFileSync(result, "mine\n");
      }
      return payouts.service(request, count);
    };
    const paid = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    expect([paid.code, readFileSync(result, "utf8")]).toEqual([13, "mine\n"]);
    expect(errorOf(paid.stderr)).toMatchObject({ sent: "yes", message: expect.stringContaining("replaced") });
  });

  test.each([
    ["the file that is read", (home: string) => join(home, "payouts.csv")],
    ["a file that is no result", (home: string) => write(home, "dear diary\n", "diary.txt")],
    ["a file that is no result and has no line end", (home: string) => write(home, "dear diary", "diary.txt")],
    [
      "a folder",
      (home: string) => {
        mkdirSync(join(home, "folder"));
        return join(home, "folder");
      },
    ],
    [
      "a symbolic link",
      (home: string) => {
        symlinkSync(join(home, "target.csv"), join(home, "link.csv"));
        return join(home, "link.csv");
      },
    ],
    ["a place in a folder that is not there", (home: string) => join(home, "no", "r.csv")],
  ])("is not written to %s, and nothing is sent", async (_, place) => {
    const { home, payouts, path, batch } = openBench();
    const text = readFileSync(path, "utf8");
    const target = place(home);
    const refused = await batch("--result", target);
    expect([refused.code, refused.stdout, payouts.posts()]).toEqual([2, "", 0]);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(existsSync(join(home, "target.csv"))).toBe(false);
  });

  test("of the earlier run stays beside that of a new one", async () => {
    const { path, result, batch } = openBench(2);
    await batch();
    const written = readFileSync(result, "utf8");
    expect((await batch("--new-run", "--allow-duplicate")).code).toBe(0);
    expect(rowsOf(result)).toEqual(["1 accepted tx-3", "2 accepted tx-4"]);
    expect(readFileSync(`${path}.result.1.csv`, "utf8")).toBe(written);
  });

  test("that was moved away does not make a finished batch unfinished", async () => {
    const { payouts, result, batch } = openBench();
    await batch();
    rmSync(result);
    expect([(await batch()).code, payouts.posts()]).toEqual([11, 3]);
  });
});
