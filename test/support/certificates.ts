import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Pair = { readonly key: string; readonly cert: string };
export type Certificates = { readonly ca: string; readonly good: Pair; readonly expired: Pair; readonly otherHost: Pair };

/** An authority of our own and certificates by it, for localhost and api.example.test, made anew with openssl. */
export const makeCertificates = (): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), "payments-cli-tls-"));
  const run = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  };
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const sign = (name: string, names: string, days: string): Pair => {
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${names}`);
    run("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    run(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      "ca.crt",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-days",
      days,
      "-extfile",
      `${name}.ext`,
      "-out",
      `${name}.crt`,
    );
    return { key: read(`${name}.key`), cert: read(`${name}.crt`) };
  };
  try {
    run("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.crt", "-days", "30", "-subj", "/CN=Test authority");
    const here = "DNS:api.example.test,DNS:localhost,IP:127.0.0.1";
    return {
      ca: read("ca.crt"),
      good: sign("good", here, "30"),
      expired: sign("expired", here, "-1"),
      otherHost: sign("other", "DNS:other.example.test", "30"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
