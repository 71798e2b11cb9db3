import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../../support/ends.ts";
import { json, runBinary, startService } from "../../support/process.ts";

const home = createHome();

/** Debian's package libfaketime, which .ci/run installs. */
const library = (process.platform === "linux" ? readdirSync("/usr/lib") : [])
  .map((name) => join("/usr/lib", name, "faketime", "libfaketime.so.1"))
  .find((path) => existsSync(path));
const moved = (by: string) => ({ LD_PRELOAD: library, FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: "1" });

test.runIf(library !== undefined)("with the system's clock moved: a day later nothing is replayed, nor by a clock that went backwards", async () => {
  let posts = 0;
  const service = await startService(({ method }, response) => {
    if (method === "POST") {
      posts += 1;
      response.destroy();
    } else json(response, 200, { transactions: [], total: 0 });
  });
  const account = { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url };
  const run = (by: string, ...args: string[]) => runBinary([...args, "--retries", "0", "--json"], { home, env: { ...account, ...moved(by) } });
  const resume = (by: string) => run(by, "journal", "resume", "--all", "--yes");
  const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes"];
  expect([(await run("+0", ...payout)).code, posts]).toEqual([9, 1]);
  const { attempts } = JSON.parse((await run("+0", "journal", "list")).stdout);
  expect(Math.abs(Date.parse(attempts[0].startedAt) - Date.now())).toBeLessThan(60_000);
  // A clock that went backwards makes an old attempt look young: not sent. Then, while it is young: sent.
  expect([(await resume("-2h")).code, posts]).toEqual([9, 1]);
  expect([(await resume("+23h")).code, posts]).toEqual([9, 2]);
  expect([(await resume("+25h")).code, posts]).toEqual([9, 2]);
  // The newest time that the journal has seen is 23 hours ahead by now.
  expect([(await resume("+1h")).code, posts]).toEqual([9, 2]);
});

test.skipIf(library !== undefined)("libfaketime is not installed here: the clock is moved only in process (apt-get install libfaketime)", () => undefined);
