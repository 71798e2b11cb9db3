import { CliError } from "../../errors.ts";
import { countOf } from "../../money/grouped.ts";
import { duration } from "../../output/format.ts";
import type { Client, Context, Inspection } from "../../ports.ts";
import type { Route } from "../../service/contract/routes.ts";
import { routes } from "../../service/contract/routes.ts";
import { otherKey } from "../../service/judge.ts";
import { type Check, faulty, ofFault, well } from "./check.ts";

type Deps = Pick<Context, "clock" | "signal">;
const dayMs = 86_400_000;
const skewMsMax = 60_000;

/** The steps of the way, in order: what comes after a failing one is not told. */
export const checkConnection = (seen: Inspection, baseUrl: URL, nowMs: number): readonly Check[] => {
  const checks: Check[] = [proxyCheck(seen)];
  const { failure } = seen;
  if (failure?.reason === "proxy") return checks;
  if (failure?.reason === "dns") return [...checks, faulty("dns", "unavailable", failure.message, "Check the base URL's host and the network.")];
  if (seen.proxy === undefined) checks.push(well("dns", `${baseUrl.hostname}${seen.address === undefined ? "" : ` is ${seen.address}`}`));
  if (failure !== undefined && failure.reason !== "tls") {
    return [...checks, faulty("connection", "unavailable", failure.message, "Is the service running there, and does a firewall let it through?")];
  }
  checks.push(well("connection", `${baseUrl.host} takes connections`));
  return [...checks, ...(baseUrl.protocol === "https:" || failure !== undefined ? [tlsCheck(seen, nowMs)] : [])];
};

const proxyCheck = ({ proxy, failure }: Inspection): Check => {
  if (failure?.reason === "proxy") return faulty("proxy", "unavailable", failure.message, "Check HTTPS_PROXY, and NO_PROXY for hosts that need none.");
  return well("proxy", proxy === undefined ? "not used" : `through ${proxy}`);
};

const day = (text: string): string => {
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : new Date(at).toISOString().slice(0, 10);
};

const tlsHint = (certificate: Inspection["certificate"], nowMs: number): string => {
  const today = `it is ${new Date(nowMs).toISOString().slice(0, 10)} by this machine's clock`;
  if (certificate !== undefined && Date.parse(certificate.validTo) < nowMs)
    return `If ${today} and that is right, the certificate has to be renewed where the service runs: tell those who run it. Else set the clock.`;
  if (certificate !== undefined && Date.parse(certificate.validFrom) > nowMs) return `The certificate is not valid yet, and ${today}: set the clock.`;
  return "Where it is for another host, check the base URL. One of your own authority is trusted with NODE_EXTRA_CA_CERTS=/path/to/ca.pem";
};

const tlsCheck = ({ certificate, failure }: Inspection, nowMs: number): Check => {
  const facts =
    certificate === undefined
      ? ""
      : `for ${certificate.subject}, by ${certificate.issuer}, valid from ${day(certificate.validFrom)} to ${day(certificate.validTo)}`;
  if (failure !== undefined) {
    return faulty("tls", "unavailable", facts === "" ? failure.message : `${failure.message} It is ${facts}.`, tlsHint(certificate, nowMs));
  }
  const left = certificate === undefined ? Number.NaN : Math.floor((Date.parse(certificate.validTo) - nowMs) / dayMs);
  return well("tls", `certificate ${facts}${left < 14 ? `: it ends in ${countOf(left, "day")}` : ""}`);
};

type Reading = { readonly name: string; readonly route: Route; readonly query?: string };
/** Harmless reads, one for each scope that may be needed; service 5.3 names wallet:read alone. */
const readings: readonly Reading[] = [
  { name: "providers", route: routes.providers },
  { name: "wallet", route: routes.wallet },
  { name: "transactions", route: routes.listTransactions, query: "?limit=1" },
  { name: "b2c stats", route: routes.b2cStats },
  { name: "global wallet", route: routes.globalWallet },
  { name: "fx rates", route: routes.fxRates },
];

