import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../../src/errors.ts";
import { isUnsettled } from "../../src/journal/attempt.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { journalFileName } from "../../src/journal/journal-file.ts";
import type { Attempt, Journal } from "../../src/journal/port.ts";
import { createPayment } from "../../src/payments/create-payment.ts";
import type { PaymentPlan } from "../../src/payments/draft.ts";
import { settleAttempts } from "../../src/payments/settle.ts";
import type { Clock, Context } from "../../src/ports.ts";
import type { Transport } from "../../src/service/transport.ts";
import { createModelService, type Fault, faults, type ModelPayment } from "../support/model-service.ts";
import { createPaymentContext, createRandom, randomFrom } from "../support/payment-context.ts";
import { createProcess, createTime, createWatch, type Process, shelf } from "./processes.ts";

/** A service that the worlds' payments are made with. */
export type WorldService = {
  /** What was really made, each with the key that made it. */
  readonly payments: readonly ModelPayment[];
  readonly transport: Transport;
  /** What its own books show to be wrong, in words. */
  faults?(): Promise<readonly string[]>;
  close?(): Promise<void>;
};
export type Surroundings = {
  readonly seed: number;
  /** The true time, ms, whatever the processes' clocks show. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Is this request disturbed? */
  strikes(): boolean;
  pick<T>(items: readonly T[]): T | undefined;
};
export type Serve = (around: Surroundings) => Promise<WorldService>;

const serveModel: Serve = async ({ now, strikes, pick }) => {
  const sticky = pick([undefined, undefined, pick<Fault>(["400", "401", "402", "refused-connection", "reset-after"])]);
  const fault = (): Fault | undefined => (strikes() ? (pick([sticky, undefined]) ?? pick(faults)) : undefined);
  return createModelService({ now, fault });
};

export type World = {
  readonly service: WorldService;
  /** Of a process that only looks. */
  readonly journal: Journal;
  readonly plans: readonly PaymentPlan[];
  /** What was seen to go wrong on the way, in words. */
  readonly seen: readonly string[];
  run(): Promise<void>;
  dispose(): Promise<void>;
};

/** Where the journal of a world is. */
export type Storage = {
  /** As another process would. */
  open(): Promise<Journal>;
  /** The folder of its file, which may be cut off. */
  readonly folder?: string;
  dispose(): void | Promise<void>;
};
/** `clock` is the machines'; `trueMs` the time that a database shows. */
export type Store = (clock: Clock, trueMs: () => number) => Promise<Storage>;

