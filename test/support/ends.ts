import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type End = () => void | Promise<void>;
const ends: End[] = [];

/**
 * Does this when the tests of the running file are over. A helper is loaded once for many files, which share a process: a hook of
 * vitest that it set itself would be the first file's alone.
 */
export const atEnd = (end: End): void => void ends.push(end);

export const endAll = async (): Promise<void> => {
  for (const end of ends.splice(0).reverse()) await end();
};

/** A folder that is gone after the file's tests. */
export const createHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-test-"));
  atEnd(() => rmSync(home, { recursive: true, force: true }));
  return home;
};
