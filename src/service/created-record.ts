import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import { type Operation, operationRoutes } from "./contract/routes.ts";

export type CreatedRecord = { readonly id: string | undefined; readonly status: string | undefined };

/**
 * Id and status in the answer to a creation (service 4). The contract names the path of the id, which every success must have; the
 * status is beside it.
 */
export const createdRecordOf = (operation: Operation, body: Json): CreatedRecord => {
  const path = operationRoutes[operation].answers[0].split(".");
  const record = path.slice(0, -1).reduce<Json | undefined>((at, name) => fieldOf(at, name), body);
  return { id: textOf(fieldOf(record, path.at(-1) ?? "")), status: textOf(fieldOf(record, "status")) };
};
