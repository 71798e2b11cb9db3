import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const service: Service = ({ method }) => (method === "POST" ? { body: { transactionId: "T1", status: "SENT" } } : { body: { transactions: [], total: 0 } });
const refused = async (argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr, requests } = await runCli(argv, { service });
  expect([code, stdout, requests.length]).toEqual([2, "", 0]);
  return stderr;
};
const push = ["stk", "--phone", "0712345678", "--amount", "5", "--reference", "A"];

describe("a dash of a word processor in place of two hyphens", () => {
  it.each([
    ["em dash", ["stk", "—phone", "0712345678", "—amount", "5"]],
    ["en dash", [...push, "–json"]],
    ["em dash", ["—help"]],
    ["en dash", ["wallet", "–output=json"]],
    ["em dash", ["stk", "—phnoe", "0712345678"]],
    ["em dash", ["—profil", "shop", "wallet"]],
    ["en dash", ["tx", "list", "–limt", "5"]],
    ["em dash", ["tx", "get", "—sandbox"]],
    ["typographic dash", [...push, "−−json"]],
    ["typographic dash", [...push, "‐‐json"]],
    ["en dash", [...push, "–-json"]],
    ["en dash", [...push, "-–json"]],
  ])("is named: %s in %j", async (name, argv) => {
    expect(await refused(argv)).toMatch(new RegExp(`${name} \\(U\\+`));
  });

  it("is left alone inside a value", async () => {
    const { code, requests } = await runCli([...push, "--description", "— for March –", "--json"], { service });
    expect([code, JSON.parse(requests[0]?.body ?? "{}").description]).toEqual([0, "— for March –"]);
  });
});

describe("a character that came with copying and is not seen", () => {
  it.each([
    ["U+00A0", ["stk", "--phone\u00a00712345678", "--amount", "5", "--reference", "A"]],
    ["U+00A0", ["wallet\u00a0--json"]],
    ["U+00A0", ["--json\u00a0wallet"]],
    ["U+200B", ["wallet", "--\u200bjson"]],
    ["U+FEFF", ["\ufeffwallet"]],
    ["U+000D", ["wallet", "--json\r"]],
    ["U+000D", ["wallet", "\r"]],
    ["U+00AD", ["tx", "li\u00adst"]],
  ])("is named: %s in %j", async (character, argv) => {
    expect(await refused(argv)).toContain(character);
  });
});

it("a line end in a value hides no unknown flag", async () => {
  expect(await refused(["stk", "--phone", "0712345678", "--amount", "5", "--description", "a\nb", "--refrence", "A"])).toContain("--reference");
});

describe("curly quotes around a value", () => {
  it.each([
    [["stk", "--phone", "0712345678", "--amount", "5", "--reference", "“INV-1”"]],
    [["stk", "--phone", "‘0712345678’", "--amount", "5", "--reference", "A"]],
    [["stk", "--phone", "0712345678", "--amount", "5", "--reference", "“INV", "1”"]],
    [[...push, "--description=“Tea”"]],
    [["tx", "get", "“tx_1”"]],
    [["tx", "list", "--status", "„PENDING“"]],
  ])("are named: %j", async (argv) => {
    expect(await refused(argv)).toMatch(/curly quotes/i);
  });

  it("are left alone inside a value", async () => {
    const { code, requests } = await runCli([...push, "--description", "Juma’s “big” order", "--json"], { service });
    expect([code, JSON.parse(requests[0]?.body ?? "{}").description]).toEqual([0, "Juma’s “big” order"]);
  });
});

describe("a path that Git Bash has rewritten", () => {
  it.each([
    [["api", "GET", "C:/Program Files/Git/api/v1/merchants/payments/wallet"]],
    [["api", "GET", "D:/Tools/PortableGit/api/v1/merchants/payments/wallet"]],
    [["api", "GET", "E:/somewhere/api/v1/merchants/payments/wallet"]],
    [["api", "POST", "C:\\msys64\\api\\v1\\global\\collections", "-f", "a=b"]],
    [["api", "POST", "/x", "-f", "reference=C:/Program Files/Git/INV/7"]],
    [["stk", "--phone", "0712345678", "--amount", "5", "--reference", "C:/Program Files/Git/INV/7"]],
    [["tx", "get", "--reference", "C:/Program Files/Git/INV/7"]],
  ])("is named: %j", async (argv) => {
    expect(await refused(argv)).toContain("MSYS_NO_PATHCONV");
  });

  it("is what a file's name is", async () => {
    expect((await runCli(["b2c", "batch", "C:/Program Files/Git/tmp/pay.csv", "--yes"], { service })).stderr).not.toContain("MSYS");
    expect((await runCli(["api", "POST", "/x", "--input", "C:/msys64/tmp/body.json"], { service })).stderr).not.toContain("MSYS");
  });
});

describe("R2-55: a shell that takes the commas of a value away", () => {
  const file = join(createHome(), "f.csv");
  writeFileSync(file, "Order,Total\nA,5\n");
  it.each([
    [["tx", "reconcile", file, "--columns", "reference=Order amount=Total", "--json"]],
    [["tx", "reconcile", file, "--columns", "reference=Order", "amount=Total", "--json"]],
    [["tx", "list", "--fields", "id status", "--json"]],
    [["tx", "list", "--fields", "id", "status", "--json"]],
    [["wallet", "--fields", "balance\tcurrency", "--json"]],
  ])("the error says to quote them: %j", async (argv) => {
    const { code, stdout, stderr } = await runCli(argv, { service });
    expect([code, stdout]).toEqual([2, ""]);
    const { message, hint = "" } = JSON.parse(stderr).error;
    expect(`${message} ${hint}`).toMatch(/comma|quotes/);
  });

  it("a heading may hold spaces and an equals sign", async () => {
    const odd = join(createHome(), "odd.csv");
    writeFileSync(odd, "Order amount=Total,Sum due\nA,5\n");
    const { code, stdout } = await runCli(["tx", "reconcile", odd, "--columns", "reference=Order amount=Total,amount=Sum due", "--json"], { service });
    expect([code, JSON.parse(stdout).summary.missing_there.count]).toEqual([0, 1]);
  });
});
