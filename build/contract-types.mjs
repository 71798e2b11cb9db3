// The types of the contract as plain ones with comments: programs that use the library have no zod.
import { writeFileSync } from "node:fs";
import * as z from "zod";
import { evaluate } from "./bundle.mjs";

const typeOf = (schema) => {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return `readonly ${schema.items.enum === undefined ? typeOf(schema.items) : `(${typeOf(schema.items)})`}[]`;
  if (schema.type === "object") return objectOf(schema);
  if (schema.type === "number" || schema.type === "integer") return "number";
  if (schema.type === "string" || schema.type === "boolean") return schema.type;
  if (Object.keys(schema).length === 0) return "unknown";
  throw new Error(`No plain type for ${JSON.stringify(schema)}`);
};
const objectOf = ({ properties = {}, required = [], additionalProperties }) => {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    const comment = schema.description === undefined ? "" : `/** ${schema.description} */\n`;
    return `${comment}readonly ${name}${required.includes(name) ? `: ${type}` : `?: ${type} | undefined`};\n`;
  });
  return fields.length === 0 ? `{ readonly [field: string]: ${typeOf(additionalProperties)} }` : `{\n${fields.join("")}}`;
};

/** Replaces the declarations of src/service/contract/types.ts, at `path`. */
export const publishContractTypes = async (path) => {
  const { schemas } = await evaluate("src/service/contract/schemas.ts");
  const typesOf = (part) =>
    Object.entries(schemas).map(([name, endpoint]) => {
      const schema = endpoint[part];
      return `readonly ${name}: ${schema.def.type === "undefined" ? "undefined" : typeOf(z.toJSONSchema(schema, { io: "input" }))};\n`;
    });
  const parts = { Bodies: "body", Queries: "query", Replies: "reply" };
  writeFileSync(
    path,
    Object.entries(parts)
      .map(([name, part]) => `export type ${name} = {\n${typesOf(part).join("")}};\n`)
      .join(""),
  );
};
