import { CliError } from "../errors.ts";
import { fieldOf, type Json } from "../json/exact-json.ts";

/**
 * How a key is sealed. A guess costs 64 MiB and some tenths of a second (scrypt, OWASP's second choice). Nothing else is ever
 * read from a file: an altered one could ask for any amount of memory and time, or make guessing cheap.
 */
const format = { version: 2, kdf: "scrypt", N: 2 ** 16, r: 8, p: 2, cipher: "aes-256-gcm" } as const;
const sealedBytesMax = 4096;

/** A key under a passphrase. Binary parts are base64. */
export type WithdrawalKeyRecord = typeof format & {
  /** The only address the key is sent to. */
  readonly baseUrl: string;
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly data: string;
};

/** What a record belongs to: copied to another profile, or with another address in it, it does not open. */
export type Owner = { readonly profile: string; readonly baseUrl: string };
const boundTo = ({ profile, baseUrl }: Owner): Buffer => Buffer.from(JSON.stringify([profile, baseUrl]));

const deriveKey = async (passphrase: string, salt: Uint8Array): Promise<Buffer> =>
  await new Promise((resolve, reject) => {
    const { N, r, p } = format;
    process
      .getBuiltinModule("node:crypto")
      .scrypt(passphrase, salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** Encrypts a key under a passphrase that `cleanNewPassphrase` allows, for one profile and address. */
export const sealKey = async (key: string, passphrase: string, owner: Owner): Promise<WithdrawalKeyRecord> => {
  const { createCipheriv, randomBytes } = process.getBuiltinModule("node:crypto");
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(format.cipher, await deriveKey(passphrase, salt), iv).setAAD(boundTo(owner));
  const data = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
  const text = (bytes: Buffer): string => bytes.toString("base64");
  return { ...format, baseUrl: owner.baseUrl, salt: text(salt), iv: text(iv), tag: text(cipher.getAuthTag()), data: text(data) };
};

/** The record in a profile; undefined if it is damaged or of another version. */
export const parseWithdrawalKey = (value: Json | undefined): WithdrawalKeyRecord | undefined => {
  if (Object.entries(format).some(([name, wanted]) => fieldOf(value, name) !== wanted)) return undefined;
  const baseUrl = fieldOf(value, "baseUrl");
  const part = (name: string, fits: (bytes: number) => boolean): string | undefined => {
    const field = fieldOf(value, name);
    return typeof field === "string" && fits(Buffer.byteLength(field, "base64")) ? field : undefined;
  };
  const salt = part("salt", (bytes) => bytes === 16);
  const iv = part("iv", (bytes) => bytes === 12);
  const tag = part("tag", (bytes) => bytes === 16);
  const data = part("data", (bytes) => bytes > 0 && bytes <= sealedBytesMax);
  if (typeof baseUrl !== "string" || salt === undefined || iv === undefined || tag === undefined || data === undefined) return undefined;
  return { ...format, baseUrl, salt, iv, tag, data };
};

/** The key again. Throws CliError auth (3) for a wrong passphrase or an altered record, which GCM does not tell apart. */
export const openKey = async (record: WithdrawalKeyRecord, passphrase: string, profile: string): Promise<string> => {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  const derived = await deriveKey(passphrase, bytes(record.salt));
  try {
    const decipher = process.getBuiltinModule("node:crypto").createDecipheriv(format.cipher, derived, bytes(record.iv), { authTagLength: 16 });
    decipher.setAAD(boundTo({ profile, baseUrl: record.baseUrl })).setAuthTag(bytes(record.tag));
    return Buffer.concat([decipher.update(bytes(record.data)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new CliError("auth", "The passphrase is wrong; nothing was sent.", {
      cause: error,
      hint: "If it is lost, or the settings file was changed by hand, store the key again",
      command: ["profile", "set", profile, "--with-withdrawal-key"],
    });
  }
};
