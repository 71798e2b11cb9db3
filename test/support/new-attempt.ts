import type { NewAttempt } from "../../src/journal/port.ts";

/** An attempt as a payout opens it; id, key, reference and guard key are the id. */
export const newAttempt = (id: string): NewAttempt => ({
  id,
  idempotencyKey: id,
  operation: "b2c",
  endpoint: "POST /b2c",
  body: "{}",
  profile: "shop",
  baseUrl: "http://127.0.0.1:9",
  reference: id,
  payee: "254712345678",
  amount: "100",
  currency: "KES",
  startedAt: "2026-03-01T00:00:00.000Z",
  keyFingerprint: "f",
  keySalt: "s",
  guardKey: id,
});
