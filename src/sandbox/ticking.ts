import type { Sandbox } from "./sandbox.ts";

/** How often what falls due is looked for, ms. Whoever asks has it done by its due time anyway: only callbacks wait for a look. */
const everyMs = 50;

/** Does what falls due while nobody asks: approvals, callbacks, expiries. Never keeps the process alive. Resolves when it has stopped. */
export const startTicking = (sandbox: Pick<Sandbox, "look">): (() => Promise<void>) => {
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    // Its data may be busy or gone for a moment; the next look may find it well.
    await sandbox.look().catch(() => undefined);
    looking = undefined;
  };
  const timer = setInterval(() => {
    looking ??= look();
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
};
