import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTransport } from "../../src/host/transport.ts";
import type { Inspection } from "../../src/ports.ts";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { type RawServer, startRawServer } from "../support/raw-server.ts";

describe("looking at a connection", () => {
  const servers: RawServer[] = [];
  let certificates: Certificates;
  beforeAll(() => {
    certificates = makeCertificates();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const look = async (url: string, env: Readonly<Record<string, string>> = {}): Promise<Inspection | undefined> =>
    await createTransport({ env, ca: certificates.ca }, { bulk: false }).inspect?.(new URL(url), { timeoutMs: 2_000 });
  const serve = async (which: keyof Omit<Certificates, "ca">): Promise<RawServer> => {
    const server = await startRawServer(() => undefined, { tls: certificates[which] });
    servers.push(server);
    return server;
  };

  it("shows address and certificate, and sends nothing", async () => {
    const server = await serve("good");
    const seen = await look(`https://localhost:${server.port}`);
    expect(seen).toMatchObject({ address: "127.0.0.1", certificate: { subject: expect.stringContaining("api.example.test"), issuer: "Test authority" } });
    expect(Date.parse(seen?.certificate?.validTo ?? "")).toBeGreaterThan(Date.now());
    expect(seen).not.toHaveProperty("failure");
    expect(server.bytes()).toBe(0);
  });
  it("shows one that has expired too", async () => {
    const server = await serve("expired");
    const seen = await look(`https://localhost:${server.port}`);
    expect(seen).toMatchObject({ failure: { reason: "tls", message: expect.stringContaining("expired") } });
    expect(Date.parse(seen?.certificate?.validTo ?? "")).toBeLessThan(Date.now());
    expect(server.bytes()).toBe(0);
  });
  it("names the step that fails", async () => {
    expect(await look("https://no-such-host.invalid")).toMatchObject({ failure: { reason: "dns" } });
    expect(await look("http://127.0.0.1:1")).toMatchObject({ failure: { reason: "refused" } });
    expect(await look("https://api.example.test", { HTTPS_PROXY: "http://u:p@127.0.0.1:1" })).toMatchObject({
      proxy: "127.0.0.1:1",
      failure: { reason: "proxy" },
    });
  });
});
