import type { Clock, InboundRequest, Listener, OutboundPost, PostAnswer, Progress, Prompter, ProtocolStreams, Random, Screen, Terminal } from "../ports.ts";
import type { Transport } from "../service/transport.ts";

/** The embedded service, reached without a port or by joining one that runs. */
export type SandboxConnection = {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  close(): Promise<void>;
};

/** The reader of stdout went away (`| head -1`): the program ends quietly. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}
export const isReaderGone = (error: unknown): boolean => error instanceof ReaderGone;

/** All that the program touches outside itself. The real one is in host/, tests have their own. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Reading one throws CliError usage if this machine has no place for it. */
  readonly paths: { readonly config: string; readonly data: string; readonly cache: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  width(): number;
  /** IANA name of the person's zone. */
  readonly zone: string;
  /** Resolves when the chunk is taken; rejects with ReaderGone (EPIPE) or the stream's own error (ENOSPC). */
  out(chunk: string | Uint8Array): Promise<void>;
  /** Never rejects: where stderr is gone there is nobody to tell. */
  err(text: string): void;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Aborted by the second: what is in flight is not waited for any more. */
  readonly hurry?: AbortSignal;
  readStdin(maxBytes: number): Promise<Uint8Array>;
  /** For a command that speaks a protocol over them (`mcp`). */
  streams(): ProtocolStreams;
  transport(options: { readonly bulk: boolean }): Promise<Transport>;
  sandbox(dataFolder: string): Promise<SandboxConnection>;
  prompter(terminal: Terminal): Promise<Prompter>;
  progress(terminal: Terminal): Progress;
  /** Where stdout is a terminal that can be drawn on. */
  readonly screen?: Screen;
  openUrl(url: string): Promise<void>;
  post(request: OutboundPost): Promise<PostAnswer>;
  listen(options: {
    readonly host: string;
    readonly port: number;
    readonly maxBytes: number;
    readonly handle: (request: InboundRequest) => Promise<{ readonly status: number }>;
  }): Promise<Listener>;
};
