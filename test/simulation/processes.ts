import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Journal } from "../../src/journal/port.ts";
import type { Clock } from "../../src/ports.ts";
import type { SendOptions, Transport, TransportRequest } from "../../src/service/transport.ts";

/** Synced writes cost nothing in memory. */
export const shelf = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Never settles: what a dead process would have done next. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/**
 * Virtual time for several processes: the earliest sleeper wakes once nobody does anything else. Of tasks only one works at a
 * time, until it sleeps or ends, however long its work really takes: so what they do, and when, follows from the seed alone.
 */
export const createTime = (startMs: number, fraction: () => number) => {
  const state = { trueMs: startMs, offsetMs: 0 };
  const sleepers: { readonly atMs: number; readonly turn: number; readonly wake: () => void }[] = [];
  let tasks = 0;
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    while (sleepers.length > 0) {
      // Work that is no task of its own (the rows of a batch) is taken to be over when a few turns bring no more of it.
      for (let turns = 0; tasks === 0 && turns < 4; turns += 1) await turn();
      if (sleepers.length < tasks) break;
      sleepers.sort((a, b) => a.atMs - b.atMs || a.turn - b.turn);
      const next = sleepers.shift();
      if (next === undefined) break;
      state.trueMs = Math.max(state.trueMs, next.atMs);
      next.wake();
    }
    running = false;
  };
  const goOn = (): void => {
    if (!running) void run();
  };
  const sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      sleepers.push({ atMs: state.trueMs + ms, turn: fraction(), wake });
      goOn();
    });
  /** What sleeps once at a time and is all of one process. */
  const task = async <T>(work: () => Promise<T>): Promise<T> => {
    tasks += 1;
    try {
      await sleep(0);
      return await work();
    } finally {
      tasks -= 1;
      goOn();
    }
  };
  return { state, sleep, task };
};

/** Sees requests of living processes that are on their way at once with one key. */
export const createWatch = () => {
  const onTheWay = new Map<string, Set<{ readonly isAlive: () => boolean }>>();
  const seen: string[] = [];
  return {
    seen,
    /** While `work` runs, the request of a process that lives as long as `isAlive` is on its way. */
    during: async <T>({ method, url, headers }: TransportRequest, isAlive: () => boolean, work: () => Promise<T>): Promise<T> => {
      if (method !== "POST") return work();
      const key = `${url.pathname} ${headers["idempotency-key"]}`;
      const senders = onTheWay.get(key) ?? new Set();
      onTheWay.set(key, senders);
      if ([...senders].some((other) => other.isAlive())) seen.push(`${key}: two requests at once`);
      const sender = { isAlive };
      senders.add(sender);
      return work().finally(() => senders.delete(sender));
    },
  };
};

type Parts = {
  /** Asked before and after each step: true ends the process there. */
  readonly dies: () => boolean;
  /** Asked too: for so long the process is stopped there, and then goes on, ms. */
  readonly stops: () => number;
  /** Its own: it is let go when the process dies. */
  readonly journal: Journal;
  readonly transport: Transport;
  readonly watch: ReturnType<typeof createWatch>;
  readonly clock: Clock;
  /** Before and after each request. */
  readonly slow: () => Promise<void>;
};
export type Process = { readonly journal: Journal; readonly transport: Transport; readonly clock: Clock; readonly dead: Promise<"killed">; isAlive(): boolean };

/** A process: it may be stopped and go on, or die at any step, and then nothing of it goes on. */
export const createProcess = ({ dies, stops, journal, transport, watch, clock, slow }: Parts): Process => {
  let alive = true;
  let die: (end: "killed") => void = () => {};
  const dead = new Promise<"killed">((done) => {
    die = done;
  });
  const killed = (): boolean => {
    if (alive && dies()) {
      alive = false;
      journal.dispose();
      die("killed");
    }
    return !alive;
  };
  /** Another process may go first, even where this one is not stopped. */
  const stopped = async (): Promise<void> => {
    if (alive) await clock.sleep(stops());
  };
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    await stopped();
    const result = await momentOf(work);
    await stopped();
    return result;
  };
  const momentOf = async <T>(work: () => Promise<T>): Promise<T> => {
    if (killed()) return never();
    const result = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (killed()) return never();
    if ("error" in result) throw result.error;
    return result.value;
  };
  return {
    dead,
    isAlive: () => alive,
    clock: { ...clock, sleep: (ms) => step(() => clock.sleep(ms)) },
    journal: {
      ...journal,
      open: (attempt, judged) => step(() => journal.open(attempt, judged)),
      reopen: (id, judged) => step(() => journal.reopen(id, judged)),
      addTry: (id, tried) => step(() => journal.addTry(id, tried)),
      close: (id, end) => step(() => journal.close(id, end)),
      list: (filter) => step(() => journal.list(filter)),
      find: (id) => step(() => journal.find(id)),
    },
    transport: {
      send: (request, { beforeWriting }: SendOptions) =>
        momentOf(() =>
          watch.during(
            request,
            () => alive,
            async () => {
              // Stopped while it connects; after its last look at the clock a process can look at nothing.
              await stopped();
              beforeWriting?.();
              await slow();
              if (!alive) return never();
              const answer = await transport.send(request, { timeoutMs: 30_000 });
              await slow();
              return answer;
            },
          ),
        ),
      close: async () => undefined,
    },
  };
};
