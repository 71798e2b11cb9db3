import { isDrop, type SandboxAnswer } from "../../../src/sandbox/request.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { type TransportAnswer, TransportError, type TransportRequest } from "../../../src/service/transport.ts";
import { type CliOptions, type CliResult, createHome, runCli } from "../../support/cli.ts";

export type SandboxHome = {
  readonly home: string;
  readonly clock: { nowMs: number };
  /** What reached the service, controls left out. */
  readonly sent: TransportRequest[];
  /** Runs a command with --sandbox. */
  run(argv: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** A call of the sandbox's own controls, such as `PUT`, `faults`. */
  control(method: string, path: string, body: unknown): Promise<unknown>;
};

/** A home whose --sandbox is one in memory, under a clock that only waiting moves: slow answers and time limits take no real time. */
export const createSandboxHome = async (): Promise<SandboxHome> => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const sandbox = await createSandbox({ data: "ephemeral", seed: 1, clock: { now: () => clock.nowMs }, post: async () => ({ status: 200 }) });
  const sent: TransportRequest[] = [];
  const handle = async (method: string, path: string, headers: Readonly<Record<string, string>>, body: string): Promise<SandboxAnswer> =>
    await sandbox.handle({ method, path, headers, body });
  const arrive = (answer: SandboxAnswer, timeoutMs: number): TransportAnswer => {
    const delayMs = isDrop(answer) ? (answer.drop === "hang" ? Number.POSITIVE_INFINITY : 0) : (answer.delayMs ?? 0);
    clock.nowMs += Math.min(delayMs, timeoutMs);
    if (delayMs >= timeoutMs) throw new TransportError("timeout", true, "No complete answer arrived in time.");
    if (isDrop(answer)) throw new TransportError("reset", true, "The connection was cut.");
    return { status: answer.status, headers: answer.headers, body: typeof answer.body === "string" ? new TextEncoder().encode(answer.body) : answer.body };
  };
  const transport = {
    send: async (request: TransportRequest, { timeoutMs }: { readonly timeoutMs: number }): Promise<TransportAnswer> => {
      sent.push(request);
      return arrive(await handle(request.method, `${request.url.pathname}${request.url.search}`, request.headers, request.body ?? ""), timeoutMs);
    },
    close: async () => undefined,
  };
  const { apiKey, webhookSecret } = sandbox;
  const connection = { transport, baseUrl: "http://sandbox.localhost", apiKey, webhookSecret, close: async () => undefined };
  return {
    home,
    clock,
    sent,
    run: (argv, options = {}) => runCli([...argv, "--sandbox"], { home, clock, sandbox: async () => connection, ...options }),
    control: async (method, path, body) => {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      return arrive(await handle(method, `/_sandbox/${path}`, headers, JSON.stringify(body)), 1_000);
    },
  };
};