const fileStore: Store = async (clock) => {
  const folder = mkdtempSync(join(shelf, "payments-simulation-"));
  return {
    folder,
    open: () => openJournal({ dataFolder: folder, clock }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const kindOf = (error: unknown): CliError["kind"] => {
  if (error instanceof CliError) return error.kind;
  throw error;
};

/** A twin has the other's reference and amount, and another payee: a look-up alone can't tell them apart. */
const twinOf = (plan: PaymentPlan): PaymentPlan => {
  const body = JSON.parse(plan.body) as Record<string, unknown>;
  return { ...plan, payee: "254700000099", body: JSON.stringify({ ...body, ...("phone" in body ? { phone: "254700000099" } : { msisdn: "0700000099" }) }) };
};

const planOf = (index: number, fraction: () => number): PaymentPlan => {
  const operation = (["b2c", "stk", "withdraw", "collect"] as const)[Math.floor(fraction() * 4)] ?? "b2c";
  const amount = String(100 + index);
  const local = operation === "b2c" || operation === "stk";
  const phone = `25470000000${index}`;
  const reference = local ? `R-${index}` : "";
  const out = operation === "withdraw" ? { channel: "MOBILE_MONEY", operator: "MPESA" } : {};
  const body = local
    ? { phone, amount: Number(amount), reference }
    : { rail: "KE_MPESA", msisdn: `070000000${index}`, amount: Number(amount), currency: "KES", ...out };
  return { operation, body: JSON.stringify(body), reference, payee: phone, amount, currency: "KES", allowDuplicate: false, dryRun: false };
};

/**
 * One merchant, a few intended payments, a bad network, processes that die between any two steps, run twice or at once, and
 * a clock that jumps. Everything follows from the seed.
 */
export const createWorld = async (seed: number, serve: Serve = serveModel, store: Store = fileStore): Promise<World> => {
  const fraction = createRandom(seed);
  const chance = (odds: number): boolean => fraction() < odds;
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(fraction() * items.length)];
  const time = createTime(Date.UTC(2026, 2, 1), fraction);
  const now = (): number => time.state.trueMs + time.state.offsetMs;
  const wallClock: Clock = { now, monotonic: () => time.state.trueMs, sleep: (ms) => time.sleep(ms) };
  const storage = await store(wallClock, () => time.state.trueMs);
  const journal = await storage.open();
  let faultOdds = chance(0.3) ? 0.8 : 0.35;
  const service = await serve({ seed, now: () => time.state.trueMs, sleep: time.sleep, strikes: () => chance(faultOdds), pick });
  let requests = 0;
  const transport: Transport = {
    ...service.transport,
    send: (request, options) => {
      requests += 1;
      return service.transport.send(request, options);
    },
  };
  const plans: PaymentPlan[] = Array.from({ length: 1 + Math.floor(fraction() * 3) }, (_, index) => planOf(index, fraction));
  const [first] = plans;
  if (first !== undefined && chance(0.3)) plans.push(twinOf(first));

  const watch = createWatch();
  const spawn = async (killOdds: number, stopOdds = killOdds / 3): Promise<{ readonly context: Context; readonly process: Process }> => {
    const slow = async (): Promise<void> => (chance(0.6) ? await time.sleep(fraction() * 20_000) : undefined);
    const process = createProcess({
      dies: () => chance(killOdds),
      stops: () => (chance(stopOdds) ? fraction() * 30 * 3_600_000 : 0),
      journal: await storage.open(),
      transport,
      watch,
      clock: wallClock,
      slow,
    });
    const flags = { yes: true, retries: Math.floor(fraction() * 3) };
    return { context: createPaymentContext({ ...process, random: randomFrom(fraction), flags }), process };
  };
  const live = async <T>({ journal, dead }: Process, work: Promise<T>): Promise<T | "killed"> => {
    try {
      return await Promise.race([work, dead]);
    } finally {
      journal.dispose();
    }
  };

  const pay = (plan: PaymentPlan, killOdds: number, stopOdds?: number): Promise<"accepted" | "killed" | CliError["kind"]> =>
    time
      .task(async () => {
        const { context, process } = await spawn(killOdds, stopOdds);
        return await live(
          process,
          createPayment(plan, context).then(() => "accepted" as const),
        );
      })
      .catch(kindOf);
  const resume = (attempts: readonly Attempt[], byId: boolean, killOdds: number): Promise<unknown> =>
    time
      .task(async () => {
        const { context, process } = await spawn(killOdds);
        return await live(process, settleAttempts(attempts, context, { byId, passphraseStdin: false }));
      })
      .catch(kindOf);
  const open = async (): Promise<readonly Attempt[]> => (await journal.list({})).filter(isUnsettled);
  /** What a careful person sees before paying money in again. */
  const isDone = async (plan: PaymentPlan): Promise<boolean> =>
    (await journal.list({})).some(({ operation, body, state }) => operation === plan.operation && body === plan.body && state === "accepted");

  /** The journal file is cut off. Until a person puts it back nothing is begun, nothing goes on, and nothing is sent. */
  const cutJournal = async (folder: string): Promise<void> => {
    const file = join(folder, journalFileName);
    const attempts = await open();
    // Pruning nothing leaves all of it in the file itself, and none in its log.
    await journal.prune(100 * 365 * 24 * 3_600_000);
    const bytes = readFileSync(file);
    const before = requests;
    truncateSync(file, chance(0.3) ? 0 : Math.floor(fraction() * bytes.length));
    const ends: unknown[] = [];
    for (const plan of plans) ends.push(await pay(plan, 0));
    for (const attempt of attempts) ends.push(await resume([attempt], true, 0));
    const left = readFileSync(file).length;
    writeFileSync(file, bytes);
    if (requests !== before || ends.some((end) => end !== "usage"))
      watch.seen.push(`on a journal cut off at ${left} of ${bytes.length} bytes: ${ends.join(", ")}, ${requests - before} requests`);
  };

  const act = async (): Promise<void> => {
    if (chance(0.1) && storage.folder !== undefined) await cutJournal(storage.folder);
    const plan = pick(plans);
    const dice = fraction();
    if (plan === undefined) return;
    if (dice < 0.45) {
      const keyed = chance(0.5) ? { ...plan, idempotencyKey: `own-${plan.amount}-${plan.payee}` } : plan;
      if (plan.operation !== "b2c" && (await isDone(plan))) return;
      // Two at once are only guarded where money goes out: money in that was accepted may be asked for again.
      const twice = (plan.operation === "b2c" || plan.operation === "withdraw") && chance(0.3);
      // A day after it was made a withdrawal may be made again: one that is stopped for so long has not overlooked the other.
      const stops = twice && plan.operation === "withdraw" ? 0 : 0.01;
      await Promise.all([pay(keyed, 0.03, stops), ...(twice ? [pay(chance(0.5) ? plan : keyed, 0.03, stops)] : [])]);
    } else if (dice < 0.75) {
      const attempts = await open();
      const one = pick(attempts);
      if (one === undefined) return;
      // Several at once are after the same attempt: by its id, among all, or by its key.
      const own = plans.find(({ body }) => body === one.body);
      const ways: (() => Promise<unknown>)[] = [() => resume(attempts, false, 0.03), () => resume([one], true, 0.03)];
      if (own !== undefined) ways.push(() => pay({ ...own, idempotencyKey: one.idempotencyKey }, 0.03));
      await Promise.all(Array.from({ length: chance(0.5) ? 3 : 1 }, () => pick(ways)?.()));
    } else if (dice < 0.85) {
      time.state.offsetMs = 0;
      time.state.trueMs += chance(0.3) ? 25 * 3_600_000 : 60_000;
    } else if (dice < 0.9) {
      // Set back behind what the journal has seen just before, or put right again. (What it has not seen nobody can know.)
      await journal.setStatus("nobody", "");
      time.state.trueMs += 25 * 3_600_000;
      await journal.setStatus("nobody", "");
      time.state.offsetMs = -Math.floor(fraction() * 40) * 3_600_000;
    } else {
      const payment = pick(service.payments);
      if (payment !== undefined && payment.status !== "COMPLETED") payment.status = chance(0.7) ? "COMPLETED" : payment.status;
    }
  };

  return {
    service,
    journal,
    plans,
    seen: watch.seen,
    run: async () => {
      const steps = 4 + Math.floor(fraction() * 8);
      for (let step = 0; step < steps; step += 1) await act();
      // At last the network is well again: everything that can be settled is.
      faultOdds = 0;
      time.state.offsetMs = 0;
      for (const attempt of await open()) await resume([attempt], true, 0);
      for (const plan of plans) if (plan.operation === "b2c") await pay(plan, 0);
    },
    dispose: async () => {
      journal.dispose();
      await service.close?.();
      await storage.dispose();
    },
  };
};

/** What must hold whatever happened; each fault in words. */
export const faultsOf = async ({ service, journal, plans, seen }: World): Promise<readonly string[]> => {
  const found: string[] = [...seen, ...((await service.faults?.()) ?? [])];
  const attempts = await journal.list({});
  for (const plan of plans) {
    const paths = { stk: "stk-push", b2c: "b2c", collect: "collections", withdraw: "disbursements" }[plan.operation];
    const paid = service.payments.filter(({ path, body }) => path.endsWith(paths) && body === plan.body);
    if (paid.length > 1) found.push(`${plan.operation} ${plan.amount}: paid ${paid.length} times`);
  }
  for (const { key, id, path } of service.payments) {
    const attempt = attempts.find(({ idempotencyKey, endpoint }) => idempotencyKey === key && endpoint.endsWith(path));
    if (attempt === undefined) found.push(`${id}: the journal does not know of it`);
    else if (attempt.state === "refused") found.push(`${id}: attempt ${attempt.id} says refused`);
    else if (attempt.state === "accepted" && attempt.transactionId !== id) found.push(`${id}: attempt ${attempt.id} says ${attempt.transactionId}`);
  }
  for (const { id, state, transactionId } of attempts) {
    if (state === "accepted" && !service.payments.some((payment) => payment.id === transactionId))
      found.push(`attempt ${id}: accepted, but no ${transactionId} exists`);
  }
  return found;
};
