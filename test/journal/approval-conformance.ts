import { describe, expect, test } from "vitest";
import type { NewApproval } from "../../src/journal/approval.ts";
import type { Journal } from "../../src/journal/port.ts";
import { attempt, kindOf, type Opener, time } from "./conformance.ts";

const bodyOf = (id: string, amount = "60000"): string => `{"id":"${id}","amount":${amount}}`;
export const proposal = (id: string, more: Partial<NewApproval> = {}): NewApproval => ({
  id,
  operation: "b2c",
  baseUrl: "https://a.example",
  profile: "shop",
  reference: "R-1",
  payee: "254700000001",
  amount: "60000",
  currency: "KES",
  allowDuplicate: false,
  items: [{ row: 1, guardKey: `guard-${id}`, body: bodyOf(id) }],
  expiresMs: 3_600_000,
  ...more,
});
/** The attempt that an approval is sent as. */
export const attemptOf = (approvalId: string, id = `a-${approvalId}`, more: Parameters<typeof attempt>[1] = {}): ReturnType<typeof attempt> =>
  attempt(id, { approvalId, body: bodyOf(approvalId), guardKey: `guard-${approvalId}`, amount: "60000", ...more });

/** `create` gives who opens the journal as the proposer, as somebody who may approve, and as the owner. */
export type Team = { readonly maker: Opener; readonly checker: Opener; readonly owner: Opener };

