import type { Context, Progress, Prompter, ProtocolStreams, Screen, Terminal } from "../ports.ts";
import type { openSandboxConnection } from "../sandbox/connection.ts";
import type { Transport } from "../service/transport.ts";

/** The embedded service, reached without a port or by joining one that runs. */
export type SandboxConnection = Awaited<ReturnType<typeof openSandboxConnection>>;

/** The reader of stdout went away (`| head -1`): the program ends quietly. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}
export const isReaderGone = (error: unknown): boolean => error instanceof ReaderGone;

/** What is handed on to commands as it is. */
type Shared = Pick<Context, "env" | "version" | "paths" | "clock" | "random" | "signal" | "hurry" | "openUrl" | "post" | "listen">;

/** All that the program touches outside itself. The real one is in host/, tests have their own. */
export type Host = Shared & {
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
  readStdin(maxBytes: number): Promise<Uint8Array>;
  /** For a command that speaks a protocol over them (`mcp`). */
  streams(): ProtocolStreams;
  transport(options: { readonly bulk: boolean }): Promise<Transport>;
  sandbox(dataFolder: string): Promise<SandboxConnection>;
  prompter(terminal: Terminal): Promise<Prompter>;
  progress(terminal: Terminal): Progress;
  /** Where stdout is a terminal that can be drawn on. */
  readonly screen?: Screen;
};
