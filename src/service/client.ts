import { CliError, type ErrorDetails, errorCode } from "../errors.ts";
import { stringifyExact } from "../json/exact-json.ts";
import type { Answer, CallInput, Client, Clock, Random } from "../ports.ts";
import { fillPath, joinUrl, parseBaseUrl } from "./base-url.ts";
import type { Route } from "./contract/routes.ts";
import { type Decoded, decodeBody, excerpt } from "./decode.ts";
import { judge, type Verdict } from "./judge.ts";
import { checkApiKey, checkIdempotencyKey, fingerprintOf, refuseKeyInUrl } from "./key.ts";
import { createDataMask, createMask, type Mask, maskJson, maskPhones } from "./mask.ts";
import { retryAfterMs } from "./retry.ts";
import { type SendOptions, type Transport, type TransportAnswer, TransportError, type TransportFailure, type TransportRequest } from "./transport.ts";
import { outcomeUnknown, runTries, type Tried } from "./tries.ts";

export type ClientOptions = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly transport: Transport;
  /** A whole request, in ms. */
  readonly timeoutMs: number;
  /** Tries after the first; 0 is one request. */
  readonly retries: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Gets one line a try, keys and the middle of phones masked. */
  readonly debug?: (line: string) => void;
  /** The transport never leaves this process (`--sandbox`): the base URL may be any. */
  readonly trusted?: true;
  /** Ends reads that were not given a signal of their own. Creations end by theirs alone. */
  readonly signal?: AbortSignal;
  readonly userAgent?: string;
};

/**
 * The client of one account: one base URL, one key, one transport.
 * Throws CliError usage, before any request, for a key that cannot be a header or a base URL the key must not be sent to.
 */
export const createClient = (options: ClientOptions): Client => {
  const base = options.trusted === true ? new URL(options.baseUrl) : parseBaseUrl(options.baseUrl);
  checkApiKey(options.apiKey);
  refuseKeyInUrl(options.apiKey, base.href);
  const mask = createMask([options.apiKey]);
  const wire: Wire = { options, base, mask, dataMask: createDataMask([options.apiKey]) };
  const inspect = options.transport.inspect?.bind(options.transport);
  return {
    keyFingerprint: (salt) => fingerprintOf(options.apiKey, salt),
    mask: wire.dataMask,
    call: (route, input = {}) => call(wire, route, input),
    raw: (request) => raw(wire, request),
    ...(inspect === undefined ? {} : { inspect: (signal) => inspect(base, { timeoutMs: options.timeoutMs, signal }) }),
    close: () => options.transport.close(),
  };
};

type Wire = {
  readonly options: ClientOptions;
  readonly base: URL;
  readonly mask: Mask;
  readonly dataMask: Mask;
};

const call = async (wire: Wire, route: Route, input: CallInput): Promise<Answer> => {
  const creates = route.effect === "creates-payment";
  const request = requestOf(wire, { ...input, method: route.method, url: joinUrl(wire.base, fillPath(route.path, input.params), input.query) });
  const signal = input.signal ?? (creates ? undefined : wire.options.signal);
  const { timeoutMs, retries, clock, random } = wire.options;
  const debug = wire.options.debug === undefined ? undefined : (line: string) => say(wire, () => line);
  return masked(wire, () =>
    runTries<Answer>({
      send: (tryMs, whyTooLate) => tryOnce(wire, route, request, { timeoutMs: tryMs, signal, beforeWriting: creates ? refusing(whyTooLate) : undefined }),
      creates,
      timeoutMs,
      retries,
      budgetMs: input.budgetMs,
      firstSentMs: input.firstSentMs,
      clock,
      random,
      stop: input.stop ?? signal,
      beforeTry: input.beforeTry,
      onTry: input.onTry,
      debug,
    }),
  );
};

/** A machine may sleep, or the process be stopped, while the connection is made: the clock is looked at once more when it stands. */
const refusing = (whyTooLate: () => string | undefined) => (): void => {
  const why = whyTooLate();
  if (why !== undefined) throw new TransportError("too-late", false, `${why}; it was not sent.`);
};

const tryOnce = async (wire: Wire, route: Route, request: TransportRequest, options: SendOptions): Promise<Tried<Answer>> => {
  const { clock } = wire.options;
  const atMs = clock.now();
  let arrived: TransportAnswer;
  try {
    arrived = await send(wire, request, options);
  } catch (cause) {
    const failure = failureOf(cause);
    const next = hopeless.includes(failure.reason) ? "stop" : "retry";
    const verdict: Verdict<Answer> = { outcome: failure.left ? "unanswered" : "refused", next, error: unavailableOf(wire, failure) };
    return { verdict, tried: { atMs, error: failure.reason } };
  }
  const decoded = await readAnswer(wire, arrived);
  const verdict = judge({ status: arrived.status, decoded }, route);
  const tried: Tried<Answer>["tried"] = {
    atMs,
    httpStatus: arrived.status,
    ...(verdict.outcome !== "answered" && verdict.next !== "wait" ? { error: excerpt(wire.mask(verdict.error.message)) } : {}),
  };
  if (verdict.outcome !== "answered") return { verdict, tried, retryAfterMs: retryAfterMs(arrived.headers, clock) };
  return { verdict: { outcome: "answered", value: { status: arrived.status, headers: decoded.headers, body: verdict.value, text: decoded.text } }, tried };
};

