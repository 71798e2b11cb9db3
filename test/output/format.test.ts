import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../src/json/exact-json.ts";
import { groupedAmount } from "../../src/money/grouped.ts";
import { duration, localTime, money, zonedTime } from "../../src/output/format.ts";
import { quoteForShell, shellOf } from "../../src/shell.ts";

describe("groupedAmount", () => {
  it.each([
    ["1234.5", "KES", "1,234.50"],
    ["0", "KES", "0.00"],
    ["-1234567.891", "KES", "-1,234,567.891"],
    ["1500.0", "KES", "1,500.00"],
    ["5000", "UGX", "5,000"],
    ["5000.5", "UGX", "5,000.5"],
    ["12.3456", "KWD", "12.3456"],
    ["12345678901234567890", "KES", "12,345,678,901,234,567,890.00"],
    ["1e3", "KES", "1,000.00"],
    ["1.25e-1", "KES", "0.125"],
    ["12e-3", "KES", "0.012"],
    ["007", "KES", "7.00"],
    ["999", "", "999"],
    ["1.5", "POINTS", "1.5"],
    ["n/a", "KES", "n/a"],
    ["1e999", "KES", "1e999"],
  ])("%s %s → %s", (text, currency, expected) => {
    expect(groupedAmount(text, currency)).toBe(expected);
  });
});

it("money has its currency, and a dash for nothing", () => {
  expect(money(1500, "KES")).toBe("KES 1,500.00");
  expect(money(new ExactNumber("1500.10"), "KES")).toBe("KES 1,500.10");
  expect(money(undefined, "KES")).toBe("–");
  expect(money(null, "KES")).toBe("–");
  expect(money({ a: 1 }, "KES")).toBe("–");
});

it("localTime follows the zone, and leaves what is no time", () => {
  expect(localTime("2026-03-01T08:00:05Z", { zone: "Africa/Nairobi" })).toBe("2026-03-01 11:00:05");
  expect(localTime("2026-03-01T08:00:05.123+03:00", { zone: "UTC" })).toBe("2026-03-01 05:00:05 UTC");
  expect(localTime("yesterday", { zone: "UTC" })).toBe("yesterday");
  expect(zonedTime("2026-03-01T08:00:05Z", { zone: "Africa/Nairobi" })).toMatch(/^2026-03-01 11:00:05 (?:EAT|GMT\+3)$/);
  expect(zonedTime("2026-03-01T08:00:05Z", { zone: "UTC" })).toBe("2026-03-01 08:00:05 UTC");
  expect(zonedTime("2026-03-01 08:00:05", { zone: "Africa/Nairobi" })).toBe("2026-03-01 08:00:05");
  expect(localTime(undefined, { zone: "UTC" })).toBe("–");
});

it("a length of time is one number and one unit", () => {
  expect(duration(45_000)).toBe("45 s");
  expect(duration(240_000)).toBe("4 min");
  expect(duration(7_200_000)).toBe("2 h");
  expect(duration(3 * 86_400_000)).toBe("3 days");
});

describe("quoteForShell", () => {
  it.each([
    ["INV-1001", "INV-1001"],
    ["", "''"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["$(rm -rf /)", "'$(rm -rf /)'"],
    ["~/x", "'~/x'"],
    ["a\u001bb'\\", "$'a\\x1bb\\'\\\\'"],
    ["a\\b\\", "'a'\\\\'b'\\\\''"],
    ["a\nb\u0085\u202e\u{e0041}", "$'a\\x0ab\\u0085\\u202e\\U000e0041'"],
    ["http://h/p?a=1&b=2", "'http://h/p?a=1&b=2'"],
  ])("%j → %s", (argument, expected) => {
    expect(quoteForShell(argument)).toBe(expected);
  });
  it("serves PowerShell and cmd", () => {
    expect(quoteForShell("a b", "windows")).toBe('"a b"');
    expect(quoteForShell("$x's", "windows")).toBe("'$x''s'");
    expect(quoteForShell("Juma’s “shop”", "windows")).toBe("'Juma’’s “shop”'");
    expect(quoteForShell("C:\\my files\\", "windows")).toBe('"C:\\my files\\\\"');
    expect(quoteForShell("100% & more!", "windows")).toBe('"100% & more!"');
    expect(quoteForShell("a,b", "windows")).toBe('"a,b"');
    expect(shellOf({ OS: "Windows_NT" })).toBe("windows");
    expect(shellOf({ OS: "Windows_NT", SHELL: "/usr/bin/bash" })).toBe("posix");
    expect(shellOf({})).toBe("posix");
  });
});
