import type { Core, CoreDraft, DueKind, GroupedKind, KindName, Kinds } from "./entities.ts";

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
  remove(kind: "hold", id: string): void;
  /** Newest first. */
  page<K extends KindName>(kind: K, query: PageQuery): readonly Kinds[K][];
  count(kind: GroupedKind, group?: string): number;
  /** What is due by `atMs`, earliest first. */
  due<K extends DueKind>(kind: K, atMs: number, limit: number): readonly Kinds[K][];
  /** The earliest `dueMs` of a kind. */
  nextDueMs(kind: DueKind): number | undefined;
  /** Removes the answers that may go by `atMs`. */
  removeStoredAnswers(atMs: number): void;
  /** Keeps the newest `keep` alone. */
  trimRequests(keep: number): void;
  clear(): void;
};
