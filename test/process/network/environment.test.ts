import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificates } from "../../support/certificates.ts";
import { createHome } from "../../support/ends.ts";
import { json, runBinary, startService } from "../../support/process.ts";

const root = createHome();
const key = "test_key_0123456789abcdef";

describe("R2-52: NODE_EXTRA_CA_CERTS names a file that is gone", () => {
  const certificates = makeCertificates();
  const gone = join(root, "gone-ca.pem");
  const empty = join(root, "empty-ca.pem");
  writeFileSync(empty, "no certificate\n");
  const here = join(root, "ca.pem");
  writeFileSync(here, certificates.ca);
  const server = createServer(certificates.good, (_, response) => response.setHeader("content-type", "application/json").end('{"wallet":{}}'));
  beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
  afterAll(() => new Promise<void>((closed) => void server.close(() => closed())));
  const secure = (args: readonly string[], file: string) =>
    runBinary(args, {
      home: createHome(),
      env: { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: `https://localhost:${(server.address() as AddressInfo).port}`, NODE_EXTRA_CA_CERTS: file },
    });
  /** Without the runtime's own warning. */
  const linesOf = (stderr: string): readonly string[] => stderr.split("\n").filter((line) => line !== "" && !line.includes("Ignoring extra certs"));

  it.each([gone, empty])("R2-52: wallet --json names it: %s", async (file) => {
    const { code, stdout, stderr } = await secure(["wallet", "--json", "--retries", "0"], file);
    const lines = linesOf(stderr);
    expect([code, stdout, lines.length]).toEqual([10, "", 1]);
    const { error } = JSON.parse(lines[0] ?? "");
    expect(`${error.message} ${error.hint}`).toContain(file);
  });

  it("R2-52: wallet names it for people", async () => {
    const { code, stderr } = await secure(["wallet", "--retries", "0"], gone);
    expect(code).toBe(10);
    expect(linesOf(stderr).join("\n")).toContain(gone);
  });

  it("R2-52: doctor has a failed check that names it", async () => {
    const { code, stdout } = await secure(["doctor", "--json"], gone);
    expect(code).not.toBe(0);
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly ok: boolean; readonly detail: string }[] };
    expect(checks.filter(({ ok, detail }) => !ok && detail.includes(gone))).toHaveLength(1);
  });

  it("R2-52: a 401 over plain http is still a 401 in one line", async () => {
    const service = await startService((_, response) => json(response, 401, {}));
    const { code, stderr } = await runBinary(["wallet", "--json"], {
      home: createHome(),
      env: { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: service.url, NODE_EXTRA_CA_CERTS: gone },
    });
    expect([code, linesOf(stderr).length]).toEqual([3, 1]);
  });

  it("with the file in place the authority is trusted", async () => {
    expect((await secure(["wallet", "--json", "--retries", "0"], here)).code).toBe(0);
  });
});

describe("white space and quotes around a value of the environment", () => {
  it.each([
    ["as it is", (value: string) => value],
    ["quoted", (value: string) => `"${value}"`],
    ["in single quotes, with a line end", (value: string) => `'${value}'\n`],
    ["with a byte order mark and spaces", (value: string) => `\uFEFF  ${value} \r\n`],
  ])("%s: key, address, profile, home and secret are used without", async (_, wrapped) => {
    const service = await startService((_seen, response) => json(response, 200, { success: true, wallet: {}, providers: [] }));
    const home = createHome();
    const env = { PAYMENTS_API_KEY: wrapped(key), PAYMENTS_BASE_URL: wrapped(service.url), PAYMENTS_HOME: wrapped(home) };
    const { code } = await runBinary(["wallet", "--json"], { home, env });
    expect([code, service.seen[0]?.headers.authorization, service.seen[0]?.url]).toEqual([0, `Bearer ${key}`, "/api/v1/merchants/payments/wallet"]);
    const login = await runBinary(["login", "--base-url", service.url, "--with-key", "--name", "shop"], { home, stdin: key });
    expect(login.code).toBe(0);
    const whoami = await runBinary(["whoami", "--json"], { home, env: { PAYMENTS_PROFILE: wrapped("shop") } });
    expect(JSON.parse(whoami.stdout)).toMatchObject({ profile: "shop", baseUrl: service.url });
  });

  it("inside a key they are reported, and nothing is sent", async () => {
    const service = await startService((_seen, response) => json(response, 200, { success: true, wallet: {}, providers: [] }));
    for (const wrong of ["test_key\n0123456789", "test key 0123456789", 'test_key"\n"0123456789']) {
      const { code, stdout, stderr } = await runBinary(["wallet", "--json"], {
        home: createHome(),
        env: { PAYMENTS_API_KEY: wrong, PAYMENTS_BASE_URL: service.url },
      });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).not.toContain("0123456789");
    }
    expect(service.seen).toEqual([]);
  });
});
