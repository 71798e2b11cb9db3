import { CliError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import type { Client, Clock, Random } from "../ports.ts";
import { bodyKindOf } from "./decode.ts";
import { judgeUnknown, type Verdict } from "./judge.ts";
import { retryAfterMs, whenToRetry } from "./retry.ts";
import { runTries, type Tried } from "./tries.ts";

export type RawRequest = Parameters<Client["raw"]>[0];
export type RawAnswer = Awaited<ReturnType<Client["raw"]>>;
type Deps = { readonly client: Client; readonly clock: Clock; readonly random: Random; readonly timeoutMs: number; readonly retries: number };

export const isReading = (method: string): boolean => method === "GET" || method === "HEAD";

/**
 * Any path, its answer judged by the status alone: reads are retried, all else is sent once.
 * Throws CliError by rules.md's exit codes; what may have changed something without a clear answer is outcome-unknown.
 */
export const callRaw = async (request: RawRequest, deps: Deps): Promise<RawAnswer> => {
  const reads = isReading(request.method);
  const send = async (): Promise<Tried<RawAnswer>> => {
    const atMs = deps.clock.now();
    const answer = await deps.client.raw(request).catch((error: unknown) => lostOf(error, reads));
    if (answer instanceof CliError) return { verdict: { outcome: "unanswered", next: "retry", error: answer }, tried: { atMs, error: answer.message } };
    const { status, text, json } = answer;
    const judged = judgeUnknown({ status, decoded: { kind: bodyKindOf(text, json), body: json ? answer.body : undefined, text } }, reads);
    const verdict: Verdict<RawAnswer> = judged.outcome === "answered" ? { outcome: "answered", value: answer } : judged;
    return { verdict, tried: { atMs, httpStatus: status }, retryAfterMs: retryAfterMs(answer.headers, deps.clock) };
  };
  if (reads) return await runTries({ ...deps, send, creates: false, stop: request.signal });
  const { verdict, retryAfterMs: waitMs } = await send();
  if (verdict.outcome === "answered") return verdict.value;
  if (verdict.outcome === "unanswered") throw unclear(verdict.error);
  const hint = verdict.next === "retry" ? whenToRetry(waitMs, deps.clock) : undefined;
  throw verdict.error.with({ retryAfterMs: waitMs, ...present({ hint }) });
};

/** What a read may try again; all else is thrown on as it is. */
const lostOf = (error: unknown, reads: boolean): CliError => {
  if (reads && error instanceof CliError && error.kind === "unavailable") return error;
  throw error;
};

const unclear = (last: CliError): CliError =>
  last.with({
    kind: "outcome-unknown",
    message: `The service may or may not have acted. Last: ${last.message}`,
    cause: last,
    hint: "Check at the service before you send it again.",
  });
