import { chmodSync, lstatSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { makeFolder } from "../storage/make-folder.ts";

type Load = (file: string) => unknown;
/** Compiled code as V8 makes it, by the name of the file it comes from. */
type CompiledCode = { read(name: string): Buffer | undefined; write(made: ReadonlyMap<string, () => Buffer>): void };

/**
 * Loads the program's own CommonJS files with the code that an earlier run compiled, which takes a third off a call. Node 20
 * has no such thing of its own, and the one of Node 22 keeps it in the temporary folder that all users share: what is run
 * beside a merchant's key comes from the user's own folder alone.
 *
 * Only files whose name carries a hash of their content are kept: such a name stands for one content for ever.
 */
export const createLoader = (required: NodeJS.Require, compiled: CompiledCode | undefined) => {
  const loaded = new Map<string, { exports: unknown }>();
  const made = new Map<string, () => Buffer>();
  const load: Load = (file) => {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const folder = dirname(file);
    const own: NodeJS.Require = Object.assign((id: string): unknown => (id.startsWith(".") ? load(join(folder, id)) : required(id)), required);
    const code = { exports: {} };
    loaded.set(file, code);
    try {
      scriptOf(file).runInThisContext()(code.exports, own, code, file, folder);
    } catch (error) {
      loaded.delete(file);
      throw error;
    }
    return code.exports;
  };
  const scriptOf = (file: string): Script => {
    const name = basename(file);
    const keeps = compiled !== undefined && hashed.test(name);
    const cachedData = keeps ? compiled.read(name) : undefined;
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "utf8")}\n})`, {
      filename: file,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (keeps && (cachedData === undefined || script.cachedDataRejected === true)) made.set(name, () => script.createCachedData());
    return script;
  };
  return { load, keep: () => compiled?.write(made) };
};

const hashed = /-[\w-]{8}\.cjs$/;

/** Says that the file was written to its end: V8 itself looks only at the first bytes. */
const ending = Buffer.from("whole\n");

/**
 * Compiled code in a folder of the user's own, one for this program and this Node (`release`); those of others are cleared.
 * It only saves time: if it cannot be read or written, the program runs without it, so disk faults are not reported.
 */
export const createCompiledCode = (parent: string, release: string): CompiledCode => {
  const found = ownFolder(join(parent, release));
  return {
    read: (name) => (found === undefined ? undefined : readWhole(join(found, name))),
    write: (made) => {
      if (made.size === 0) return;
      try {
        makeFolder(join(parent, release));
        const folder = ownFolder(join(parent, release));
        if (folder === undefined) return;
        for (const [name, compile] of made) writeWhole(join(folder, name), compile());
        if (found !== undefined) return;
        for (const other of readdirSync(dirname(folder))) if (other !== release) rmSync(join(dirname(folder), other), { recursive: true, force: true });
      } catch {
        // A read-only or full disk: the next run compiles again.
      }
    },
  };
};

const othersMayWrite = 0o022;
const othersMayDo = 0o077;
const sticky = 0o1000;

/**
 * The folder without links in its path, if nobody but this user and root can change it or put another in its place: whoever could
 * would have this program run what they like. In a sticky folder above it (/tmp) others can only add files of their own.
 * Assumed: on Windows, which has no modes, the user's folders are the user's alone.
 */
const ownFolder = (path: string): string | undefined => {
  try {
    const folder = realpathSync.native(path);
    const uid = process.getuid?.();
    if (uid === undefined) return folder;
    for (let above = folder; ; above = dirname(above)) {
      const { uid: owner, mode } = lstatSync(above);
      if (owner !== uid && (owner !== 0 || above === folder)) return undefined;
      if ((mode & othersMayWrite) !== 0 && ((mode & sticky) === 0 || above === folder)) return undefined;
      if (above === dirname(above)) return folder;
    }
  } catch {
    return undefined;
  }
};

const readWhole = (file: string): Buffer | undefined => {
  try {
    if (process.getuid !== undefined) {
      const { uid, mode } = lstatSync(file);
      // A file of another user's is from a time when the folder was open to them.
      if (uid !== process.getuid()) return undefined;
      if ((mode & othersMayDo) !== 0) chmodSync(file, 0o600);
    }
    const bytes = readFileSync(file);
    const size = bytes.length - ending.length;
    return size > 0 && bytes.subarray(size).equals(ending) ? bytes.subarray(0, size) : undefined;
  } catch {
    return undefined;
  }
};

const writeWhole = (file: string, bytes: Buffer): void => {
  const temporary = `${file}.${process.pid}`;
  try {
    // Without the flush a power cut may leave a file of the right length and other bytes.
    writeFileSync(temporary, Buffer.concat([bytes, ending]), { flag: "wx", mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};
