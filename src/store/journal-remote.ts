import type { Attempt, Journal } from "../kernel/context.ts";
import { CliError, type ErrorKind } from "../kernel/errors.ts";

/** A line to the thread that writes the journal. */
export type JournalLine = {
  post(text: string): void;
  /** Told of each text that comes back. */
  onText(told: (text: string) => void): void;
  /** Told once when the thread is no more, in words. */
  onGone(told: (why: string) => void): void;
  /** Lets the thread end, and resolves once it has. */
  close(): Promise<void>;
};

/** What a batch writes. All else is read from the file by whoever asks. */
export type JournalWriter = Pick<Journal, "open" | "reopen" | "addTry" | "close">;
type Asked = {
  readonly id: number;
  readonly name: keyof JournalWriter;
  // By name of the method above, as JSON has them.
  readonly values: readonly unknown[];
};
type Answered = { readonly id: number; readonly error?: ToldError };
type ToldError = { readonly kind: ErrorKind; readonly message: string; readonly hint?: string; readonly idempotencyKey?: string; readonly journalId?: string };

/** Answers wait this long for others to go with them, ms. Lost with a killed process, an attempt is open again. */
const gatherMs = 4;

type Waiting = { readonly asked: Asked; readonly done: () => void; readonly failed: (error: unknown) => void };

/**
 * Writes to the journal by way of another thread, so that the disk holds up no request. What is asked in one turn of the event
 * loop goes there as one text, and shares one commit. A thread that never began to serve (no memory for one, a damaged install)
 * has written nothing: `plain` does its work. Where one that served is gone each method rejects with CliError usage: what could
 * not be recorded is not sent.
 */
export const createRemoteWriter = (line: JournalLine, plain: JournalWriter): JournalWriter & { end(): Promise<void> } => {
  const waiting = new Map<number, Waiting>();
  let outbox: Asked[] = [];
  let asked = 0;
  let timer: NodeJS.Timeout | undefined;
  let soon = false;
  let gone: string | undefined;
  let served = false;
  let post = (text: string): void => line.post(text);
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    soon = false;
    if (outbox.length === 0 || gone !== undefined) return;
    const all = outbox;
    outbox = [];
    post(JSON.stringify(all));
  };
  const hear = (text: string): void => {
    served = true;
    // Written by serveJournal alone.
    for (const { id, error } of JSON.parse(text) as readonly Answered[]) {
      const one = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) one?.done();
      else one?.failed(new CliError(error.kind, error.message, error));
    }
  };
  line.onText(hear);
  line.onGone((why) => {
    if (!served) {
      post = serveJournal(plain, hear);
      outbox = Array.from(waiting.values(), (one) => one.asked);
      flush();
      return;
    }
    gone = why;
    for (const { failed } of waiting.values()) failed(lost(why));
    waiting.clear();
  });
  const ask = (name: keyof JournalWriter, values: readonly unknown[], atOnce: boolean): Promise<void> =>
    new Promise((done, failed) => {
      if (gone !== undefined) {
        failed(lost(gone));
        return;
      }
      asked += 1;
      const one: Asked = { id: asked, name, values };
      waiting.set(asked, { asked: one, done, failed });
      outbox.push(one);
      if (atOnce && !soon) {
        soon = true;
        setImmediate(flush);
      } else if (!soon) timer ??= setTimeout(flush, gatherMs);
    });
  return {
    open: (attempt, judged) => ask("open", [attempt, judged], true),
    reopen: (id, judged) => ask("reopen", [id, judged], true),
    addTry: (id, tried) => ask("addTry", [id, tried], false),
    close: (id, end) => ask("close", [id, end], false),
    end: async () => {
      flush();
      await line.close();
    },
  };
};

const lost = (why: string): CliError => new CliError("usage", `The payment cannot be recorded: writing to the journal ended (${why}); nothing was sent`);

/** The other side: says that it serves, does what it is asked, in its order, and tells the ends that come together as one text. */
export const serveJournal = (journal: JournalWriter, post: (text: string) => void): ((text: string) => void) => {
  let outbox: Answered[] = [];
  post("[]");
  const tell = (answered: Answered): void => {
    outbox.push(answered);
    if (outbox.length > 1) return;
    setImmediate(() => {
      const all = outbox;
      outbox = [];
      post(JSON.stringify(all));
    });
  };
  return (text) => {
    // Written by createRemoteWriter alone.
    for (const { id, name, values } of JSON.parse(text) as readonly Asked[]) {
      doIt(journal, name, values).then(
        () => tell({ id }),
        (error: unknown) => tell({ id, error: toTold(error) }),
      );
    }
  };
};

const doIt = async (journal: JournalWriter, name: keyof JournalWriter, [first, second]: readonly unknown[]): Promise<void> => {
  // JSON has no undefined: what was left out is null.
  const judged = (second ?? undefined) as readonly string[] | undefined;
  if (name === "open") return await journal.open(first as Attempt, judged);
  if (name === "reopen") return await journal.reopen(first as string, judged);
  if (name === "addTry") return await journal.addTry(first as string, second as Parameters<Journal["addTry"]>[1]);
  return await journal.close(first as string, second as Parameters<Journal["close"]>[1]);
};

const toTold = (error: unknown): ToldError => {
  if (!(error instanceof CliError)) return { kind: "bug", message: error instanceof Error ? error.message : String(error) };
  const { kind, message, hint, idempotencyKey, journalId } = error;
  return {
    kind,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(journalId === undefined ? {} : { journalId }),
  };
};
