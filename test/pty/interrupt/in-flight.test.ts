import { spawn } from "@lydell/node-pty";
import { expect, it } from "vitest";
import { binary, cleanEnv, node, startService } from "../../support/process.ts";
import { hasCursor, newHome, readable } from "../interactive/terminal.ts";

/** A payout on a terminal whose answer never comes; `keys` are typed once it is under way. The shell tells the terminal's mode behind it. */
const interrupt = async (keys: number) => {
  const home = newHome();
  let press = (): void => undefined;
  const service = await startService(({ method }, response) => {
    if (method === "POST") press();
    else response.writeHead(404).end();
  });
  const line = `"$0" "$1" b2c --phone 0712345678 --amount 100 --reference R-1; echo "code $?"; stty -a`;
  const env = cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url, TERM: "xterm" });
  const terminal = spawn("/bin/sh", ["-c", `trap : INT; ${line}`, node, binary], { cols: 120, rows: 30, cwd: home, env });
  let text = "";
  let pressedMs = 0;
  press = () => {
    pressedMs = performance.now();
    terminal.write("\u0003");
    // As a person presses twice: two at the same moment are one signal to the system.
    if (keys === 2) setTimeout(() => terminal.write("\u0003"), 200);
  };
  let asked = false;
  let endedMs = 0;
  terminal.onData((data) => {
    text += data;
    if (!asked && text.includes("y/N")) {
      asked = true;
      terminal.write("y\r");
    }
    if (endedMs === 0 && /code \d/.test(text)) endedMs = performance.now();
  });
  const deadline = setTimeout(() => terminal.kill(), 20_000);
  await new Promise((resolve) => terminal.onExit(resolve));
  clearTimeout(deadline);
  return { text, kept: readable(text), ms: endedMs - pressedMs, sent: service.seen.filter(({ method }) => method === "POST").length };
};

it("Ctrl-C with a payout in flight waits a little, says what settles it, and gives the terminal back; a second one waits no longer", async () => {
  const { text, kept, ms, sent } = await interrupt(1);
  expect([/code (\d+)/.exec(kept)?.[1], sent]).toEqual(["9", 1]);
  expect(kept).toMatch(/payments-cli journal resume [\da-f-]{36}/);
  expect(ms).toBeGreaterThan(2_500);
  expect(hasCursor({ code: 9, text })).toBe(true);
  expect(kept).toMatch(/[^-]icanon/);
  expect(kept).toMatch(/[^-]echo /);

  const twice = await interrupt(2);
  expect(/code (\d+)/.exec(twice.kept)?.[1]).toBe("9");
  expect(twice.kept).toMatch(/payments-cli journal resume [\da-f-]{36}/);
  expect(twice.ms).toBeLessThan(ms);
});
