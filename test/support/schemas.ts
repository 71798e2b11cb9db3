import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { schemas as published } from "../../src/commands/schema/schemas.ts";

export { published };

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);

/** What a published schema finds wrong with a document; empty if nothing. */
export const schemaFaults = (name: string, document: unknown): readonly unknown[] => {
  const schema = published[name];
  if (schema === undefined) throw new Error(`There is no schema ${name}.`);
  const validate = ajv.compile(schema);
  return validate(document) ? [] : (validate.errors ?? []);
};
