import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import { openSharedJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { makeCertificates } from "../support/certificates.ts";
import { createHome } from "../support/ends.ts";
import { hasPostgres, logins, type Server, startPostgres } from "../support/postgres.ts";

const password = "s3cret-of-ann";
const folder = createHome();
const authority = join(folder, "ca.crt");
const otherAuthority = join(folder, "other.crt");
let server: Server;
let database = "";
let port = 0;
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const listening = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = listening.address() as AddressInfo;
      listening.close(() => resolve(free));
    });
  });
beforeAll(async () => {
  if (!hasPostgres) return;
  const certificates = makeCertificates();
  writeFileSync(authority, certificates.ca);
  writeFileSync(otherAuthority, makeCertificates().ca);
  server = await startPostgres();
  const url = await server.createJournal();
  database = /\/(journal_\d+)/.exec(url)?.[1] ?? "";
  await server.query(url, `ALTER ROLE ${logins.maker} PASSWORD '${password}'`);
  port = await freePort();
  server.listenWithTls(port, certificates.good);
});
afterAll(async () => {
  if (hasPostgres) await server.dispose();
});

/** The login that the database sees, or the error. */
const open = async (host: string, query: string, secret = password): Promise<string | CliError> => {
  try {
    const url = `postgresql://${logins.maker}:${secret}@${host}:${port}/${database}?${query}`;
    const journal = await openSharedJournal({ url, env: {} });
    const { who } = await journal.status();
    journal.dispose();
    return who;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
};

describe.skipIf(!hasPostgres)("a server that listens to TLS alone, and wants a password", () => {
  test.each([
    ["127.0.0.1", () => `sslmode=verify-full&sslrootcert=${authority}`],
    ["localhost", () => `sslmode=verify-full&sslrootcert=${authority}`],
    // The certificate does not name this address, which only verify-full asks for.
    ["127.0.0.2", () => `sslmode=verify-ca&sslrootcert=${authority}`],
    ["127.0.0.2", () => "sslmode=require"],
    ["127.0.0.1", () => "sslmode=prefer"],
  ])("%s is used: case %#", async (host, query) => {
    expect(await open(host, query())).toBe(logins.maker);
  });

  test.each([
    ["an unknown authority", "127.0.0.1", () => "sslmode=verify-full"],
    ["another authority", "127.0.0.1", () => `sslmode=verify-ca&sslrootcert=${otherAuthority}`],
    ["another authority, with require", "127.0.0.1", () => `sslmode=require&sslrootcert=${otherAuthority}`],
    ["another host's certificate", "127.0.0.2", () => `sslmode=verify-full&sslrootcert=${authority}`],
    ["no TLS", "127.0.0.1", () => "sslmode=disable"],
  ])("%s is refused before anything is asked, without the password in the error", async (_, host, query) => {
    const error = await open(host, query());
    expect(error).toMatchObject({ kind: "usage", sent: "no" });
    expect(JSON.stringify(error) + String(error)).not.toContain(password);
  });

  test("a wrong password is refused, and is not in the error", async () => {
    const error = await open("127.0.0.1", `sslmode=verify-full&sslrootcert=${authority}`, "wrong-one");
    expect(error).toMatchObject({ kind: "usage", sent: "no" });
    expect(String(error)).not.toContain("wrong-one");
  });
});

test("a server without TLS gets no login and no password where TLS is asked for", async () => {
  let said = Buffer.alloc(0);
  const plain = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      said = Buffer.concat([said, data]);
      socket.write("N");
    });
  });
  const listening = await new Promise<number>((resolve) => plain.listen(0, "127.0.0.1", () => resolve((plain.address() as AddressInfo).port)));
  const url = `postgresql://ann:${password}@127.0.0.1:${listening}/pay?sslmode=require`;
  await expect(openSharedJournal({ url, env: {} })).rejects.toMatchObject({ kind: "usage" });
  plain.close();
  expect(said.includes("ann")).toBe(false);
  expect(said.includes(password)).toBe(false);
});
