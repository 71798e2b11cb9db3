import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder of mode 0700 and those above it that are missing. Not `mkdir`'s own `recursive`: where the file system
 * answers ENOENT for a folder it does not let anybody make (an automounter, /proc), Node 20 tries for ever and the command
 * hangs. Throws the file system's error.
 */
export const makeFolder = (path: string): void => {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && statSync(above, { throwIfNoEntry: false }) === undefined) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (!isFolder(path)) throw error;
  }
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
