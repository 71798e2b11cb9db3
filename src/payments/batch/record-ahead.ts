import { CliError } from "../../errors.ts";
import type { Journal } from "../../journal/port.ts";
import type { Throttle } from "./throttle.ts";

/** Rows to be recorded, held until many can share one sync to disk. */
export type RecordAhead = {
  readonly journal: Journal;
  /** To be called whenever a recorded row has begun to be sent: the next ones are recorded before those at hand run out. */
  onSent(): void;
};

/**
 * The same journal, whose openings wait while at least `enough` recorded rows wait to be sent, and are then committed together:
 * each is on disk before its first byte leaves (rules.md, Money safety), and the disk does not hold up the network. Once the run
 * has stopped, what was not recorded never is (CliError interrupted).
 */
export const createRecordAhead = (journal: Journal, throttle: Pick<Throttle, "queued">, enough: number, isStopped: () => boolean): RecordAhead => {
  let held: (() => void)[] = [];
  const release = (): void => {
    if (held.length === 0 || throttle.queued() >= enough) return;
    const all = held;
    held = [];
    for (const go of all) go();
  };
  const turn = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      held.push(resolve);
      release();
    });
    if (isStopped()) throw new CliError("interrupted", "The run stopped before this row was sent.");
  };
  return {
    journal: {
      ...journal,
      open: async (attempt, judged) => {
        await turn();
        return await journal.open(attempt, judged);
      },
      reopen: async (id, judged) => {
        await turn();
        return await journal.reopen(id, judged);
      },
    },
    onSent: release,
  };
};
