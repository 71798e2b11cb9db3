import type { Unit } from "./unit.ts";

/** Assumed: a prompt nobody answers ends after two minutes. */
export const promptLifeMs = 120_000;

/** What a prompt waits for: its approval, or its end where that comes first. */
export const promptWait = (unit: Unit, scenario: { readonly ends?: unknown } | undefined): { readonly waitMs: number; readonly expires: boolean } => {
  const { autoApproveAfterMs } = unit.core().settings;
  // A failure that was ordered comes about by itself, also where approval is by hand.
  if (scenario?.ends !== undefined) return { waitMs: Math.min(autoApproveAfterMs ?? 3_000, promptLifeMs - 1), expires: false };
  const waitMs = Math.min(autoApproveAfterMs ?? promptLifeMs, promptLifeMs);
  return { waitMs, expires: waitMs === promptLifeMs };
};
