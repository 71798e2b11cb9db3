import { json, type Seen, startService } from "../../support/process.ts";

/**
 * Keeps one payment a key, lists what it has, and counts requests of one key that it has at once. Creations are answered after
 * `answerMs`; those that are held, when they are released.
 */
export const startModel = async (answerMs: number | "held") => {
  const payments = new Map<string, { id: string; reference: string; amount: number; status: string }>();
  let onCreate: (seen: Seen) => void = () => {};
  const open = new Map<string, number>();
  const counts = { creations: 0, mostAtOnce: 0 };
  const held: (() => void)[] = [];
  let holds = answerMs === "held";
  const service = await startService((seen, response) => {
    const asked = [...payments.values()].find(({ id }) => seen.url.endsWith(`/transactions/${id}`));
    if (asked !== undefined) {
      json(response, 200, asked);
      return;
    }
    if (seen.method === "GET") {
      const rows = /[?&]offset=[1-9]/.test(seen.url) ? [] : [...payments.values()];
      json(response, 200, { transactions: rows, total: payments.size });
      return;
    }
    const key = String(seen.headers["idempotency-key"]);
    const body = JSON.parse(seen.body) as { reference: string; amount: number };
    const payment = payments.get(key) ?? { id: `T-${payments.size + 1}`, reference: body.reference, amount: body.amount, status: "QUEUED" };
    payments.set(key, payment);
    counts.creations += 1;
    open.set(key, (open.get(key) ?? 0) + 1);
    counts.mostAtOnce = Math.max(counts.mostAtOnce, open.get(key) ?? 0);
    response.once("close", () => open.set(key, (open.get(key) ?? 1) - 1));
    onCreate(seen);
    const answer = (): void => json(response, 200, { transactionId: payment.id, status: payment.status });
    if (holds) held.push(answer);
    else setTimeout(answer, answerMs === "held" ? 0 : answerMs);
  });
  return {
    payments,
    counts,
    env: { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url },
    release: () => {
      holds = false;
      for (const answer of held.splice(0)) answer();
    },
    nextCreate: () =>
      new Promise<Seen>((done) => {
        onCreate = done;
      }),
  };
};
