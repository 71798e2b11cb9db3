import { CliError, usageError } from "../kernel/errors.ts";
import { fieldOf, type Json, type JsonObject } from "../kernel/exact-json.ts";
import { nodeCrypto } from "../kernel/node-crypto.ts";

/** scrypt's cost: 64 MiB and some tenths of a second a guess (OWASP's second choice). Kept with each record, so it can grow. */
const cost = { N: 2 ** 16, r: 8, p: 2 } as const;
const limits = { N: 2 ** 20, r: 16, p: 16 } as const;
const cipherName = "aes-256-gcm";

/** A key under a passphrase, all binary in base64. */
export type WithdrawalKeyRecord = {
  readonly kdf: "scrypt";
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly cipher: typeof cipherName;
  readonly iv: string;
  readonly tag: string;
  readonly data: string;
};

type Cost = { readonly N: number; readonly r: number; readonly p: number };

const deriveKey = async (passphrase: string, salt: Uint8Array, { N, r, p }: Cost): Promise<Buffer> =>
  await new Promise((resolve, reject) => {
    // The same passphrase typed on another system may come in another Unicode form.
    nodeCrypto().scrypt(passphrase.normalize("NFKC"), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** Encrypts a key under a passphrase: scrypt and AES-256-GCM, with fresh salt and IV. Throws CliError usage for an empty passphrase. */
export const sealKey = async (key: string, passphrase: string): Promise<WithdrawalKeyRecord> => {
  if (passphrase === "") throw usageError("The passphrase is empty.");
  const salt = nodeCrypto().randomBytes(16);
  const iv = nodeCrypto().randomBytes(12);
  const cipher = nodeCrypto().createCipheriv(cipherName, await deriveKey(passphrase, salt, cost), iv);
  const data = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
  const [saltText, ivText, tag, dataText] = [salt, iv, cipher.getAuthTag(), data].map((part) => part.toString("base64"));
  return { kdf: "scrypt", ...cost, salt: saltText ?? "", cipher: cipherName, iv: ivText ?? "", tag: tag ?? "", data: dataText ?? "" };
};

const isPowerOfTwo = (value: number): boolean => value > 1 && Number.isInteger(Math.log2(value));

/** The record in a profile, checked; undefined where it is none. Its costs are bounded, so that an altered file can't eat the machine. */
export const parseWithdrawalKey = (value: Json | undefined): WithdrawalKeyRecord | undefined => {
  const text = (name: string): string | undefined => {
    const field = fieldOf(value, name);
    return typeof field === "string" ? field : undefined;
  };
  const count = (name: "N" | "r" | "p"): number | undefined => {
    const field = fieldOf(value, name);
    return typeof field === "number" && Number.isInteger(field) && field > 0 && field <= limits[name] ? field : undefined;
  };
  const [N, r, p] = [count("N"), count("r"), count("p")];
  const [salt, iv, tag, data] = [text("salt"), text("iv"), text("tag"), text("data")];
  if (text("kdf") !== "scrypt" || text("cipher") !== cipherName || N === undefined || !isPowerOfTwo(N) || r === undefined || p === undefined) return undefined;
  if (salt === undefined || iv === undefined || tag === undefined || data === undefined) return undefined;
  return { kdf: "scrypt", N, r, p, salt, cipher: cipherName, iv, tag, data };
};

/** The key again. Throws CliError auth (3) for a wrong passphrase or an altered record, which GCM does not tell apart. */
export const openKey = async (record: WithdrawalKeyRecord, passphrase: string): Promise<string> => {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  const derived = await deriveKey(passphrase, bytes(record.salt), record);
  try {
    const decipher = nodeCrypto().createDecipheriv(cipherName, derived, bytes(record.iv), { authTagLength: 16 });
    decipher.setAuthTag(bytes(record.tag));
    return Buffer.concat([decipher.update(bytes(record.data)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new CliError("auth", "The passphrase is wrong; nothing was sent.", {
      cause: error,
      hint: "If it is lost, store the key again: payments-cli profile set NAME --with-withdrawal-key",
    });
  }
};

export const toJson = (record: WithdrawalKeyRecord): JsonObject => ({ ...record });
