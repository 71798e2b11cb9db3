import { usageError } from "../../errors.ts";
import { type Operation, operationRoutes } from "../../service/contract/routes.ts";
import { isReading } from "../../service/raw-call.ts";

/** A path as a lenient server might read it: escapes undone, dots resolved, slashes, case, parameters, format and query left out. */
const likenessOf = (path: string): string => {
  let text = path.split(/[?#]/)[0] ?? "";
  // However often it was escaped: `%252525` is one `%`.
  for (let round = 0; round < 8; round += 1) {
    text = text.replace(/%(?:25)+/g, "%").replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  const kept: string[] = [];
  for (const part of (text.split(/[?#]/)[0] ?? "").replaceAll("\\", "/").split("/")) {
    const name = (part.split(";")[0] ?? "").replace(/[\u0000-\u0020\u007f]/g, "").toLowerCase();
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  // Some frameworks take `.json` at the end for a format, and serve the path without it.
  return `/${kept.join("/").replace(/\.[\w.]*$/, "")}`;
};

/**
 * The payment that a POST to this path would make, however the path is spelled and however much of it stands in the base
 * URL; undefined where it makes none. Throws CliError usage where it would make one that cannot be journalled under its path,
 * and for every other method that changes something: a service may take it for a POST.
 */
export const creationAt = (method: string, basePath: string, path: string): Operation | undefined => {
  if (isReading(method)) return undefined;
  const whole = likenessOf(`${basePath}/${path}`);
  for (const [operation, route] of Object.entries(operationRoutes) as [Operation, (typeof operationRoutes)[Operation]][]) {
    if (!whole.endsWith(likenessOf(route.path))) continue;
    if (method !== "POST") throw usageError(`Not sent: payments are made at this path, and ${method} would pass the checks by.`, "Use POST.");
    if (whole !== likenessOf(`${basePath}/${route.path}`)) {
      throw usageError("This path makes a payment, but lies elsewhere than the base URL says.", `Write the path as ${route.path}`);
    }
    if (/[?#]/.test(path)) throw usageError("A path that makes a payment takes no query.", `Write the path as ${route.path}`);
    return operation;
  }
  return undefined;
};