type Read = { readonly reading: Reading; readonly answer: Awaited<ReturnType<Client["raw"]>> | CliError };

/** Clock, key and scopes, from one read of each endpoint. */
export const checkService = async (client: Client, deps: Deps): Promise<readonly Check[]> => {
  const startedMs = deps.clock.now();
  const [first, ...others] = readings;
  if (first === undefined) return [];
  const opened = await readOnce(client, first, deps);
  if (opened.answer instanceof CliError) return [ofFault("service", opened.answer)];
  const { status, headers } = opened.answer;
  const clock = checkClock(headers["date"], startedMs, deps.clock.now());
  if (status === 401) {
    return [well("service", "answers"), clock, ofFault("key", new CliError("auth", "The service does not accept the key (401)", otherKey))];
  }
  const read = [opened, ...(await Promise.all(others.map((reading) => readOnce(client, reading, deps))))];
  // Where nothing speaks the service's language, nothing of the key or its scopes is known.
  if (read.every(({ answer }) => !(answer instanceof CliError) && answer.status < 400 && !isUnderstood(answer))) return [strange(status), clock];
  const refused = read.every(({ answer }) => !(answer instanceof CliError) && answer.status >= 500);
  const service = refused
    ? faulty("service", "unavailable", `answers ${status}`, "The service has a fault of its own: try again later.")
    : well("service", "answers");
  return refused ? [service, clock] : [service, clock, well("key", "accepted"), ...read.map(checkScope)];
};

const readOnce = async (client: Client, reading: Reading, { signal }: Deps): Promise<Read> => {
  try {
    return { reading, answer: await client.raw({ method: "GET", path: `${reading.route.path}${reading.query ?? ""}`, signal }) };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === "interrupted") throw error;
    return { reading, answer: error };
  }
};

const isUnderstood = ({ status, json }: { readonly status: number; readonly json: boolean }): boolean => json && (status < 300 || status > 399);

const strange = (status: number): Check =>
  status >= 300 && status <= 399
    ? faulty("service", "unavailable", `answers ${status}, a redirect, which is not followed`, "Give the address it redirects to as the base URL.")
    : faulty(
        "service",
        "unavailable",
        `answers ${status}, but not with JSON: something else is at this address`,
        "Is the base URL the service's? A network that wants you to log in answers like this too: open the address in a browser.",
      );

/** Signatures of callbacks and Retry-After dates go by the clock. A `Date` is a second coarse and as old as the answer took. */
const checkClock = (date: string | undefined, beforeMs: number, afterMs: number): Check => {
  const served = Date.parse(date ?? "");
  if (Number.isNaN(served)) return well("clock", "the service's answer has no date to compare with");
  const ahead = served < beforeMs - 1_000 ? beforeMs - served : served > afterMs + 1_000 ? afterMs - served : 0;
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) <= skewMsMax)
    return well("clock", seconds <= 2 ? "agrees with the service" : `${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the service`);
  const hint = "Set this machine's clock: signatures of callbacks are refused beyond 300 s.";
  return faulty("clock", "usage", `${duration(Math.abs(ahead))} ${ahead > 0 ? "ahead of" : "behind"} the service`, hint);
};

const checkScope = ({ reading, answer }: Read): Check => {
  const name = `read: ${reading.name}`;
  if (answer instanceof CliError) return ofFault(name, answer);
  const { status, json } = answer;
  const scope = reading.route.scope === undefined ? "" : ` (${reading.route.scope})`;
  if (status >= 200 && status <= 299 && json) return well(name, `allowed${scope}`);
  if (status === 401 || status === 403)
    return faulty(name, "auth", `The key may not read this${scope}: ${status}`, "Use a key that has the scope, if you need it.");
  if (status === 404) return faulty(name, "not-found", "Not there (404)", "Is the base URL the service's, without /api/v1 at its end?");
  if (status >= 400 && status <= 499) return faulty(name, status === 402 ? "payment-required" : "rejected", `Refused: ${status}`);
  return faulty(name, "unavailable", json ? `Answers ${status}` : `Answers ${status}, but not with JSON`, "Is the base URL the service's?");
};
