import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { SchemaEntry } from "./catalogue.ts";
import type { schemaSpec } from "./spec.ts";

/** The paths are joined to whatever base URL the merchant has, so the document names none. */
const openApi = async () => (await import("../../service/contract/openapi.ts")).openApiDocument("/");

const entryOf = (catalogue: readonly SchemaEntry[], name: string): SchemaEntry => {
  const entry = catalogue.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const near = catalogue.filter((candidate) => candidate.name.includes(name.toLowerCase()) || name.toLowerCase().includes(candidate.name));
  throw usageError(
    `There is no schema ${JSON.stringify(name)}.`,
    near.length === 0 ? "payments-cli schema lists them." : `There are: ${near.map((candidate) => candidate.name).join(", ")}`,
  );
};

const cellOf = (name: string) => (row: Json) => textOf(fieldOf(row, name)) ?? "";

export const run: Run<typeof schemaSpec> = async ({ args }, context) => {
  const { catalogue, toJsonSchema } = await import("./catalogue.ts");
  const { name } = args;
  if (name === undefined) {
    return {
      rows: [
        ...catalogue.map(({ name: entry, of, kind }) => ({ name: entry, of, kind })),
        { name: "openapi", of: "the service as OpenAPI 3.1", kind: "service" },
      ],
      document: (rows) => ({ schemas: rows }),
      view: {
        kind: "table",
        columns: [
          { heading: "Name", cell: (row) => ({ text: cellOf("name")(row), tone: "strong" }) },
          { heading: "Kind", cell: cellOf("kind"), sheds: 1 },
          { heading: "Of", cell: cellOf("of") },
        ],
        empty: "There are no schemas.",
      },
    };
  }
  const document = name === "openapi" ? await openApi() : toJsonSchema(entryOf(catalogue, name));
  // Through text, so that it is plain JSON and nothing of the library's own.
  const schema: Json = JSON.parse(JSON.stringify(document));
  const asText = context.flags.output === "table" && context.flags.fields === undefined;
  return {
    rows: [schema],
    single: true,
    view: { kind: "lines", line: (row) => JSON.stringify(row) },
    // A schema is JSON for a person too.
    ...(asText ? { raw: `${JSON.stringify(schema, undefined, 2)}\n` } : {}),
  };
};