/** What every journal has to do with proposals (src/journal/approval.ts). */
export const testApprovals = (name: string, createTeam: () => Team): void => {
  const open = async (): Promise<{ readonly maker: Journal; readonly checker: Journal; readonly owner: Journal }> => {
    const team = createTeam();
    return { maker: await team.maker(), checker: await team.checker(), owner: await team.owner() };
  };
  const policy = { from: "50000", approvers: 1 };
  describe(`${name}: proposals`, () => {
    test("a proposal is what was written, open, and found by what it would pay", async () => {
      const { maker, checker } = await open();
      const proposed = await maker.approvals.propose(proposal("p", { note: "rent", idempotencyKey: "K" }));
      const user = await maker.approvals.user();
      expect(proposed).toMatchObject({
        id: "p",
        state: "open",
        proposedBy: user.name,
        proposedFrom: user.machine,
        note: "rent",
        idempotencyKey: "K",
        rows: 1,
        decisions: [],
      });
      expect(Date.parse(proposed.expiresAt) - Date.parse(proposed.proposedAt)).toBe(3_600_000);
      expect(await checker.approvals.find("p")).toEqual(proposed);
      expect(await checker.approvals.items("p")).toEqual(proposal("p").items);
      const ids = async (guardKeys: readonly string[], baseUrl = "https://a.example") =>
        (await checker.approvals.list({ guardKeys, baseUrl })).map(({ id }) => id);
      expect([await ids(["x", "guard-p"]), await ids(["x"]), await ids(["guard-p"], "https://b.example")]).toEqual([["p"], [], []]);
      expect(await checker.approvals.find("nothing")).toBeUndefined();
    });

    test("the same payment is not proposed twice unless that is allowed", async () => {
      const { maker } = await open();
      const items = proposal("p").items;
      await maker.approvals.propose(proposal("p"));
      expect(await kindOf(maker.approvals.propose(proposal("q", { items })))).toBe("duplicate");
      expect(await kindOf(maker.approvals.propose(proposal("q", { items, allowDuplicate: true })))).toBe("done");
      expect((await maker.approvals.list()).map(({ id }) => id)).toEqual(["q", "p"]);
    });

    test("declined and cancelled ones are closed, with who and why, and make room", async () => {
      const { maker, checker } = await open();
      await maker.approvals.propose(proposal("p"));
      const declined = await checker.approvals.decide("p", { declined: "paid in cash" });
      const by = (await checker.approvals.user()).name;
      expect(declined).toMatchObject({ state: "declined", decisions: [{ by, decision: "declined", reason: "paid in cash" }] });
      expect(await kindOf(checker.approvals.decide("p", "approved"))).toBe("usage");
      expect(await kindOf(maker.approvals.cancel("p"))).toBe("usage");
      await maker.approvals.propose(proposal("q", { items: proposal("p").items }));
      expect(await maker.approvals.cancel("q")).toMatchObject({ state: "cancelled" });
      expect(await kindOf(checker.approvals.decide("nobody", "approved"))).toBe("not-found");
    });

    test("what a policy holds back is opened with its approvals alone, once, with the request that was approved", async () => {
      const { maker, checker, owner } = await open();
      await owner.approvals.setPolicy("KES", policy);
      expect(await checker.approvals.policies()).toEqual([{ currency: "KES", ...policy }]);
      expect(await kindOf(checker.open(attempt("small", { amount: "49999.99" })))).toBe("done");
      expect(await kindOf(checker.open(attempt("other", { amount: "50000", currency: "UGX", operation: "withdraw" })))).toBe("done");
      expect(await kindOf(checker.open(attempt("push", { amount: "50000", operation: "stk" })))).toBe("done");
      expect(await kindOf(checker.open(attempt("large", { amount: "50000" })))).toBe("approval-required");
      await maker.approvals.propose(proposal("p"));
      expect(await kindOf(checker.open(attemptOf("p")))).toBe("approval-required");
      expect(await checker.approvals.decide("p", "approved")).toMatchObject({ state: "open", decisions: [{ decision: "approved" }] });
      for (const other of [{ body: bodyOf("other") }, { baseUrl: "https://b.example" }])
        expect(await kindOf(checker.open(attemptOf("p", "x", other)))).toBe("approval-required");
      expect(await kindOf(checker.open(attemptOf("p")))).toBe("done");
      expect(await checker.approvals.find("p")).toMatchObject({ state: "unknown", journalId: "a-p" });
      expect(await kindOf(checker.open(attemptOf("p", "again")))).toBe("outcome-unknown");
      await checker.close("a-p", { state: "accepted", transactionId: "T-1" });
      expect(await maker.approvals.find("p")).toMatchObject({ state: "sent", journalId: "a-p", transactionId: "T-1" });
      expect(await kindOf(checker.open(attemptOf("p", "again")))).toBe("duplicate");
      expect(await kindOf(checker.approvals.decide("p", "approved"))).toBe("duplicate");
      await owner.approvals.setPolicy("KES", undefined);
      expect(await kindOf(checker.open(attempt("large", { amount: "50000" })))).toBe("done");
    });

    test("refused by the service it is closed; where nothing arrived it stays open", async () => {
      const { maker, checker } = await open();
      for (const [id, httpStatus] of [
        ["p", undefined],
        ["q", 402],
      ] as const) {
        await maker.approvals.propose(proposal(id));
        await checker.approvals.decide(id, "approved");
        await checker.open(attemptOf(id));
        await checker.close(`a-${id}`, {
          state: "refused",
          tried: { atMs: time.nowMs, outcome: "refused", ...(httpStatus === undefined ? { error: "dns" } : { httpStatus }) },
        });
      }
      expect((await checker.approvals.find("p"))?.state).toBe("open");
      expect((await checker.approvals.find("q"))?.state).toBe("refused");
      expect(await kindOf(checker.open(attemptOf("p", "again")))).toBe("done");
      expect(await kindOf(checker.open(attemptOf("q", "again")))).toBe("usage");
    });

    test("an unknown one follows its attempt when that is settled", async () => {
      const { maker, checker } = await open();
      await maker.approvals.propose(proposal("p"));
      await checker.approvals.decide("p", "approved");
      await checker.open(attemptOf("p"));
      await checker.close("a-p", { state: "unknown" });
      expect(await checker.approvals.find("p")).toMatchObject({ state: "unknown" });
      expect(await kindOf(checker.reopen("a-p"))).toBe("done");
      await checker.close("a-p", { state: "refused", byHand: true });
      expect((await checker.approvals.find("p"))?.state).toBe("refused");
    });

    test("a file goes on by its rows until nothing is left", async () => {
      const { maker, checker } = await open();
      const items = [1, 2].map((row) => ({ row, guardKey: `g${row}`, body: bodyOf(`row ${row}`, "30000") }));
      const row = (at: number, id = `r${at}`) =>
        attempt(id, { approvalId: "p", batchId: "B", batchRow: at, body: bodyOf(`row ${at}`, "30000"), guardKey: `g${at}`, amount: "30000" });
      await maker.approvals.propose(proposal("p", { operation: "batch", payee: "", items, batch: { fileId: "B", choice: "plain" } }));
      await checker.approvals.decide("p", "approved");
      await checker.open(row(1));
      expect((await checker.approvals.find("p"))?.state).toBe("unknown");
      for (const item of items) expect(await kindOf(maker.approvals.propose(proposal("q", { items: [item] })))).toBe("duplicate");
      expect(await kindOf(checker.approvals.decide("p", "approved"))).toBe("done");
      await checker.close("r1", { state: "accepted", transactionId: "T-1" });
      expect((await checker.approvals.find("p"))?.state).toBe("open");
      await checker.open(row(2));
      await checker.close("r2", { state: "accepted", transactionId: "T-2" });
      await checker.approvals.finish("p");
      expect(await checker.approvals.find("p")).toMatchObject({ state: "sent", operation: "batch", rows: 2, batch: { fileId: "B", choice: "plain" } });
    });
  });
};
