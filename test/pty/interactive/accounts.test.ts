import { describe, expect, it } from "vitest";
import { json, runBinary, startService } from "../../support/process.ts";
import { newHome, readable, talk } from "./terminal.ts";

const providers = () => startService((_, response) => json(response, 200, { success: true, providers: [] }));
const key = "live_key_0123456789abcdef";
const profilesOf = async (home: string): Promise<readonly { readonly name: string; readonly keyHint: string; readonly current: boolean }[]> =>
  JSON.parse((await runBinary(["profile", "list", "--json"], { home })).stdout).profiles;

describe("login on a terminal", () => {
  it("asks for the name, the address and the key, an empty or unusable key again in place, and shows no key", async () => {
    const [{ url, seen }, home] = [await providers(), newHome()];
    const steps = [
      { see: /Profile name/, type: "shop\r" },
      { see: /Base URL/, type: "ftp://pay\r" },
      // The wrong address stays there to be corrected.
      { see: /http/, type: `\u0015${url}\r` },
      { see: /API key/, type: "\r" },
      { see: />/, type: "two words\r" },
      { see: /character/, type: `\u0015${key}\r` },
    ];
    const { code, text } = await talk(["login"], steps, { home, alone: true });
    expect([code, text.includes(key), seen.length]).toEqual([0, false, 1]);
    expect(await profilesOf(home)).toMatchObject([{ name: "shop", current: true, keyHint: expect.stringContaining("cdef") }]);
    expect(seen[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
  });

  it("keeps further lines of a paste from the shell", async () => {
    const [{ url }, home] = [await providers(), newHome()];
    const steps = [{ see: /API key/, type: `${key}\rtouch pasted\rrm -r everything\r` }];
    const { code, text } = await talk(["login", "--name", "shop", "--base-url", url], steps, { home, alone: true, inShell: true });
    expect([code, readable(text)]).toEqual([0, expect.stringContaining("left to the shell: []")]);
    expect(text).not.toContain(key);
  });

  it("asks again for a key that is refused, and keeps what is pasted during its check from the screen and the shell", async () => {
    const home = newHome();
    const { url } = await startService((request, response) => {
      const isRight = request.headers["authorization"] === `Bearer ${key}`;
      setTimeout(() => json(response, isRight ? 200 : 401, { success: isRight, providers: [] }), 400);
    });
    const wrong = "wrong_key_0123456789abcdef";
    const steps = [
      { see: /API key/, type: `${wrong}\r` },
      // While the key is checked.
      { see: /about the key/, type: "pasted_too_early_0123\r" },
      { see: /401[\s\S]*API key/, type: `${key}\rtouch pasted\r` },
    ];
    const { code, text } = await talk(["login", "--name", "shop", "--base-url", url], steps, { home, alone: true, inShell: true });
    expect([code, readable(text)]).toEqual([0, expect.stringContaining("left to the shell: []")]);
    expect(text).not.toMatch(/wrong_key|pasted|live_key/);
    expect(await profilesOf(home)).toMatchObject([{ name: "shop", keyHint: expect.stringContaining("cdef") }]);
  });

  it("ends with 130 and stores nothing when it is interrupted while a key is checked", async () => {
    const home = newHome();
    const { url } = await startService(() => undefined);
    const steps = [
      { see: /API key/, type: `${key}\r` },
      { see: /about the key/, type: "\u0003" },
    ];
    const { code } = await talk(["login", "--name", "shop", "--base-url", url], steps, { home, alone: true });
    expect([code, await profilesOf(home)]).toEqual([130, []]);
  });

  it("stores nothing when it is interrupted at the key", async () => {
    const [{ url, seen }, home] = [await providers(), newHome()];
    const { code } = await talk(["login", "--name", "shop", "--base-url", url], [{ see: /API key/, type: "half\u0003" }], { home, alone: true });
    expect([code, seen.length, await profilesOf(home)]).toEqual([130, 0, []]);
  });
});

describe("a live profile on a terminal", () => {
  it("stands out in red on the question about its money, and a no sends nothing", async () => {
    const [{ url, seen }, home] = [await providers(), newHome()];
    await runBinary(["login", "--name", "shop", "--base-url", url, "--with-key"], { home, stdin: key });
    const before = seen.length;
    const words = ["b2c", "--phone", "0712345678", "--amount", "150", "--reference", "R-1"];
    const { code, text } = await talk(words, [{ see: /Send it/, type: "n\r" }], { home, alone: true });
    expect([code, text.includes("\u001b[31mREAL MONEY (live)\u001b[39m")]).toEqual([130, true]);
    expect(seen.slice(before).filter(({ method }) => method === "POST")).toEqual([]);
  });
});

describe("profile on a terminal", () => {
  it("set asks for the secrets, hidden; use, list and remove work on what login made", async () => {
    const [{ url }, home] = [await providers(), newHome()];
    for (const name of ["shop", "kiosk"]) await runBinary(["login", "--name", name, "--base-url", url, "--with-key"], { home, stdin: key });
    const secret = "whsec_a_secret_of_this_test";
    const set = await talk(["profile", "set", "shop", "--with-webhook-secret"], [{ see: /[Ss]ecret/, type: `${secret}\r` }], { home, alone: true });
    expect([set.code, set.text.includes(secret)]).toEqual([0, false]);
    expect((await talk(["profile", "use", "shop"], [], { home, alone: true })).code).toBe(0);
    const list = await talk(["profile", "list"], [], { home, alone: true });
    expect(readable(list.text)).toMatch(/^\* +shop\b/m);
    expect((await talk(["profile", "remove", "shop"], [], { home, alone: true })).code).toBe(0);
    expect((await profilesOf(home)).map(({ name }) => name)).toEqual(["kiosk"]);
  });

  it("remove asks before a withdrawal key goes, and keeps the profile if the answer is no", async () => {
    const home = newHome();
    const second = "second_key_0123456789";
    const set = ["profile", "set", "shop", "--base-url", "https://pay.example", "--with-withdrawal-key"];
    expect((await runBinary(set, { home, stdin: `${second}\na long passphrase\n` })).code).toBe(0);
    const declined = await talk(["profile", "remove", "shop"], [{ see: /y\/N/, type: "n\r" }], { home, alone: true });
    expect([declined.code, (await profilesOf(home)).length]).toEqual([130, 1]);
    const agreed = await talk(["profile", "remove", "shop"], [{ see: /y\/N/, type: "y\r" }], { home, alone: true });
    expect([agreed.code, (await profilesOf(home)).length]).toEqual([0, 0]);
  });
});
