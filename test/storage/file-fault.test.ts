import { describe, expect, it } from "vitest";
import { fileFault, type Owners } from "../../src/storage/file-fault.ts";

const refused = Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES" });
const machine = (self: number | undefined, uids: Readonly<Record<string, number>>): Owners => ({ self, uidOf: (path) => uids[path] });

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
    expect(hint).toMatch(/sudo chown -R 501 .*PAYMENTS_HOME/);
    expect(hint).toContain(path.replace("'", "'\\''"));
  });

  it.each([
    ["a home that does not exist", machine(501, { "/": 0, "/var": 0 }), "/var/nobody/pay/j.db"],
    ["a file of one's own", machine(501, { "/": 0, "/home/w/pay": 501, "/home/w/pay/j.db": 501 }), "/home/w/pay/j.db"],
    ["root", machine(0, { "/": 0, "/home/w/pay": 501, "/home/w/pay/j.db": 501 }), "/home/w/pay/j.db"],
    ["Windows", machine(undefined, { "/": 0 }), "/pay/j.db"],
  ])("%s: nothing is given away", (_, owners, path) => {
    const { reason, hint } = fileFault(path, refused, owners);
    expect([reason, hint.includes("chown"), hint.includes("PAYMENTS_HOME")]).toEqual(["permission denied", false, true]);
  });

  it("a full disk is one, whoever owns the file", () => {
    const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR" });
    const { reason, hint } = fileFault("/home/w/pay/j.db", full, machine(501, { "/": 0, "/home/w/pay/j.db": 0 }));
    expect([reason, hint.includes("free some space")]).toEqual(["the disk is full", true]);
  });
});
