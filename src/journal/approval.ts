import { CliError } from "../errors.ts";
import type { JsonObject } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import { compareDecimals, toDecimal } from "../money/money.ts";
import { quoteForShell } from "../shell.ts";
import { utcTime } from "../utc-time.ts";

/** A proposed payment and what people decided about it (rules.md, Together). Whichever journal keeps it, these are its rules. */

export type ApprovalOperation = "b2c" | "withdraw" | "batch";
export type ApprovalState = "open" | "sent" | "refused" | "unknown" | "declined" | "cancelled" | "expired";
export type Decision = { readonly by: string; readonly at: string; readonly decision: "approved" | "declined"; readonly reason?: string };

/** One request of a proposal: the only one, or a row of a batch, from 1. */
export type ApprovalItem = { readonly row: number; readonly guardKey: string; readonly body: string };

/** How the rows of a proposed file are paid: the file's own batch id, and what the proposer chose. */
export type ApprovalBatch = { readonly fileId: string; readonly choice: "plain" | "resume" | "retry-failed" | "new-run" };

type Proposed = {
  readonly id: string;
  readonly operation: ApprovalOperation;
  readonly baseUrl: string;
  readonly profile: string;
  /** Of a batch, the file's name. */
  readonly reference: string;
  /** As an attempt names it; empty for a batch. */
  readonly payee: string;
  /** Decimal string; of a batch, the sum. */
  readonly amount: string;
  readonly currency: string;
  readonly batch?: ApprovalBatch;
  readonly allowDuplicate: boolean;
  /** The proposer's own key for the payment. */
  readonly idempotencyKey?: string;
  readonly note?: string;
};
export type NewApproval = Proposed & { readonly items: readonly ApprovalItem[]; readonly expiresMs: number };

export type Approval = Proposed & {
  /** How many items there are. */
  readonly rows: number;
  readonly proposedBy: string;
  /** The proposer's machine. */
  readonly proposedFrom: string;
  /** ISO 8601 UTC, like the next. */
  readonly proposedAt: string;
  readonly expiresAt: string;
  readonly state: ApprovalState;
  readonly decisions: readonly Decision[];
  /** An attempt was made of it. */
  readonly isBegun: boolean;
  /** Of the newest attempt that was made of it; of a batch, only if it has one row. */
  readonly journalId?: string;
  readonly transactionId?: string;
};

/** Money out of `from` or more needs so many approvals. */
export type Policy = { readonly currency: string; readonly from: string; readonly approvers: number };

/** The policy that an amount of a currency falls under. */
export const findPolicy = (policies: readonly Policy[], { amount, currency }: { readonly amount: string; readonly currency: string }): Policy | undefined => {
  const policy = policies.find((one) => one.currency === currency.trim().toUpperCase());
  if (policy === undefined) return undefined;
  const [is, from] = [toDecimal(amount.trim()), toDecimal(policy.from)];
  // What cannot be compared is not let through.
  return is === undefined || from === undefined || compareDecimals(is, from) >= 0 ? policy : undefined;
};

/** Whether the approvals suffice by these policies: one at least. */
export const hasApprovals = (approval: Pick<Approval, "amount" | "currency" | "decisions">, policies: readonly Policy[]): boolean =>
  approval.decisions.filter(({ decision }) => decision === "approved").length >= (findPolicy(policies, approval)?.approvers ?? 1);

/** Exit 14: nothing was sent. */
export const approvalRequired = (policy: Policy, what: string, details: { readonly hint?: string; readonly journalId?: string } = {}): CliError => {
  const who = policy.approvers === 1 ? "another person's approval" : `the approval of ${policy.approvers} other people`;
  const from = `${policy.currency} ${groupedAmount(policy.from, policy.currency)}`;
  return new CliError("approval-required", `${what} of ${from} or more needs ${who}; nothing was sent`, {
    hint: proposeInstead,
    ...details,
  });
};
export const proposeInstead = "To store it for approval instead, give b2c, b2c batch or global withdraw the flag --propose.";

/** Exit 14: the login has none of the roles that it takes; nothing was sent. */
export const noRole = ({ name, role, needs }: { readonly name: string; readonly role: string; readonly needs: string }): CliError =>
  new CliError("approval-required", `The login ${name} has the role ${role} in the shared journal, and this takes the role ${needs}; nothing was sent`, {
    hint: `Somebody with that role does it, or whoever made the journal gives it to you: payments-cli journal setup URL --add ${quoteForShell(name)} --role ${needs}.`,
  });

export const ownProposal = (id: string): CliError =>
  new CliError("approval-required", `You proposed ${id} yourself: another person has to approve it; nothing was sent`, {
    hint: `Another checker approves it: payments-cli approval approve ${id}.`,
  });

export const noSuchApproval = (id: string): CliError =>
  new CliError("not-found", `No approval ${id} in the journal`, { hint: "To list the approvals", command: ["approval", "list", "--state", "all"] });

/** Why a proposal can no longer be decided, approved or sent. */
export const closedApproval = ({ id, state, journalId }: Pick<Approval, "id" | "state" | "journalId">): CliError => {
  const named = journalId === undefined ? {} : { journalId };
  if (state === "sent") {
    return new CliError("duplicate", `Approval ${id} was sent already; nothing was sent`, {
      ...named,
      hint: "To see it",
      command: ["approval", "show", id],
    });
  }
  if (state === "unknown") {
    return new CliError("outcome-unknown", `Approval ${id} was sent, and its outcome is unknown`, {
      ...named,
      hint: "To settle it",
      command: ["journal", "resume", ...(journalId === undefined ? ["--all"] : [journalId])],
    });
  }
  const says = { refused: "was refused by the service", declined: "was declined", cancelled: "was cancelled by its proposer", expired: "has expired" };
  const hint = state === "declined" ? "Propose it again if that was a mistake." : "Propose it again.";
  return new CliError("usage", `Approval ${id} ${says[state === "open" ? "expired" : state]}; nothing was sent`, { hint, ...named });
};

/** What it would pay may still be paid by it: it is open, or a file that was cut off while a row was on its way. */
export const waits = ({ state, batch }: Pick<Approval, "state" | "batch">): boolean => state === "open" || (state === "unknown" && batch !== undefined);

/** A proposal of the same payment that may still be sent: exit 11. */
export const alreadyProposed = ({
  id,
  proposedBy,
  proposedAt,
  ...approval
}: Pick<Approval, "id" | "proposedBy" | "proposedAt" | "isBegun" | "batch">): CliError => {
  const isCutOff = approval.isBegun && approval.batch !== undefined;
  const stands = isCutOff ? "is in a file that is not finished" : "waits for approval";
  const goOn = isCutOff ? "An approver continues that file with approval approve. " : "";
  return new CliError("duplicate", `The same payment was proposed by ${proposedBy} and ${stands} (approval ${id}, ${utcTime(proposedAt)}); nothing was sent`, {
    hint: `${goOn}To propose it all the same, add --allow-duplicate. To see the earlier proposal`,
    command: ["approval", "show", id],
  });
};

const shown = [
  ...["id", "operation", "reference", "payee", "amount", "currency", "rows", "proposedBy", "proposedAt", "note", "expiresAt", "state", "decisions"],
  ...["journalId", "transactionId"],
] as const satisfies readonly (keyof Approval)[];

/** An approval as `approval list --json` has it (rules.md, JSON and CSV). */
export const approvalRow = (approval: Approval): JsonObject =>
  Object.fromEntries(
    shown.flatMap((name) => {
      const value = name === "rows" && approval.batch === undefined ? undefined : approval[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
