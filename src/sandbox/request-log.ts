import type { Handled } from "./app.ts";
import type { LoggedRequest } from "./engine/entities.ts";
import { isoOf } from "./engine/unit.ts";
import { isDrop, type SandboxRequest } from "./request.ts";
import type { StateQueue } from "./state-queue.ts";

const rowsMax = 500;
/** The log is written at most this often. */
const saveEveryMs = 1_000;
const textMax = 4_096;
const clipped = (text: string | undefined): string | undefined =>
  text === undefined || text === "" ? undefined : text.length > textMax ? `${text.slice(0, textMax)}…` : text;

type Dependencies = { readonly queue: StateQueue; readonly clock: { now(): number }; readonly onRequest: (request: LoggedRequest) => void };
/** The newest requests, for people to look at. They are written later, so that the log never delays an answer. */
export const createRequestLog = ({ queue, clock, onRequest }: Dependencies) => {
  let unsaved: LoggedRequest[] = [];
  let count = 0;
  let savedMs = Number.NEGATIVE_INFINITY;
  const save = async (): Promise<void> => {
    const rows = unsaved;
    unsaved = [];
    savedMs = clock.now();
    if (rows.length === 0) return;
    await queue.run((unit) => {
      for (const row of rows.slice(-rowsMax)) unit.put("request", row);
      unit.trimRequests(rowsMax);
    });
  };
  return {
    add: (request: SandboxRequest, { answer, scenario, fault }: Handled, startedMs: number): void => {
      count += 1;
      const row: LoggedRequest = {
        id: `RQ${startedMs.toString(36)}${process.pid.toString(36)}${count.toString(36)}`,
        at: isoOf(startedMs),
        method: request.method,
        path: request.path,
        status: isDrop(answer) ? undefined : answer.status,
        durationMs: Math.max(0, Math.round(clock.now() - startedMs)),
        scenario,
        fault,
        idempotencyKey: request.headers["idempotency-key"],
        body: clipped(request.body),
        answer: clipped(isDrop(answer) ? answer.reply?.body : answer.body),
      };
      onRequest(row);
      if (request.path.startsWith("/_sandbox/")) return;
      unsaved.push(row);
      if (unsaved.length > 2 * rowsMax) unsaved = unsaved.slice(-rowsMax);
    },
    save,
    saveIfDue: async (): Promise<void> => {
      if (Math.abs(clock.now() - savedMs) >= saveEveryMs) await save();
    },
  };
};
