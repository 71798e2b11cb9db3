import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { errorCode, usageError } from "../../errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;
export type ConnectionSettings = {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly database: string | undefined;
  /** Undefined: where libpq looks for it (PGPASSWORD, PGPASSFILE, ~/.pgpass). */
  readonly password: string | undefined;
  readonly tls: ConnectionOptions | false;
  /** `prefer` and `allow`: without TLS if the server has none. */
  readonly mayBePlain: boolean;
  /** For people: no password. */
  readonly where: string;
};

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof modes)[number];
const isMode = (text: string): text is SslMode => modes.some((mode) => mode === text);

const noHost = "no-host.invalid";

/** Throws CliError usage for what is no URL of PostgreSQL; its text is not repeated, as it may hold a password. */
export const parseJournalUrl = (text: string): URL => {
  // libpq takes a login without a host: `postgresql://ann@/payments?host=/var/run/postgresql`.
  const whole = text.trim().replace(/^(postgres(?:ql)?:\/\/[^/?#@]*@)(?=\/|$)/, `$1${noHost}`);
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && isPlain(url)) return url;
  throw usageError(
    "The journal's URL is not one of PostgreSQL.",
    "Write it like postgresql://USER@HOST/DATABASE; in a name or password, % is %25, # is %23, / is %2F, ? is %3F and @ is %40",
  );
};

/** False if a sign in a password ends it early, so that the rest of it would be shown as a part of the place; or if it cannot be decoded. */
const isPlain = ({ href, hash, username, pathname, search }: URL): boolean => {
  if (hash !== "" || (username === "" && /@/.test(pathname + search))) return false;
  try {
    decodeURIComponent(href);
    return true;
  } catch {
    return false;
  }
};

/** The URL without its password, for people. */
export const withoutPassword = (url: URL): string => {
  const shown = new URL(url);
  shown.password = "";
  shown.searchParams.delete("password");
  return shown.href.replace(noHost, "");
};
export const hasPassword = (url: URL): boolean => url.password !== "" || url.searchParams.has("password");

const isLoopback = (host: string): boolean => host.startsWith("/") || host === "localhost" || host === "::1" || /^127\./.test(host);

/** A URL as libpq reads it, with its variables. Off loopback a verified certificate is required unless the URL's sslmode says otherwise. */
export const toConnectionSettings = (text: string, env: Env): ConnectionSettings => {
  const url = parseJournalUrl(text);
  const parameter = (name: string, variable: string): string | undefined => url.searchParams.get(name) ?? env[variable];
  const host =
    (url.searchParams.get("host") ?? decodeURIComponent(url.hostname.replace(noHost, "").replace(/^\[(.*)\]$/, "$1"))) ||
    env["PGHOST"] ||
    "/var/run/postgresql";
  const sslmode = url.searchParams.get("sslmode") ?? (isLoopback(host) ? (env["PGSSLMODE"] ?? "disable") : "verify-full");
  if (!isMode(sslmode)) throw usageError(`sslmode is one of ${modes.join(", ")}, not "${sslmode}".`);
  const password = decodeURIComponent(url.password) || url.searchParams.get("password") || undefined;
  return {
    host,
    port: Number(url.port || url.searchParams.get("port") || env["PGPORT"] || 5432),
    user: decodeURIComponent(url.username) || parameter("user", "PGUSER"),
    database: decodeURIComponent(url.pathname.slice(1)) || parameter("dbname", "PGDATABASE"),
    password,
    tls: sslmode === "disable" || host.startsWith("/") ? false : toTls(sslmode, host, parameter),
    mayBePlain: sslmode === "prefer" || sslmode === "allow",
    where: withoutPassword(url),
  };
};

const toTls = (sslmode: SslMode, host: string, parameter: (name: string, variable: string) => string | undefined): ConnectionOptions => {
  const folder = join(homedir(), ".postgresql");
  const read = (given: string | undefined, usual: string): Buffer | undefined => readCertificate(given, join(folder, usual));
  const root = parameter("sslrootcert", "PGSSLROOTCERT");
  const ca = root === "system" ? undefined : read(root, "root.crt");
  const cert = read(parameter("sslcert", "PGSSLCERT"), "postgresql.crt");
  const key = read(parameter("sslkey", "PGSSLKEY"), "postgresql.key");
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    // libpq's `require` encrypts without looking at the certificate, unless there is an authority to check it by.
    rejectUnauthorized: sslmode === "verify-full" || sslmode === "verify-ca" || (sslmode === "require" && ca !== undefined),
    ...(sslmode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  };
};

/** The password for these settings in libpq's password file: PGPASSFILE, or ~/.pgpass. As libpq, only from a file that nobody else can read. */
export const readPasswordFile = ({ host, port, database, user }: ConnectionSettings, env: Env): string | undefined => {
  const path = env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  let text: string;
  try {
    const { mode } = statSync(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) return undefined;
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database ?? user ?? "", user ?? ""];
  for (const line of text.split(/\r?\n/)) {
    // A colon or backslash in a field has a backslash before it.
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/gy)].map(([, field = ""]) => field.replace(/\\(.)/g, "$1"));
    const password = fields[4] ?? "";
    if (!line.startsWith("#") && password !== "" && wanted.every((value, at) => fields[at] === "*" || fields[at] === value)) return password;
  }
  return undefined;
};

const readCertificate = (given: string | undefined, usual: string): Buffer | undefined => {
  try {
    return readFileSync(given ?? usual);
  } catch (cause) {
    if (given === undefined) return undefined;
    throw usageError(`The file ${given} of the journal's connection cannot be read (${errorCode(cause) ?? "unreadable"}).`);
  }
};
