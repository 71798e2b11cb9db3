import type { Client } from "pg";
import { CliError, errorCode } from "../../errors.ts";
import { present } from "../../json/exact-json.ts";
import { type ConnectionSettings, type Env, readPasswordFile, toConnectionSettings } from "./connection-settings.ts";

/** How long the database has for one answer, ms. What it did by then is not known, so the connection is given up. */
const answerMs = 15_000;
const connectMs = 10_000;
const goodbyeMs = 1_000;

export type Row = Readonly<Record<string, unknown>>;
/** One session. A connection that was lost is not made anew: its locks went with it. */
export type Connection = {
  readonly where: string;
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Why nothing can be asked any more. */
  lost(): CliError | undefined;
  close(): void;
};

/** The database cannot be used, so nothing is recorded and nothing is sent (rules.md, Exit codes, 2). */
export const journalUnavailable = (where: string, cause: unknown): CliError => {
  if (codeOf(cause) === insufficientPrivilege) {
    return new CliError("usage", `The login has no role in the shared journal at ${where}; nothing was sent`, {
      cause,
      hint: "Whoever made the journal gives a login its role: payments-cli journal setup URL --add LOGIN --role maker.",
    });
  }
  const message = cause instanceof Error && cause.message !== "" ? cause.message : codeOf(cause);
  const reason = /password must be a (non-empty )?string/.test(message) ? "it wants a password, and none was found" : message;
  return new CliError("usage", `The shared journal at ${where} cannot be used (${reason}); nothing was sent`, {
    cause,
    hint: "Check that the database runs and can be reached. To check again",
    command: ["journal", "status"],
  });
};
/** The SQLSTATE of what a login without a role is answered. */
export const insufficientPrivilege = "42501";
export const codeOf = (cause: unknown): string => errorCode(cause) ?? "no answer";

const connect = async (settings: ConnectionSettings): Promise<Client> => {
  const { Client: PostgresClient } = (await import("pg")).default;
  const { tls, mayBePlain, where: _where, user, database, password, ...place } = settings;
  const start = async (ssl: ConnectionSettings["tls"]): Promise<Client> => {
    const client = new PostgresClient({
      ...place,
      ...present({ user, database }),
      // Given as a function, as the driver's own search for a password warns on stderr.
      password: () => password ?? "",
      ssl,
      application_name: "payments-cli",
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
    });
    await client.connect();
    return client;
  };
  if (tls === false || !mayBePlain) return await start(tls);
  try {
    return await start(tls);
  } catch (error) {
    if (error instanceof Error && /does not support SSL/i.test(error.message)) return await start(false);
    throw error;
  }
};

/** Throws CliError usage if it cannot be had within some seconds. */
export const openConnection = async (url: string, env: Env, password?: string): Promise<Connection> => {
  const found = toConnectionSettings(url, env);
  const settings = { ...found, password: found.password ?? password ?? env["PGPASSWORD"] ?? readPasswordFile(found, env) };
  const { where } = settings;
  const client = await connect(settings).catch((error: unknown) => {
    throw journalUnavailable(where, error);
  });
  let fault: unknown;
  let isClosed = false;
  const giveUp = (cause: unknown): void => {
    fault ??= cause;
  };
  client.on("error", giveUp);
  client.on("end", () => giveUp(new Error("the connection was lost")));
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (sql: string, values: readonly unknown[]): Promise<readonly Row[]> => {
    if (fault !== undefined) throw fault;
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } catch (error) {
      // Without an answer of the database nobody knows what it did.
      if (!isAnswer(error)) giveUp(error);
      throw error;
    }
  };
  return {
    where,
    // One question at a time: the time for an answer begins when it is asked.
    query: (sql, values = []) => {
      const answer = last.then(() => ask(sql, values));
      last = answer.catch(() => undefined);
      return answer;
    },
    lost: () => (fault === undefined || isClosed ? undefined : journalUnavailable(where, fault)),
    close: () => {
      isClosed = true;
      // A server that does not answer must not hold up the end of the program.
      const end = setTimeout(() => client.connection.stream.destroy(), goodbyeMs);
      const ended = (): void => clearTimeout(end);
      client.end().then(ended, ended);
    },
  };
};

/** An error that the database itself has sent has an SQLSTATE; of class 57 (it is shut down) and 08 the connection goes. */
const isAnswer = (error: unknown): boolean => {
  const code = codeOf(error);
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) && !/^(57|08)/.test(code);
};