/** A service or proxy may repeat the key it was sent: it goes no further, neither to the screen nor into a file. */
const readAnswer = async ({ dataMask }: Wire, arrived: TransportAnswer): Promise<Decoded & Pick<TransportAnswer, "headers">> => {
  const decoded = await decodeBody(arrived);
  const headers = Object.fromEntries(Object.entries(arrived.headers).map(([name, value]) => [name, dataMask(value)]));
  const text = dataMask(decoded.text);
  if (text === decoded.text || decoded.body === undefined) return { ...decoded, headers, text };
  const body = maskJson(decoded.body, dataMask);
  return { ...decoded, headers, body, text: stringifyExact(body) };
};

type RawRequest = Parameters<Client["raw"]>[0];

const raw = async (wire: Wire, input: RawRequest): Promise<Answer & { readonly json: boolean }> => {
  const request = requestOf(wire, { ...input, url: joinUrl(wire.base, input.path) });
  const reads = input.method === "GET" || input.method === "HEAD";
  return masked(wire, async () => {
    try {
      const arrived = await send(wire, request, {
        timeoutMs: wire.options.timeoutMs,
        signal: input.signal ?? (reads ? wire.options.signal : undefined),
      });
      const decoded = await readAnswer(wire, arrived);
      return { status: arrived.status, headers: decoded.headers, body: decoded.body ?? null, text: decoded.text, json: decoded.kind === "json" };
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure.left && !reads) throw outcomeUnknown(unavailableOf(wire, failure));
      if (failure.reason === "aborted") throw new CliError("interrupted", "Interrupted.");
      throw unavailableOf(wire, failure);
    }
  });
};

type Parts = {
  readonly method: string;
  readonly url: URL;
  readonly body?: string;
  readonly idempotencyKey?: string;
};

const requestOf = (wire: Wire, { method, url, body, idempotencyKey }: Parts): TransportRequest => {
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
  return {
    method,
    url,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": wire.options.userAgent ?? "payments-cli",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      authorization: `Bearer ${wire.options.apiKey}`,
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
  };
};

const send = async (wire: Wire, request: TransportRequest, options: SendOptions): Promise<TransportAnswer> => {
  const { transport, clock } = wire.options;
  const startedAt = clock.monotonic();
  const about = (): string => {
    const key = request.headers["idempotency-key"];
    return `${request.method} ${request.url.href}${key === undefined ? "" : ` idempotency-key=${key}`}`;
  };
  try {
    const answer = await transport.send(request, options);
    const id = answer.headers["x-request-id"] ?? answer.headers["request-id"];
    say(
      wire,
      () => `${about()} -> ${answer.status} in ${ms(wire, startedAt)} ms, ${answer.body.byteLength} bytes${id === undefined ? "" : `, request id ${id}`}`,
    );
    return answer;
  } catch (error) {
    say(
      wire,
      () =>
        `${about()} -> ${chainOf(error, 4).map(causeText).join(" <- ")} after ${ms(wire, startedAt)} ms, ${failureOf(error).left ? "may have left" : "never left"}`,
    );
    throw error;
  }
};

const ms = (wire: Wire, since: number): number => Math.round(wire.options.clock.monotonic() - since);

const say = (wire: Wire, line: () => string): void => wire.options.debug?.(maskPhones(wire.mask(line())));

/** An error and what caused it, `most` at most. */
const chainOf = (error: unknown, most: number): readonly Error[] => (error instanceof Error && most > 0 ? [error, ...chainOf(error.cause, most - 1)] : []);

const stacksOf = (error: unknown): string =>
  chainOf(error, 8)
    .map(({ stack, message }) => stack ?? message)
    .join("\ncause: ");

const causeText = (error: Error): string => {
  const code = errorCode(error);
  return `${error instanceof TransportError ? `${error.reason}: ` : ""}${error.message}${code === undefined ? "" : ` [${code}]`}`;
};

/** Whatever a transport throws that is no TransportError may have left: that is the careful reading. */
const failureOf = (cause: unknown): TransportError =>
  cause instanceof TransportError ? cause : new TransportError("other", true, cause instanceof Error ? cause.message : "The request failed.", cause);

// The same certificate, request or clock would end it again a second later.
const hopeless: readonly TransportFailure[] = ["tls", "bad-request", "aborted", "too-late"];

const inspect = (hint: string): Pick<ErrorDetails, "hint" | "command"> => ({ hint: `${hint} To look at each step`, command: ["doctor"] });
const remedies: Partial<Record<TransportFailure, Pick<ErrorDetails, "hint" | "command">>> = {
  dns: inspect("Check the base URL's host and the network."),
  refused: inspect("Is the service running there?"),
  proxy: inspect("Check HTTPS_PROXY and NO_PROXY."),
  tls: inspect("A certificate of your own authority is trusted with NODE_EXTRA_CA_CERTS=/path/to/ca.pem."),
  timeout: { hint: "A longer time is set with --timeout SECONDS." },
};

const unavailableOf = (wire: Wire, failure: TransportError): CliError =>
  new CliError(failure.reason === "bad-request" ? "usage" : "unavailable", maskPhones(wire.mask(failure.message)), {
    ...(failure.hint === undefined ? remedies[failure.reason] : { hint: failure.hint }),
    cause: failure,
  });

/** What we say never has the key; nor do the causes, which --debug shows. */
const masked = async <T>(wire: Wire, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = wire.mask(error.message);
    const code = error.code === undefined ? undefined : wire.mask(error.code);
    const stacks = stacksOf(error.cause);
    const cause = wire.mask(stacks) === stacks ? error.cause : wire.mask(stacks);
    if (message === error.message && code === error.code && cause === error.cause) throw error;
    throw error.with({ message, code, cause });
  }
};
