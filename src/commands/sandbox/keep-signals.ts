const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `work`, and takes away the signal listeners it leaves. What writes the settings file brings one along (conf, by when-exit)
 * that sends the first signal again: a server's orderly end would look like an impatient second Ctrl-C.
 */
export const keepSignals = async (work: () => Promise<void>): Promise<void> => {
  const before = new Map(endings.map((name) => [name, new Set(process.listeners(name))]));
  try {
    await work();
  } finally {
    for (const name of endings)
      for (const listener of process.listeners(name)) if (before.get(name)?.has(listener) !== true) process.removeListener(name, listener);
  }
};
