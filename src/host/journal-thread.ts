import { Worker } from "node:worker_threads";
import type { JournalLine } from "../store/journal-remote.ts";

/** Starts the thread that writes the journal (src/host/journal-worker.ts, as the bundle has it). */
export const startJournalThread = (file: string, dataFolder: string): JournalLine => {
  // Flags of the program (a profiler's, an inspector's) are not meant for it.
  const worker = new Worker(file, { workerData: dataFolder, execArgv: [], name: "journal" });
  let failure: Error | undefined;
  const gone = new Promise<string>((resolve) => {
    worker.on("error", (error) => {
      failure = error;
    });
    worker.once("exit", (code) => resolve(failure?.message ?? `its thread ended with ${code}`));
  });
  return {
    post: (text) => worker.postMessage(text),
    onText: (told) => {
      worker.on("message", (text: unknown) => {
        if (typeof text === "string") told(text);
      });
    },
    onGone: (told) => {
      void gone.then(told);
    },
    close: async () => {
      worker.postMessage(null);
      await gone;
    },
  };
};
