import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import { pathsOf } from "../../src/host/paths.ts";

const user = "C:\\Users\\Wanjiru Ö";

it.each([
  ["win32", { APPDATA: "D:\\Roam", LOCALAPPDATA: "D:\\Local" }, "D:\\Roam\\payments-cli\\Config", "D:\\Local\\payments-cli\\Data"],
  [
    "win32",
    { APPDATA: "\\\\server\\share\\me", USERPROFILE: user },
    "\\\\server\\share\\me\\payments-cli\\Config",
    `${user}\\AppData\\Local\\payments-cli\\Data`,
  ],
  [
    "win32",
    { APPDATA: "", LOCALAPPDATA: "Local", USERPROFILE: user },
    `${user}\\AppData\\Roaming\\payments-cli\\Config`,
    `${user}\\AppData\\Local\\payments-cli\\Data`,
  ],
  ["win32", { PAYMENTS_HOME: "E:/pay cli/../pay" }, "E:\\pay\\config", "E:\\pay\\data"],
  ["darwin", { HOME: "/Users/w" }, "/Users/w/Library/Preferences/payments-cli", "/Users/w/Library/Application Support/payments-cli"],
  ["linux", { HOME: "/home/w" }, "/home/w/.config/payments-cli", "/home/w/.local/share/payments-cli"],
  ["linux", { HOME: "/home/w", XDG_CONFIG_HOME: "/etc/w", XDG_DATA_HOME: "relative" }, "/etc/w/payments-cli", "/home/w/.local/share/payments-cli"],
  ["linux", { XDG_CONFIG_HOME: "/etc/w", XDG_DATA_HOME: "/srv/w" }, "/etc/w/payments-cli", "/srv/w/payments-cli"],
  ["linux", { PAYMENTS_HOME: "here" }, resolve("here/config"), resolve("here/data")],
  ["linux", { PAYMENTS_HOME: ' "/srv/pay"\r\n' }, "/srv/pay/config", "/srv/pay/data"],
  ["linux", { PAYMENTS_HOME: "'/srv/my pay'" }, "/srv/my pay/config", "/srv/my pay/data"],
  ["linux", { PAYMENTS_HOME: ' "" ', HOME: "/home/w\n" }, "/home/w/.config/payments-cli", "/home/w/.local/share/payments-cli"],
])("on %s the folders with %j", (platform, env, config, data) => {
  expect(pathsOf(env, platform)).toMatchObject({ config, data });
});

describe("without a folder, only asking for one fails, and names PAYMENTS_HOME", () => {
  it.each([
    ["linux", {}],
    ["linux", { HOME: "" }],
    ["linux", { HOME: "home/w" }],
    ["linux", { HOME: "~" }],
    ["linux", { XDG_DATA_HOME: "relative" }],
    ["linux", { PAYMENTS_HOME: "~/pay", HOME: "/home/w" }],
    ["darwin", { XDG_DATA_HOME: "/srv/w" }],
    ["win32", { HOME: "C:\\Users\\w" }],
    ["win32", { USERPROFILE: "w", APPDATA: "", LOCALAPPDATA: "" }],
  ])("on %s with %j", (platform, env) => {
    const paths = pathsOf(env, platform);
    let thrown: unknown;
    try {
      thrown = paths.data;
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CliError);
    expect(thrown).toMatchObject({ kind: "usage", sent: "no" });
    expect(`${String(thrown)} ${thrown instanceof CliError ? thrown.hint : ""}`).toContain("PAYMENTS_HOME");
  });
});
