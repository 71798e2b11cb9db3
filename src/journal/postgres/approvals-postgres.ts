import type { Json } from "../../json/exact-json.ts";
import { type Approval, noSuchApproval } from "../approval.ts";
import { approvalQuestions, type Question, toApprovalRow } from "../approval-rows.ts";
import type { Approvals, JournalUser } from "../port.ts";
import type { ApplyQueue } from "./apply-queue.ts";

export const sharedQuestions = approvalQuestions({
  prefix: "payments.",
  state: "payments.approval_state(p.id)",
  stateValues: [],
  decided: "coalesce(json_agg(json_build_object('by', decided_by, 'at', decided_at, 'decision', decision, 'reason', reason) ORDER BY seq), '[]')::text",
  listed: "SELECT jsonb_array_elements_text(?::jsonb)",
});
export type Ask = <T>(question: Question<T>) => Promise<T>;

/** Proposals in PostgreSQL. Who may do what is decided by the schema's functions. */
export const createSharedApprovals = ({ apply }: ApplyQueue, ask: Ask, user: () => Promise<JournalUser>): Approvals => {
  const changed = async (id: string, change: Promise<Json>): Promise<Approval> => {
    await change;
    const approval = await ask(sharedQuestions.find(id));
    if (approval === undefined) throw noSuchApproval(id);
    return approval;
  };
  return {
    user,
    propose: (proposal) => {
      const items = proposal.items.map(({ row, guardKey, body }) => ({ row, guard_key: guardKey, body }));
      return changed(proposal.id, apply({ op: "propose", approval: toApprovalRow(proposal), items, expiresMs: proposal.expiresMs }));
    },
    find: (id) => ask(sharedQuestions.find(id)),
    items: (id) => ask(sharedQuestions.items(id)),
    list: (filter) => ask(sharedQuestions.list(filter)),
    decide: (id, decision) => changed(id, apply({ op: "decide", id, ...(decision === "approved" ? {} : { reason: decision.declined }) })),
    cancel: (id) => changed(id, apply({ op: "cancel", id })),
    finish: async (id) => {
      await apply({ op: "finish", id });
    },
    policies: () => ask(sharedQuestions.policies()),
    setPolicy: async (currency, policy) => {
      await apply({ op: "policy", currency, ...(policy ?? {}) });
    },
  };
};
