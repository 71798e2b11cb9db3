import { groupedCount } from "../money/grouped.ts";
import { duration } from "./format.ts";

/** `total` is absent where nobody knows it. Times are of a clock that does not go back. */
export type ProgressState = { readonly label?: string; readonly done: number; readonly total?: number; readonly startedMs: number; readonly nowMs: number };

const barWidth = 20;

/** `Transactions [####----] 40% 4,000 of 10,000, 812/s, 8 s left`: rate and time left once they can be told. */
export const progressLine = (state: ProgressState): string => {
  const { done, total } = state;
  const seconds = (state.nowMs - state.startedMs) / 1000;
  const rate = seconds >= 0.5 && done > 0 ? done / seconds : undefined;
  const parts: string[] = [];
  if (total === undefined || total <= 0) parts.push(groupedCount(done));
  else {
    const share = Math.min(1, done / total);
    const filled = Math.floor(share * barWidth);
    parts.push(`[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${Math.floor(share * 100)}% ${groupedCount(done)} of ${groupedCount(total)}`);
  }
  if (rate !== undefined) parts.push(rate >= 10 ? `${groupedCount(rate)}/s` : `${rate.toFixed(1)}/s`);
  if (rate !== undefined && total !== undefined && total > done) parts.push(`${duration(((total - done) / rate) * 1000)} left`);
  const label = state.label === undefined ? "" : `${state.label} `;
  return label + parts.join(", ");
};
