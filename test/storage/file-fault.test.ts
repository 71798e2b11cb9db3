import { describe, expect, it } from "vitest";
import { fileFault, type Owners } from "../../src/storage/file-fault.ts";

const refused = Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES" });
const machine = (self: number | undefined, uids: Readonly<Record<string, number | "hidden">>): Owners => ({
  self,
  uidOf: (path) => uids[path],
  mayWrite: (folder) => self === 0 || uids[folder] === self || folder === "/tmp",
});

describe("why a file is refused", () => {
  const home = { "/": 0, "/home": 0, "/home/w": 501 };
  it.each([
    ["a file of root's in a folder of mine", { ...home, "/home/w/pay": 501, "/home/w/pay/j.db": 0 }, "/home/w/pay/j.db", "root"],
    ["a whole tree that one sudo made", { ...home, "/home/w/.local": 0, "/home/w/.local/pay": 0, "/home/w/.local/pay/j.db": 0 }, "/home/w/.local", "root"],
    ["a tree below which nobody may look", { ...home, "/home/w/pay": 0 }, "/home/w/pay", "root"],
    ["a colleague's file", { ...home, "/home/w/pay": 501, "/home/w/pay/j.db": 502 }, "/home/w/pay/j.db", "502"],
    ["a folder of this program in a system folder", { "/": 0, "/srv": 0, "/srv/it's mine": 0 }, "/srv/it's mine", "root"],
  ])("%s: the owner is named, and the command that gives it back", (_, uids, path, owner) => {
    const file = path.startsWith("/srv") ? `${path}/j.db` : path.includes(".local") ? "/home/w/.local/pay/j.db" : "/home/w/pay/j.db";
    const { reason, hint } = fileFault(file, refused, machine(501, uids));
    expect(reason).toContain(path);
    expect(reason).toContain(owner);
    expect(hint).toContain("sudo chown -R 501 ");
    expect(hint).not.toContain("PAYMENTS_HOME");
    expect(hint).toContain(path.replace("'", "'\\''"));
  });

  it.each([
    ["a file of one's own in a folder of root's", "/home/w/pay/j.db", refused, { ...home, "/home/w/pay": 0, "/home/w/pay/j.db": 501 }, "/home/w/pay"],
    ["a home of root's that shows nothing", "/srv/pay/data/j.db", refused, { "/": 0, "/srv": 0, "/srv/pay": 0, "/srv/pay/data": "hidden" }, "/srv/pay"],
    [
      "a lock of root's beside a database of one's own",
      "/home/w/pay/j.db",
      Object.assign(new Error("EACCES"), { code: "EACCES", path: "/home/w/pay/locks/a" }),
      { ...home, "/home/w/pay": 501, "/home/w/pay/j.db": 501, "/home/w/pay/locks": 0, "/home/w/pay/locks/a": "hidden" },
      "/home/w/pay/locks",
    ],
  ] as const)("%s: the owner is named, and the command that gives it back", (_, path, error, uids, foreign) => {
    const hidden = path.startsWith("/srv") ? { [path]: "hidden" as const } : {};
    expect(fileFault(path, error, machine(501, { ...uids, ...hidden }))).toEqual({
      reason: `${foreign} belongs to root`,
      hint: `give it back with: sudo chown -R 501 ${foreign}`,
    });
  });

  it("another user's own home is not given away", () => {
    const uids = { "/": 0, "/root": 0, "/root/.local": "hidden", "/root/.local/share": "hidden", "/root/.local/share/pay": "hidden" } as const;
    const { reason, hint } = fileFault("/root/.local/share/pay/j.db", refused, machine(501, { ...uids, "/root/.local/share/pay/j.db": "hidden" }));
    expect([reason, hint.includes("chown"), hint.includes("PAYMENTS_HOME")]).toEqual(["/root belongs to root", false, true]);
  });

  it.each([
    ["a home that does not exist", machine(501, { "/": 0, "/var": 0 }), "/var/nobody/pay/j.db", true],
    ["a file of one's own", machine(501, { "/": 0, "/home/w/pay": 501, "/home/w/pay/j.db": 501 }), "/home/w/pay/j.db", false],
    ["a file of one's own in a folder for all", machine(501, { "/": 0, "/tmp": 0, "/tmp/j.db": 501 }), "/tmp/j.db", false],
    ["root", machine(0, { "/": 0, "/home/w/pay": 501, "/home/w/pay/j.db": 501 }), "/home/w/pay/j.db", false],
    ["Windows", machine(undefined, { "/": 0 }), "/pay/j.db", true],
  ])("%s: nothing is given away, and another home is advised only where none is yet", (_, owners, path, isNew) => {
    const { reason, hint } = fileFault(path, refused, owners);
    expect([reason, hint.includes("chown"), hint.includes("PAYMENTS_HOME")]).toEqual(["permission denied", false, isNew]);
  });

  it("a full disk is one, whoever owns the file", () => {
    const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR" });
    const { reason, hint } = fileFault("/home/w/pay/j.db", full, machine(501, { "/": 0, "/home/w/pay": 501, "/home/w/pay/j.db": 0 }));
    expect([reason, hint]).toEqual(["the disk is full", "Free some space"]);
    const beside = fileFault("/home/w/pay/j.db", new Error("disk I/O error"), machine(501, { "/": 0, "/home/w/pay": 501, "/home/w/pay/j.db": 501 }));
    expect([beside.reason, beside.hint]).toEqual(["the disk is full, or faulty", "Free some space"]);
    const shortRead = Object.assign(new Error("disk I/O error"), { errcode: 522 });
    expect(fileFault("/home/w/pay/j.db", shortRead, machine(501, { "/home/w/pay": 501 })).reason).toContain("522");
  });
});
