import type { Socket } from "node:net";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { present } from "../json/exact-json.ts";
import type { Inspection } from "../ports.ts";
import type { TransportError } from "../service/transport.ts";
import { openConnection, type Way } from "./connect.ts";
import { proxyFor } from "./proxy.ts";
import { startRequestTime } from "./request-time.ts";

type Options = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

/** Connects as a request would, looks at the way and the certificate, and hangs up. Never rejects: a failure is part of what was seen. */
export const inspect = async (url: URL, way: Way, options: Options): Promise<Inspection> => {
  const proxy = proxyOf(url, way);
  const opened = await open(url, way, options);
  const failure = "failure" in opened ? { reason: opened.failure.reason, message: opened.failure.message } : undefined;
  // One that is not trusted is still worth showing: its dates and names say why.
  const shown = failure?.reason === "tls" ? await open(url, { ...way, unverified: true }, options) : opened;
  return present({ proxy, ...("socket" in shown ? seen(shown.socket, proxy === undefined) : {}), failure });
};

const proxyOf = (url: URL, way: Way): string | undefined => {
  try {
    return proxyFor(url, way.env)?.host;
  } catch {
    return undefined;
  }
};

const open = async (url: URL, way: Way, options: Options): Promise<{ readonly socket: Socket } | { readonly failure: TransportError }> => {
  const time = startRequestTime(options);
  try {
    return { socket: await openConnection(url, way, time.signal) };
  } catch (error) {
    return { failure: time.failure(error, false) };
  } finally {
    time.stop();
  }
};

const seen = (socket: Socket, direct: boolean): Pick<Inspection, "address" | "certificate"> => {
  const address = direct ? socket.remoteAddress : undefined;
  const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
  socket.on("error", () => undefined).destroy();
  return present({ address, certificate: certificate?.subject === undefined ? undefined : factsOf(certificate) });
};

const nameOf = (subject: PeerCertificate["subject"] | undefined): string => String(subject?.CN ?? subject?.O ?? "unnamed");

const factsOf = (certificate: PeerCertificate): NonNullable<Inspection["certificate"]> => ({
  subject: (certificate.subjectaltname ?? nameOf(certificate.subject)).replaceAll("DNS:", "").replaceAll("IP Address:", ""),
  issuer: nameOf(certificate.issuer),
  validFrom: certificate.valid_from,
  validTo: certificate.valid_to,
});
