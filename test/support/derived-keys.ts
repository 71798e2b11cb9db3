import { promisify } from "node:util";
import { vi } from "vitest";

/** In this file of tests a key that was derived is remembered: each takes some tenths of a second, and the same come again and again. */
export const rememberDerivedKeys = (): void => {
  const crypto = process.getBuiltinModule("node:crypto");
  const derive = promisify<string, Uint8Array, number, object, Buffer>(crypto.scrypt);
  const derived = new Map<string, Promise<Buffer>>();
  vi.spyOn(crypto, "scrypt").mockImplementation((passphrase, salt, bytes, cost, done) => {
    const name = JSON.stringify([passphrase, salt, bytes, cost]);
    const key = derived.get(name) ?? derive(String(passphrase), Buffer.from(salt as Buffer), bytes, cost);
    derived.set(name, key);
    void key.then((made) => done(null, Buffer.from(made)));
  });
};
