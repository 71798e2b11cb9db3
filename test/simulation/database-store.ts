import { logins, type Server } from "../support/postgres.ts";
import { openTimed, setTestClock } from "../support/timed-journal.ts";
import type { Store } from "./world.ts";

/** A shared journal of its own for each world. The database shows the true time, whatever the machines' clocks show. */
export const createDatabaseStore =
  (server: Server): Store =>
  async (_clock, trueMs) => {
    const admin = await server.createJournal();
    await setTestClock(server, admin);
    return { open: () => openTimed(server, { admin, login: logins.maker }, trueMs), dispose: () => server.drop(admin) };
  };
