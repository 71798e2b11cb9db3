import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { InboundRequest } from "../../ports.ts";
import { makeFolder } from "../../storage/make-folder.ts";
import { readInputFile } from "../../tables/input-file.ts";

/**
 * Keeps a delivery as it came: `….body` has the very bytes, `….headers` one `Name: value` a line, as `webhook verify`
 * takes them. Customers' payments are in it, so the modes are those of the settings. Rejects with the file system's error.
 */
export const saveDelivery = async (
  folder: string,
  request: InboundRequest,
  about: { readonly at: string; readonly number: number; readonly id: string },
): Promise<void> => {
  makeFolder(folder);
  const id = about.id.replace(/[^\w-]/g, "_").slice(0, 60);
  const name = `${about.at.replace(/[:.]/g, "-")}-${String(about.number).padStart(4, "0")}-${id}`;
  const headers = Object.entries(request.headers).map(([key, value]) => `${key}: ${value}\n`);
  // `wx`: nothing there is ever overwritten or followed as a link.
  await writeFile(join(folder, `${name}.body`), request.body, { mode: 0o600, flag: "wx" });
  await writeFile(join(folder, `${name}.headers`), headers.join(""), { mode: 0o600, flag: "wx" });
};

/** So many of a folder are read again, the newest: some seconds' worth. */
const readMax = 10_000;
const fileBytesMax = 2 * 1024 * 1024;
/** What `saveDelivery` calls the headers of one: the moment it came is in front. */
const nameOfHeaders = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-\d{4,}-.*\.headers$/;

/** The deliveries that are in such a folder, in the order they came. What is no delivery or cannot be read is passed over. */
export const savedDeliveries = async function* (
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly request: InboundRequest; readonly atMs: number }, void, undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => nameOfHeaders.test(name)).sort();
  for (const name of names.slice(-readMax)) {
    if (signal.aborted) return;
    try {
      const lines = Buffer.from(await readInputFile(join(folder, name), fileBytesMax, signal))
        .toString("utf8")
        .split("\n");
      const body = await readInputFile(join(folder, name.replace(/\.headers$/, ".body")), fileBytesMax, signal);
      const headers = Object.fromEntries(
        lines.flatMap((line) => (line.includes(": ") ? [[line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]] : [])),
      );
      yield { request: { method: "POST", target: "/", headers, body }, atMs: Date.parse(name.replace(nameOfHeaders, "$1:$2:$3.$4")) };
    } catch {
      // Half of one, or a file of somebody else's: it only serves to tell what came before.
    }
  }
};
