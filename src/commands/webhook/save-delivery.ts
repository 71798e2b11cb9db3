import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { InboundRequest } from "../../kernel/context.ts";
import { makeFolder } from "../../store/make-folder.ts";

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
