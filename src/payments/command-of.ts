import { flagWords } from "../command.ts";
import { parseExact, textOf } from "../json/exact-json.ts";
import { operationRoutes } from "../service/contract/routes.ts";
import { creationFields } from "./creation.ts";
import type { Draft } from "./draft.ts";

/** Fields whose flag has another name, in camel case like all flags. */
const flagsByField: Readonly<Record<string, string>> = { customerEmail: "email", payeeMsisdn: "msisdn", callbackReturnUrl: "returnUrl" };
export const ownFlag = (field: string): string => flagsByField[field] ?? field;
export const flagOf = (field: string): string => ownFlag(field).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The words after payments-cli that make the payment of this body; undefined if the command has no flag for a field. */
export const commandOf = ({ operation, body }: Pick<Draft, "operation" | "body">): readonly string[] | undefined => {
  const fields = Object.entries(parseExact(body) ?? {});
  const known: readonly string[] = creationFields[operation];
  if (fields.some(([field]) => !known.includes(field))) return undefined;
  return [...operationRoutes[operation].command.split(" "), ...fields.flatMap(([field, value]) => flagWords(flagOf(field), textOf(value) ?? ""))];
};
