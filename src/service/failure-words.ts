import type { TransportFailure } from "./transport.ts";

const words: Readonly<Record<TransportFailure, string>> = {
  dns: "the service's name was not found",
  refused: "the connection was refused",
  proxy: "the proxy did not connect",
  tls: "the service's certificate was not accepted",
  timeout: "it took too long",
  reset: "the connection was lost",
  truncated: "the connection was lost in the middle of the answer",
  "too-large": "the answer was too large",
  malformed: "the answer was not HTTP",
  aborted: "interrupted",
  "bad-request": "the request could not be sent",
  "too-late": "it was too late to send it",
  other: "the connection failed",
};
const known: ReadonlyMap<string, string> = new Map(Object.entries(words));

/** Why a try that the journal recorded had no answer, in words. */
export const failureWords = (error = "no answer"): string => known.get(error) ?? error;
