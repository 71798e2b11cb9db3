import { readFile } from "node:fs/promises";
import { errorCode } from "../errors.ts";

/** What NODE_EXTRA_CA_CERTS names. Node ignores a file that it cannot read, with a warning at most. */
export type ExtraCertificates = { readonly path: string } & ({ readonly count: number } | { readonly fault: string });

/** Undefined if the variable is not set. `fault` goes on from "NODE_EXTRA_CA_CERTS names FILE, which". */
export const readExtraCertificates = async (env: Readonly<Record<string, string | undefined>>): Promise<ExtraCertificates | undefined> => {
  const path = env["NODE_EXTRA_CA_CERTS"] ?? "";
  if (path === "") return undefined;
  try {
    const count = (await readFile(path, "latin1")).split("-----BEGIN CERTIFICATE-----").length - 1;
    return count === 0 ? { path, fault: "holds no certificate in PEM form" } : { path, count };
  } catch (error) {
    return { path, fault: `cannot be read (${errorCode(error) ?? "unreadable"}), so it is ignored` };
  }
};
