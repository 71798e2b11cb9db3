import { CliError } from "../errors.ts";
import type { Client, Clock, Random } from "../ports.ts";
import { bodyKindOf } from "./error-body.ts";
import { claimOf, refusalOf, unclearClaim, unreadableOf, type Verdict } from "./judge.ts";
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
    if (answer instanceof CliError) return { verdict: { end: "unanswered", left: true, error: answer }, tried: { atMs, error: answer.message, left: true } };
    return { verdict: judgeRaw(answer, reads), tried: { atMs, httpStatus: answer.status, left: true }, retryAfterMs: retryAfterMs(answer.headers, deps.clock) };
  };
  if (reads) return await runTries({ ...deps, send, creates: false, stop: request.signal });
  const { verdict, retryAfterMs: waitMs } = await send();
  if (verdict.end === "answered") return verdict.value;
  if (verdict.end === "unanswered") throw unclear(verdict.error);
  const hint = verdict.end === "throttled" ? whenToRetry(waitMs, deps.clock) : undefined;
  throw verdict.error.with({ retryAfterMs: waitMs, ...(hint === undefined ? {} : { hint }) });
};

/** What a read may try again; all else is thrown on as it is. */
const lostOf = (error: unknown, reads: boolean): CliError => {
  if (reads && error instanceof CliError && error.kind === "unavailable") return error;
  throw error;
};

const judgeRaw = (answer: RawAnswer, reads: boolean): Verdict<RawAnswer> => {
  const { status } = answer;
  const judged = { status, decoded: { kind: bodyKindOf(answer.text, answer.json), body: answer.json ? answer.body : undefined, text: answer.text } };
  if (status >= 200 && status <= 299) {
    const claim = claimOf(judged.decoded.body);
    if (claim === "no") return { end: "refused", error: refusalOf(judged) };
    if (claim === "yes" || reads) return { end: "answered", value: answer };
    return { end: "unanswered", left: true, error: unreadableOf(judged, unclearClaim) };
  }
  if (status === 429) return { end: "throttled", error: refusalOf(judged) };
  if (status >= 400 && status <= 499 && status !== 408) return { end: "refused", error: refusalOf(judged) };
  return { end: "unanswered", left: true, error: unreadableOf(judged) };
};

const unclear = (last: CliError): CliError =>
  last.with({
    kind: "outcome-unknown",
    message: `The service may or may not have acted. Last: ${last.message}`,
    cause: last,
    hint: "Look at the service before sending it again.",
  });
