import { watchInterrupts } from "./host/interrupts.ts";
import { createNodeHost } from "./host/node-host.ts";
import { main } from "./main.ts";

/** How long a handle somebody forgot may hold the process after the result is out, in ms. */
const lingerMs = 1500;

/** Runs the program on this process. `process.exit` right after a large write would cut it: the exit code is set and the loop ends. */
export const start = async (version: string): Promise<void> => {
  const host = createNodeHost(version, watchInterrupts());
  process.exitCode = await main(process.argv.slice(2), host);
  setTimeout(() => process.exit(), lingerMs).unref();
  host.letGoOfStdin();
};
