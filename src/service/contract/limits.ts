/** Values of the contract that are needed where its schemas are not loaded. */

/** A payout's amount in KES, both bounds allowed (service 8). */
export const payoutBounds = { min: 10, max: 150_000 } as const;

/** What `commandId` of a payout may be (service 4, POST b2c). */
export const payoutKinds = ["SalaryPayment", "BusinessPayment", "PromotionPayment"] as const;

/** Assumed (service 4 shows no form): a key is 1 to 255 visible ASCII characters, as a header can carry them. */
export const isIdempotencyKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text);

/** Which local transactions a list has: payments, payouts or both (service 4, GET transactions). */
export const flows = ["standard", "b2c", "all"] as const;
export type Flow = (typeof flows)[number];

/** How callbacks can be signed. The service does not say which it uses (service 6), so it is a setting. */
export const signatureSchemes = ["standard-webhooks", "stripe", "hmac-sha256-hex", "hmac-sha256-base64", "hmac-sha512-hex"] as const;
