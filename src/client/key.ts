import { usageError } from "../kernel/errors.ts";
import { nodeCrypto } from "../kernel/node-crypto.ts";

/**
 * A key has to fit into a header: printable ASCII. The place is named, the key never (cases K2, K3).
 * A character beyond ASCII would otherwise fail deep inside HTTP and look like a network fault. Throws CliError usage.
 */
export const checkApiKey = (apiKey: string): void => {
  if (apiKey.trim() === "") throw usageError("The API key is empty.", "Set it with `payments-cli login` or PAYMENTS_API_KEY.");
  const position = [...apiKey].findIndex((character) => !/^[\x20-\x7e]$/.test(character));
  if (position !== -1) {
    throw usageError(
      `The API key has a character at position ${position + 1} that cannot be sent: only plain letters, digits and signs can.`,
      "Copy the key again; a dash or quote may have been changed by the program it was pasted from.",
    );
  }
};

/** An Idempotency-Key is 1 to 255 visible ASCII characters. Throws CliError usage. */
export const checkIdempotencyKey = (key: string): void => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw usageError("An idempotency key is 1 to 255 visible ASCII characters, without spaces.");
};

/** Tells whether two keys are the same without keeping either: HMAC-SHA256 under a salt, in hex. */
export const fingerprintOf = (apiKey: string, salt: string): string => nodeCrypto().createHmac("sha256", salt).update(apiKey, "utf8").digest("hex");
