import type { Core, CoreDraft, KindName, Kinds } from "./entities.ts";

export type PageQuery = { readonly group?: string; readonly offset?: number; readonly limit: number };

/** The port to storage. All of it is synchronous: one step is never interleaved with another. */
export type Tables = {
  core(): Core | undefined;
  setCore(core: Core): void;
  /** A copy of the core that this step may change in place; what was the core before stays as it is. */
  draftCore(): CoreDraft;
  get<K extends KindName>(kind: K, id: string): Kinds[K] | undefined;
  /** Inserts, or replaces the one with the same id, which keeps its place. */
  put<K extends KindName>(kind: K, record: Kinds[K]): void;
  /** Never called for dense kinds. */
  remove(kind: KindName, id: string): void;
  /** Newest first. */
  page<K extends KindName>(kind: K, query: PageQuery): readonly Kinds[K][];
  count(kind: KindName, group?: string): number;
  /** What is due by `atMs`, earliest first. */
  due<K extends KindName>(kind: K, atMs: number, limit: number): readonly Kinds[K][];
  /** The earliest `dueMs` of a kind. */
  nextDueMs(kind: KindName): number | undefined;
  /** Removes the kept answers that may go by `atMs`. */
  forgetKept(atMs: number): void;
  /** Keeps the newest `keep` alone. Never called for dense kinds. */
  trim(kind: KindName, keep: number): void;
  clear(): void;
};

/** Tables inside transactions. What `commit` wrote is safe from the end of the process; from that of the machine once it is synced. */
export type Storage = Tables & {
  /** A write waits for other processes; a read sees one moment. */
  begin(mode: "read" | "write"): void;
  commit(): void;
  /** Resolves once all that was committed is on disk; undefined where it is. Rejects where the disk refused it. */
  synced(): Promise<void> | undefined;
  rollback(): void;
  /** Marks a moment inside a transaction that `undo` goes back to. */
  mark(): void;
  undo(): void;
  close(): void;
};
