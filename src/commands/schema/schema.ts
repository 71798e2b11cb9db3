import type { Run } from "../../command.ts";
import { CliError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import { fieldText, listOutcome, textColumn } from "../../output/outcomes.ts";
import type { Schema } from "./schemas.ts";
import type { schemaSpec } from "./spec.ts";

/** The paths are joined to whatever base URL the merchant has, so the document names none. */
const openApi = async (): Promise<object> => (await import("../../service/contract/openapi.ts")).openApiDocument("/");

const schemaNamed = (schemas: Readonly<Record<string, Schema>>, name: string): Schema => {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema !== undefined) return schema;
  const near = Object.keys(schemas).filter((other) => other.includes(name.toLowerCase()) || name.toLowerCase().includes(other));
  const remedy = near.length === 0 ? { hint: "To list them", command: ["schema"] } : { hint: `There are: ${near.join(", ")}` };
  throw new CliError("usage", `There is no schema ${JSON.stringify(name)}.`, remedy);
};

const toRow = ([name, { $comment }]: readonly [string, Schema]): Json => {
  const [by = "", of = ""] = $comment.split(/: (.*)/);
  return { name, of, kind: by === "Sent to" ? "request" : "output" };
};

/** `schema [NAME]` */
export const run: Run<typeof schemaSpec> = async ({ args }, context) => {
  const { schemas } = await import("./schemas.ts");
  const { name } = args;
  if (name === undefined) {
    const rows: readonly Json[] = [...Object.entries(schemas).map(toRow), { name: "openapi", of: "the service as OpenAPI 3.1", kind: "service" }];
    return listOutcome("schemas", rows, ["name", "of", "kind"], {
      columns: [{ heading: "Name", cell: (row) => ({ text: fieldText("name")(row), tone: "strong" }) }, textColumn("Kind", "kind"), textColumn("Of", "of")],
      empty: "There are no schemas.",
    });
  }
  // Through text, so that it is plain JSON and nothing of a library's own.
  const schema: Json = JSON.parse(JSON.stringify(name === "openapi" ? await openApi() : schemaNamed(schemas, name)));
  const asText = context.flags.output === "table" && context.flags.fields === undefined;
  return {
    rows: [schema],
    single: true,
    view: { kind: "lines", line: (row) => JSON.stringify(row) },
    // A schema is JSON for a person too.
    ...(asText ? { raw: `${JSON.stringify(schema, undefined, 2)}\n` } : {}),
  };
};
