import { resolve } from "node:path";
import { expect, it } from "vitest";
import { foldersOf } from "../../../src/host/paths.ts";

const windows = { platform: "win32", user: () => "C:\\Users\\Wanjiru Ö" };
const linux = { platform: "linux", user: () => "/home/wanjiru" };

it.each([
  [windows, { APPDATA: "D:\\Roam", LOCALAPPDATA: "D:\\Local" }, "D:\\Roam\\payments-cli\\Config", "D:\\Local\\payments-cli\\Data"],
  [windows, { APPDATA: "\\\\server\\share\\me" }, "\\\\server\\share\\me\\payments-cli\\Config", "C:\\Users\\Wanjiru Ö\\AppData\\Local\\payments-cli\\Data"],
  [
    windows,
    { APPDATA: "", LOCALAPPDATA: "Local" },
    "C:\\Users\\Wanjiru Ö\\AppData\\Roaming\\payments-cli\\Config",
    "C:\\Users\\Wanjiru Ö\\AppData\\Local\\payments-cli\\Data",
  ],
  [windows, { PAYMENTS_HOME: "E:/pay cli/../pay" }, "E:\\pay\\config", "E:\\pay\\data"],
  [{ platform: "darwin", user: () => "/Users/w" }, {}, "/Users/w/Library/Preferences/payments-cli", "/Users/w/Library/Application Support/payments-cli"],
  [linux, {}, "/home/wanjiru/.config/payments-cli", "/home/wanjiru/.local/share/payments-cli"],
  [linux, { XDG_CONFIG_HOME: "/etc/w", XDG_DATA_HOME: "relative" }, "/etc/w/payments-cli", "/home/wanjiru/.local/share/payments-cli"],
  [linux, { PAYMENTS_HOME: "here" }, resolve("here/config"), resolve("here/data")],
])("folders of %j with %j", (machine, env, config, data) => {
  expect(foldersOf({ ...machine, env })).toMatchObject({ config, data });
});
