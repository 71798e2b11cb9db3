import { usageError } from "../errors.ts";
import { ExactNumber, isObject, type JsonObject, parseExact, repeatedKey } from "../json/exact-json.ts";
import type { Context } from "../ports.ts";
import type { Operation } from "../service/contract/routes.ts";
import { type Creation, checkLocal, creationFields, type Given, type Names, refuseLookAlikeNames } from "./creation.ts";
import type { Draft } from "./draft.ts";
import { checkCollection, checkWithdrawal } from "./global-creation.ts";
import { findRail, railsOf, readProviders } from "./rails.ts";

const names: Names = {
  of: (field) => `The field ${field}`,
  howTo: (field) => `Give it with ${field === "amount" ? "-F amount:=150" : `-f ${field}=…`}`,
};

/**
 * A payment's body, given as it will be sent, after the checks of its own command. Nothing in it is rewritten: strings stay
 * strings and the bytes stay as they came (report A7). Global ones are checked against the rails of this moment.
 * Throws CliError usage naming the field.
 */
export const planFromBody = async (operation: Operation, text: string, context: Pick<Context, "client" | "signal">): Promise<Draft> => {
  const fields = parseExact(text);
  if (!isObject(fields)) throw usageError("A payment's body is a JSON object.", "Give its fields with -f key=text and -F key:=json, or a file with --input.");
  const twice = repeatedKey(text);
  if (twice !== undefined) throw usageError(`The body has the field ${twice} twice: which one the service takes is not clear.`, "Give it once.");
  refuseLookAlikeNames(Object.keys(fields), operation);
  const given = givenIn(fields, operation);
  if (operation === "stk" || operation === "b2c") return { ...checkLocal(operation, given, names), body: text };
  return { ...(await checkGlobal(operation, given, context)), body: text };
};

/** The known fields as text: absent, or a string, and the amount a number, never null (rules.md, Commands). */
const givenIn = (fields: JsonObject, operation: Operation): Given => {
  const given: Record<string, string> = {};
  for (const field of creationFields[operation]) {
    const value = fields[field];
    if (value === undefined) continue;
    const isNumber = typeof value === "number" || value instanceof ExactNumber;
    if (field === "amount" && !isNumber) throw usageError("The field amount has to be a number.", "Give it with -F amount:=150, not -f");
    if (field !== "amount" && typeof value !== "string") throw usageError(`The field ${field} has to be a string.`, names.howTo?.(field));
    given[field] = String(value);
  }
  return given;
};

const checkGlobal = async (operation: "collect" | "withdraw", given: Given, context: Pick<Context, "client" | "signal">): Promise<Creation> => {
  const check = operation === "collect" ? checkCollection : checkWithdrawal;
  // What no rail could take is refused before any request.
  await check(given, undefined, names);
  const rails = railsOf(await readProviders(await context.client(), context.signal));
  const rail = findRail(rails, given["rail"] ?? "", operation);
  const creation = await check(given, rail, names);
  const own = parseExact(creation.body);
  // The request names things exactly, as it is sent as it is.
  for (const field of ["rail", "currency", "channel"]) {
    const written = isObject(own) ? own[field] : undefined;
    if (written !== given[field]) throw usageError(`The field ${field} has to be written ${String(written)}.`);
  }
  return creation;
};
