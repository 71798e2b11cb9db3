import { CliError } from "../../errors.ts";
import { countOf } from "../../money/grouped.ts";
import { duration } from "../../output/format.ts";
import type { Client, Context, Inspection } from "../../ports.ts";
import { type Route, routes } from "../../service/contract/routes.ts";
import { otherKey } from "../../service/judge.ts";
import { type Check, faulty, ofFault, well } from "./check.ts";

type Deps = Pick<Context, "clock" | "signal">;
const dayMs = 86_400_000;
const skewMsMax = 60_000;

/** The steps of the way, in order: what comes after a failing one is not told. */
export const checkConnection = ({ proxy, address, certificate, failure }: Inspection, baseUrl: URL, nowMs: number): readonly Check[] => {
  const failed = (name: string, hint: string): Check => faulty(name, "unavailable", failure?.message ?? "", hint);
  if (failure?.reason === "proxy") return [failed("proxy", "Check HTTPS_PROXY, and NO_PROXY for hosts that need none.")];
  const checks = [well("proxy", proxy === undefined ? "not used" : `through ${proxy}`)];
  if (failure?.reason === "dns") return [...checks, failed("dns", "Check the base URL's host and the network.")];
  if (proxy === undefined) checks.push(well("dns", `${baseUrl.hostname}${address === undefined ? "" : ` is ${address}`}`));
  if (failure !== undefined && failure.reason !== "tls")
    return [...checks, failed("connection", "Is the service running there, and does a firewall let it through?")];
  checks.push(well("connection", `${baseUrl.host} takes connections`));
  if (baseUrl.protocol !== "https:" && failure === undefined) return checks;
  const facts =
    certificate === undefined
      ? ""
      : `for ${certificate.subject}, by ${certificate.issuer}, valid from ${day(certificate.validFrom)} to ${day(certificate.validTo)}`;
  if (failure !== undefined) {
    const detail = facts === "" ? failure.message : `${failure.message} It is ${facts}.`;
    return [...checks, faulty("tls", "unavailable", detail, tlsHint(certificate, nowMs))];
  }
  const daysLeft = certificate === undefined ? Number.NaN : Math.floor((Date.parse(certificate.validTo) - nowMs) / dayMs);
  return [...checks, well("tls", `certificate ${facts}${daysLeft < 14 ? `: it ends in ${countOf(daysLeft, "day")}` : ""}`)];
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

/** Harmless reads, one for each scope that may be needed; service 5.3 names wallet:read alone. */
const readings: readonly (readonly [name: string, route: Route, query?: string])[] = [
  ["providers", routes.providers],
  ["wallet", routes.wallet],
  ["transactions", routes.listTransactions, "?limit=1"],
  ["b2c stats", routes.b2cStats],
  ["global wallet", routes.globalWallet],
  ["fx rates", routes.fxRates],
];

type Answered = Awaited<ReturnType<Client["raw"]>> | CliError;

/** Clock, key and scopes, from one read of each endpoint. */
export const checkService = async (client: Client, { clock, signal }: Deps): Promise<readonly Check[]> => {
  const startedMs = clock.now();
  const readOnce = async (path: string): Promise<Answered> => {
    try {
      return await client.raw({ method: "GET", path, signal });
    } catch (error) {
      if (!(error instanceof CliError) || error.kind === "interrupted") throw error;
      return error;
    }
  };
  const [first, ...others] = readings.map(([, { path }, query = ""]) => `${path}${query}`);
  const opened = await readOnce(first ?? "");
  if (opened instanceof CliError) return [ofFault("service", opened)];
  const { status } = opened;
  const clockCheck = checkClock(opened.headers["date"], startedMs, clock.now());
  if (status === 401)
    return [well("service", "answers"), clockCheck, ofFault("key", new CliError("auth", "The service does not accept the key (401)", otherKey))];
  const read = [opened, ...(await Promise.all(others.map(readOnce)))];
  const areAll = (is: (answer: Exclude<Answered, CliError>) => boolean): boolean => read.every((answer) => !(answer instanceof CliError) && is(answer));
  // Where nothing speaks the service's language, nothing of the key or its scopes is known.
  if (areAll((answer) => answer.status < 400 && !isUnderstood(answer))) return [strange(status), clockCheck];
  if (areAll((answer) => answer.status >= 500))
    return [faulty("service", "unavailable", `answers ${status}`, "The service has a fault of its own: try again later."), clockCheck];
  const scopes = readings.flatMap(([name, { scope }], at) => read.slice(at, at + 1).map((answer) => checkScope(`read: ${name}`, scope, answer)));
  return [well("service", "answers"), clockCheck, well("key", "accepted"), ...scopes];
};

const isUnderstood = ({ status, json }: { readonly status: number; readonly json: boolean }): boolean => json && (status < 300 || status > 399);

const strange = (status: number): Check => {
  const [detail, hint] =
    status >= 300 && status <= 399
      ? ["a redirect, which is not followed", "Give the address it redirects to as the base URL."]
      : [
          "but not with JSON: something else is at this address",
          "Is the base URL the service's? A network that wants you to log in answers like this too: open the address in a browser.",
        ];
  return faulty("service", "unavailable", `answers ${status}, ${detail}`, hint);
};

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

const checkScope = (name: string, needed: string | undefined, answer: Answered): Check => {
  if (answer instanceof CliError) return ofFault(name, answer);
  const { status, json } = answer;
  const scope = needed === undefined ? "" : ` (${needed})`;
  if (status >= 200 && status <= 299 && json) return well(name, `allowed${scope}`);
  if (status === 401 || status === 403)
    return faulty(name, "auth", `The key may not read this${scope}: ${status}`, "Use a key that has the scope, if you need it.");
  if (status === 404) return faulty(name, "not-found", "Not there (404)", "Is the base URL the service's, without /api/v1 at its end?");
  if (status >= 400 && status <= 499) return faulty(name, status === 402 ? "payment-required" : "rejected", `Refused: ${status}`);
  return faulty(name, "unavailable", json ? `Answers ${status}` : `Answers ${status}, but not with JSON`, "Is the base URL the service's?");
};
