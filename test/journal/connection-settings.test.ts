import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPasswordFile, toConnectionSettings } from "../../src/journal/postgres/connection-settings.ts";
import { createHome } from "../support/ends.ts";

describe("a URL of PostgreSQL as libpq reads it", () => {
  test.each([
    ["postgresql://ann@db.example/pay", {}, { host: "db.example", port: 5432, user: "ann", database: "pay" }],
    ["postgres://ann:p%40w@[::1]:6000/pay", {}, { host: "::1", port: 6000, user: "ann", database: "pay", password: "p@w" }],
    ["postgresql://ann@/pay?host=%2Frun", {}, { host: "/run", user: "ann", database: "pay", tls: false }],
    ["postgresql:///?user=ann&dbname=pay&password=x", { PGHOST: "h" }, { host: "h", user: "ann", database: "pay", password: "x" }],
    ["postgresql://", { PGHOST: "h", PGPORT: "6", PGUSER: "u", PGDATABASE: "d" }, { host: "h", port: 6, user: "u", database: "d" }],
  ])("%s with %j", (url, env, settings) => {
    const found = toConnectionSettings(url, env);
    expect(found).toMatchObject(settings);
    for (const password of ["p%40w", "password=x"]) expect(found.where).not.toContain(password);
  });

  test.each([
    ...[
      "mysql://ann:secret@h/d",
      "ann:secret@h",
      "postgresql://ann@h/d?sslmode=secret",
      "postgresql://ann:%secret@h/d",
      "postgresql://ann@h/%d?password=secret",
    ],
    // A sign that is not escaped ends the password: the rest of it would be a part of the place, which is shown.
    ...["postgresql://ann:1#secret@h/d", "postgresql://ann:1/secret@h/d", "postgresql://ann:1?secret@h/d"],
  ])("%s is a usage error", (url) => {
    expect(() => toConnectionSettings(url, {})).toThrow(expect.objectContaining({ kind: "usage" }));
    if (!url.includes("sslmode")) expect(() => toConnectionSettings(url, {})).not.toThrow("secret");
  });

  test.each([
    ["db.example", undefined, {}, { rejectUnauthorized: true, servername: "db.example" }],
    // An environment for another program does not weaken it.
    ["db.example", undefined, { PGSSLMODE: "disable" }, { rejectUnauthorized: true }],
    ["db.example", "verify-ca", {}, { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) }],
    ["db.example", "require", {}, { rejectUnauthorized: false }],
    ["db.example", "disable", {}, false],
    ["127.0.0.1", undefined, {}, false],
    ["localhost", undefined, { PGSSLMODE: "verify-full" }, { rejectUnauthorized: true }],
  ])("%s with sslmode %s", (host, mode, env, tls) => {
    const { tls: found } = toConnectionSettings(`postgresql://ann@${host}/pay${mode === undefined ? "" : `?sslmode=${mode}`}`, env);
    if (typeof tls === "boolean") expect(found).toBe(tls);
    else expect(found).toMatchObject(tls);
    if (mode === undefined && found !== false) expect(found).not.toHaveProperty("checkServerIdentity");
  });
});

describe("the password file", () => {
  const passwordFor = (url: string, lines: string, mode = 0o600): string | undefined => {
    const path = join(createHome(), "pgpass");
    writeFileSync(path, lines);
    chmodSync(path, mode);
    return readPasswordFile(toConnectionSettings(url, {}), { PGPASSFILE: path });
  };
  test.each([
    ["postgresql://ann@db.example/pay", "# who\n\nother:*:*:*:no\ndb.example:5432:pay:ann:yes\n*:*:*:*:late", "yes"],
    ["postgresql://ann@db.example:7/pay", "db.example:5432:pay:ann:no\n*:*:*:ann:any", "any"],
    ["postgresql://ann@db.example/pay", "*:*:*:ann:a\\:b\\\\c\r\n", "a:b\\c"],
    ["postgresql://ann@/pay?host=%2Frun", "localhost:5432:pay:ann:socket", "socket"],
    ["postgresql://ann@db.example", "db.example:5432:ann:ann:own", "own"],
    ["postgresql://ben@db.example/pay", "*:*:*:ann:no", undefined],
    ["postgresql://ann@db.example/pay", "*:*:*:ann", undefined],
  ])("%s finds its line", (url, lines, password) => {
    expect(passwordFor(url, lines)).toBe(password);
  });
  test.runIf(process.platform !== "win32")("is not read if others can read it", () => {
    expect(passwordFor("postgresql://ann@h/pay", "*:*:*:*:x", 0o640)).toBeUndefined();
  });
});
