import { parentPort, workerData } from "node:worker_threads";
import { openJournal } from "../store/journal.ts";
import { serveJournal } from "../store/journal-remote.ts";

/** The thread that writes the journal for a batch: journal-thread.ts starts it, with the data folder. */
const serve = async (dataFolder: unknown, port: typeof parentPort): Promise<void> => {
  if (port === null || typeof dataFolder !== "string") throw new Error("This file is a thread of the program, which starts it.");
  // What is asked before the journal is open waits in the port.
  const journal = await openJournal({ dataFolder, clock: { now: () => Date.now() }, waits: "between" });
  const take = serveJournal(journal, (text) => port.postMessage(text));
  port.on("message", (text: unknown) => {
    if (typeof text === "string") {
      take(text);
      return;
    }
    // The last message: what came before it is committed, and told before the port closes.
    journal.dispose();
    setImmediate(() => setImmediate(() => port.close()));
  });
};

void serve(workerData, parentPort);
