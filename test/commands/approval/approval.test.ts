import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approvalColumns } from "../../../src/journal/tables.ts";
import { openDatabase } from "../../../src/storage/sqlite.ts";
import { createShop } from "./shop.ts";

const b2c = (reference: string, amount = "60000") => ["b2c", "--phone", "0712345678", "--amount", amount, "--reference", reference];

describe("proposing", () => {
  test("stores the payment, sends nothing and needs no --yes", async () => {
    const { json, payouts } = createShop();
    const proposed = await json(...b2c("RENT"), "--propose", "Rent of March");
    expect(Object.keys(proposed)).toEqual("id operation reference payee amount currency proposedBy proposedAt note expiresAt state decisions".split(" "));
    expect(proposed).toMatchObject({
      operation: "b2c",
      reference: "RENT",
      payee: "254712345678",
      amount: "60000",
      currency: "KES",
      note: "Rent of March",
      proposedAt: "2026-03-01T08:00:00.000Z",
      expiresAt: "2026-03-08T08:00:00.000Z",
      state: "open",
      decisions: [],
    });
    expect(payouts.posts()).toBe(0);
    expect(await json("approval", "list")).toEqual({ approvals: [proposed] });
    expect(await json("approval", "show", proposed.id)).toEqual(proposed);
  });

  test("checks the payment first", async () => {
    const { run, json } = createShop();
    expect((await run([...b2c("X", "5"), "--propose", "--json"])).code).toBe(2);
    expect(await json("approval", "list", "--state", "all")).toEqual({ approvals: [] });
  });

  test("a like payment, made or proposed, is a duplicate; --allow-duplicate is kept with the proposal", async () => {
    const { run, json, errorOf } = createShop();
    await json(...b2c("A"), "--yes");
    expect(await errorOf([...b2c("A"), "--propose"], 11)).toMatchObject({ kind: "duplicate", sent: "no" });
    const first = await json(...b2c("B"), "--propose");
    expect(await errorOf([...b2c("B"), "--propose"], 11)).toMatchObject({ kind: "duplicate", command: ["approval", "show", first.id] });
    expect(await errorOf([...b2c("B"), "--yes"], 11)).toMatchObject({ kind: "duplicate" });
    const second = await json(...b2c("A"), "--propose", "--allow-duplicate");
    expect((await run(["approval", "approve", second.id, "--yes", "--json"])).code).toBe(0);
  });

  test("a key that was used already is a duplicate, and the error says whether its payment may exist", async () => {
    const { trouble, run, errorOf } = createShop();
    const withKey = (key: string) => [...b2c(key), "--idempotency-key", key];
    expect((await run([...withKey("paid"), "--yes"])).code).toBe(0);
    trouble.next = () => ({ status: 400, body: { success: false } });
    expect((await run([...withKey("refused"), "--yes"])).code).toBe(6);
    trouble.next = () => ({ status: 500, body: {} });
    expect((await run([...withKey("lost"), "--yes", "--retries", "0"])).code).toBe(9);
    for (const [key, sent] of Object.entries({ paid: "yes", refused: "no", lost: "unknown" }))
      expect(await errorOf([...withKey(key), "--propose"], 11)).toMatchObject({ kind: "duplicate", sent, idempotencyKey: key });
  });

  test.each([
    [["--expires", "0", "--propose"], "expires"],
    [["--expires", "721", "--propose"], "expires"],
    [["--expires", "1.5", "--propose"], "expires"],
    [["--expires", "24"], "expires"],
    [["--propose="], "propose"],
    [["--propose", "--wait"], "wait"],
  ])("%j is a usage error that names --%s", async (flags, named) => {
    const { errorOf, payouts } = createShop();
    expect((await errorOf([...b2c("A"), "--yes", ...flags], 2))["message"]).toContain(`--${named}`);
    expect(payouts.posts()).toBe(0);
  });

  test("expires after the hours that were given", async () => {
    const { clock, json, errorOf } = createShop();
    const { id } = await json(...b2c("A"), "--propose", "--expires", "1");
    clock.nowMs += 3_600_000;
    expect(await json("approval", "list")).toEqual({ approvals: [] });
    expect((await json("approval", "show", id)).state).toBe("expired");
    expect(await errorOf(["approval", "approve", id, "--yes"], 2)).toMatchObject({ kind: "usage", sent: "no" });
    await json(...b2c("A"), "--propose");
  });
});

