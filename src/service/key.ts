import { CliError, usageError } from "../errors.ts";
import { isIdempotencyKey } from "./contract/limits.ts";

/**
 * A key has to fit into a header: printable ASCII. The place is named, the key never (cases K2, K3).
 * A character beyond ASCII would otherwise fail deep inside HTTP and look like a network fault. Throws CliError usage.
 */
export const checkApiKey = (apiKey: string): void => {
  if (apiKey.trim() === "") throw new CliError("usage", "The API key is empty.", { hint: "Set PAYMENTS_API_KEY, or store a key", command: ["login"] });
  const position = [...apiKey].findIndex((character) => !/^[\x20-\x7e]$/.test(character));
  if (position !== -1) {
    throw usageError(
      `The API key has a character at position ${position + 1} that cannot be sent. A key has only plain letters, digits and signs.`,
      "Copy the key again. The program you copied it from may have changed a dash or a quote.",
    );
  }
};

/** Shorter texts may be part of an honest address. */
const tellingLength = 12;

/** A key pasted into the address would go to a name server and stand in every message and in the journal. Throws CliError usage, showing neither. */
export const refuseKeyInUrl = (apiKey: string, url: string): void => {
  const key = apiKey.trim().toLowerCase();
  if (key.length < tellingLength || !url.toLowerCase().includes(key)) return;
  throw usageError("The base URL has the API key in it.", "Give only the address of the service as the base URL. If others may have seen the key, replace it.");
};

/** Throws CliError usage for an Idempotency-Key that no header can carry. */
export const checkIdempotencyKey = (key: string): void => {
  if (!isIdempotencyKey(key)) throw usageError("An idempotency key is 1 to 255 letters, digits and signs (ASCII), without spaces.");
};

/**
 * Tells whether two keys are the same without keeping either: HMAC-SHA256 under a salt, in hex. Crypto is loaded when first needed, here
 * and elsewhere: at import it would cost every command some milliseconds.
 */
export const fingerprintOf = (apiKey: string, salt: string): string =>
  process.getBuiltinModule("node:crypto").createHmac("sha256", salt).update(apiKey, "utf8").digest("hex");
