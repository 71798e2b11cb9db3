import type { Delivery, Transaction } from "./entities.ts";
import { notFound } from "./refusal.ts";
import { isoOf, nextId, type Unit } from "./unit.ts";
import { transactionView } from "./views.ts";

/** sandbox.md: retried after 5 s, 30 s, 2 min, 10 min and 1 h. */
export const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
/** Assumed: what a delivery that is being sent is left alone for, so that two processes do not send one try at once. */
const leaseMs = 20_000;
const lateMs = 30_000;

/** `eventMs` is when the event happened, which its body says: now unless given. */
type Callback = Pick<Delivery, "type"> & Partial<Delivery> & { readonly eventMs?: number };

const add = (unit: Unit, transaction: Transaction, { eventMs = unit.nowMs, ...fields }: Callback): Delivery => {
  const id = nextId(unit, "DL", "postings");
  const eventId = fields.eventId ?? `EV${id.slice(2)}`;
  // Queries may lag or contradict (027, 028); a callback says what happened.
  const data = transactionView({ ...transaction, shownLeft: 0 });
  const body = JSON.stringify({ type: fields.type, id: eventId, createdAt: isoOf(eventMs), data });
  const delivery: Delivery = {
    id,
    eventId,
    transactionId: transaction.id,
    url: transaction.callbackUrl ?? "",
    body,
    createdMs: unit.nowMs,
    badSignature: false,
    tries: [],
    state: "due",
    dueMs: unit.nowMs,
    ...fields,
  };
  unit.put("delivery", delivery);
  return delivery;
};

/** Enqueues the callbacks of a payment's new status (service 6.1), in the way of its scenario. */
export const enqueueCallbacks = (unit: Unit, transaction: Transaction): void => {
  if (transaction.callbackUrl === undefined) return;
  const type = `payment.${transaction.status.toLowerCase()}`;
  const scenario = transaction.scenario;
  if (scenario === "callback-lost") return void add(unit, transaction, { type, state: "lost", dueMs: undefined });
  if (scenario === "callback-late") return void add(unit, transaction, { type, dueMs: unit.nowMs + lateMs });
  if (scenario === "callback-bad-signature") return void add(unit, transaction, { type, badSignature: true });
  const { eventId } = add(unit, transaction, { type });
  if (scenario === "callback-twice") add(unit, transaction, { type, eventId, dueMs: unit.nowMs + 1 });
  if (scenario !== "callback-out-of-order") return;
  // The older news comes after the newer: it says when it was made, and must not undo what is known.
  const earlier: Transaction = { ...transaction, status: transaction.flow === "b2c" ? "PROCESSING" : "SENT", metadata: {} };
  add(unit, earlier, { type: "payment.processing", eventMs: transaction.createdMs, dueMs: unit.nowMs + 1_000 });
};

/** Takes deliveries that are due, for sending; nobody else does while the lease runs. */
export const claimDeliveries = (unit: Unit, limit: number): readonly Delivery[] =>
  unit.due("delivery", unit.nowMs, limit).map((delivery) => {
    unit.put("delivery", { ...delivery, dueMs: unit.nowMs + leaseMs });
    return delivery;
  });

export type TryResult = { readonly status?: number; readonly error?: string; readonly durationMs: number };

/** Records how a try went and when the next one is. A 2xx is delivered. */
export const recordTry = (unit: Unit, sent: Delivery, result: TryResult): void => {
  const delivery = unit.get("delivery", sent.id);
  // After a reset its id may be another's.
  if (delivery?.body !== sent.body) return;
  const tries = [...delivery.tries, { at: isoOf(unit.nowMs), ...result }];
  const delivered = result.status !== undefined && result.status >= 200 && result.status < 300;
  const delayMs = retryDelaysMs[tries.length - 1];
  const state = delivered ? "delivered" : delayMs === undefined ? "failed" : "due";
  unit.put("delivery", { ...delivery, tries, state, dueMs: state === "due" ? unit.nowMs + (delayMs ?? 0) : undefined });
};

/** Makes a delivery due at once. Throws Refusal 404. */
export const resendDelivery = (unit: Unit, id: string): Delivery => {
  const delivery = unit.get("delivery", id);
  if (delivery === undefined) throw notFound("The delivery");
  const again: Delivery = { ...delivery, state: "due", dueMs: unit.nowMs };
  unit.put("delivery", again);
  return again;
};