describe("an approval's id", () => {
  test("may be given by its beginning; too few letters and an unknown beginning are 4", async () => {
    const { home, json, errorOf } = createShop();
    const { id } = await json("b2c", "--phone", "0712345678", "--amount", "100", "--reference", "A", "--propose");
    expect(await json("approval", "show", id.slice(0, 8))).toMatchObject({ id });
    for (const typed of [id.slice(0, 3), "ffffffff"]) expect(await errorOf(["approval", "show", typed], 4)).toMatchObject({ kind: "not-found" });
    expect(await json("approval", "decline", id.slice(0, 8), "--reason", "no")).toMatchObject({ id, state: "declined" });
    const database = await openDatabase(join(home, "data", "journal.db"));
    database.exec(
      `INSERT INTO approvals SELECT NULL, ${approvalColumns.names.map((name) => (name === "id" ? "substr(id, 1, 13)" : name)).join(", ")} FROM approvals`,
    );
    database.close();
    expect((await errorOf(["approval", "show", id.slice(0, 13)], 2))["message"]).toContain("Several ids");
    expect(await json("approval", "show", id)).toMatchObject({ id });
  });
});

describe("approving", () => {
  test("sends the payment through the one flow, with an attempt of its own", async () => {
    const { json, payouts, errorOf } = createShop();
    const { id } = await json(...b2c("RENT"), "--propose");
    const sent = await json("approval", "approve", id, "--yes");
    expect(sent).toMatchObject({ id, state: "sent", transactionId: "tx-1", journalId: expect.any(String), decisions: [{ decision: "approved" }] });
    expect(payouts.paid()).toEqual({ RENT: 1 });
    expect(await json("journal", "show", String(sent["journalId"]))).toMatchObject({ state: "accepted", transactionId: "tx-1" });
    expect(await errorOf(["approval", "approve", id, "--yes"], 11)).toMatchObject({ kind: "duplicate" });
    expect(payouts.posts()).toBe(1);
  });

  test("shows who proposed what, when and why, what the payee got before and the float, and asks", async () => {
    const { json, run, payouts } = createShop();
    await json(...b2c("FEB", "1000"), "--yes");
    const { id } = await json(...b2c("MAR"), "--propose", "Rent of March");
    const declined = await run(["approval", "approve", id], { answers: [false] });
    expect(declined.code).toBe(130);
    const question = declined.prompts.join("\n");
    for (const part of ["60,000.00", "254712345678", "MAR", "Rent of March", "Proposed by", "2026-03-01 08:00 UTC", "1,000.00", "4,000.00", "-56,000.00"])
      expect(question).toContain(part);
    expect(payouts.posts()).toBe(1);
    expect(await json("approval", "show", id)).toMatchObject({ state: "open", decisions: [] });
    expect((await run(["approval", "approve", id], { answers: [true] })).code).toBe(0);
    expect(payouts.posts()).toBe(2);
  });

  test("what was paid before is not its own payment, nor a later one", async () => {
    const { json, run } = createShop();
    const { id } = await json(...b2c("MAR"), "--propose");
    await json("approval", "approve", id, "--yes");
    await json(...b2c("APR", "2000"), "--yes");
    expect((await run(["approval", "show", id])).stdout).toContain("Nothing was paid to this payee before");
    const next = await json(...b2c("MAY"), "--propose");
    expect((await run(["approval", "show", next.id])).stdout).toContain("2 payments, the last KES 2,000.00");
  });

  test("a later proposal of the same payment does not stand in the way of the first", async () => {
    const { json, payouts, errorOf } = createShop();
    const first = await json(...b2c("A"), "--propose");
    const second = await json(...b2c("A"), "--propose", "--allow-duplicate");
    await json("approval", "approve", first.id, "--yes");
    await json("approval", "approve", second.id, "--yes");
    expect(payouts.paid()).toEqual({ A: 2 });
    const third = await json(...b2c("B"), "--propose");
    const fourth = await json(...b2c("B"), "--propose", "--allow-duplicate");
    await json("approval", "approve", fourth.id, "--yes");
    expect(await errorOf(["approval", "approve", third.id, "--yes"], 11)).toMatchObject({ kind: "duplicate" });
    expect(payouts.paid()).toEqual({ A: 2, B: 1 });
  });

  test.each([
    ["--base-url", {}],
    ["PAYMENTS_BASE_URL", { PAYMENTS_BASE_URL: "http://127.0.0.1:10" }],
  ])("another address in %s is a usage error, whether there is a key for it or not", async (name, env) => {
    const { json, run, payouts } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    const more = name === "--base-url" ? [name, "http://127.0.0.1:10"] : [];
    const { code, stderr } = await run(["approval", "approve", id, "--yes", "--json", ...more], { env });
    expect([code, JSON.parse(stderr).error.kind]).toEqual([2, "usage"]);
    expect(payouts.posts()).toBe(0);
  });

  test("without a terminal needs --yes", async () => {
    const { json, errorOf, payouts } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    expect(await errorOf(["approval", "approve", id], 2)).toMatchObject({ kind: "usage", sent: "no" });
    expect(payouts.posts()).toBe(0);
  });

  test("runs the guard once more: what was paid meanwhile is not paid again", async () => {
    const { json, errorOf, payouts } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    await json(...b2c("A"), "--yes", "--allow-duplicate");
    expect(await errorOf(["approval", "approve", id, "--yes"], 11)).toMatchObject({ kind: "duplicate" });
    expect(payouts.posts()).toBe(1);
  });

  test("refused by the service it is refused, and has to be proposed again", async () => {
    const { json, errorOf, trouble } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    trouble.next = () => ({ status: 400, body: { message: "No such payee" } });
    expect(await errorOf(["approval", "approve", id, "--yes"], 6)).toMatchObject({ kind: "rejected" });
    expect((await json("approval", "show", id)).state).toBe("refused");
    expect(await errorOf(["approval", "approve", id, "--yes"], 2)).toMatchObject({ kind: "usage" });
    await json(...b2c("A"), "--propose");
  });

  test("an unknown outcome is 9, and the state follows when journal resume settles it", async () => {
    const { json, run, errorOf, payouts } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    const service = (request: Parameters<typeof payouts.service>[0]) => payouts.payThenLose(request);
    const lost = await run(["approval", "approve", id, "--yes", "--json"], { service });
    expect([lost.code, lost.stdout]).toEqual([9, ""]);
    expect((await json("approval", "show", id)).state).toBe("unknown");
    expect(await errorOf(["approval", "approve", id, "--yes"], 9)).toMatchObject({ kind: "outcome-unknown", sent: "unknown" });
    const attemptId = String((await json("approval", "show", id))["journalId"]);
    await run(["journal", "resume", attemptId, "--yes", "--json"]);
    expect(await json("approval", "show", id)).toMatchObject({ state: "sent", transactionId: "tx-1" });
    expect(payouts.paid()).toEqual({ A: 1 });
  });

  test("with --wait ends as the payment ends", async () => {
    const { json, run } = createShop();
    const { id } = await json("b2c", "--phone", "0712345041", "--amount", "500", "--reference", "A", "--propose");
    const ended = await run(["approval", "approve", id, "--yes", "--wait", "30", "--json"]);
    expect([ended.code, JSON.parse(ended.stdout).state]).toEqual([7, "sent"]);
  });

  test("several are sent one after the other; the first that fails ends it, and what was sent is printed", async () => {
    const { json, run, payouts } = createShop();
    const [a, b] = [await json(...b2c("A"), "--propose"), await json(...b2c("B"), "--propose")];
    const ended = await run(["approval", "approve", a.id, "nobody", b.id, "--yes", "--json"]);
    expect([ended.code, JSON.parse(ended.stdout).state]).toEqual([4, "sent"]);
    expect(JSON.parse(ended.stderr).error).toMatchObject({ kind: "not-found", sent: "yes" });
    expect(payouts.paid()).toEqual({ A: 1 });
  });
});

describe("declining and cancelling", () => {
  test("needs a reason, which is kept", async () => {
    const { json, errorOf } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    expect((await errorOf(["approval", "decline", id], 2))["message"]).toContain("--reason");
    expect(await json("approval", "decline", id, "--reason", "Paid in cash")).toMatchObject({
      state: "declined",
      decisions: [{ decision: "declined", reason: "Paid in cash" }],
    });
    expect((await errorOf(["approval", "approve", id, "--yes"], 2))["kind"]).toBe("usage");
  });

  test("the proposer takes a proposal back", async () => {
    const { json, errorOf } = createShop();
    const { id } = await json(...b2c("A"), "--propose");
    expect((await json("approval", "cancel", id)).state).toBe("cancelled");
    expect((await errorOf(["approval", "cancel", id], 2))["kind"]).toBe("usage");
    expect((await errorOf(["approval", "cancel", "nobody"], 4))["kind"]).toBe("not-found");
  });
});
