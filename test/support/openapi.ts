import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiDocument } from "../../src/service/contract/openapi.ts";
import type { Route } from "../../src/service/contract/routes.ts";

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
// The keywords that an OpenAPI document has around its schemas.
ajv.addVocabulary(["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"]);
ajv.addSchema(openApiDocument("http://127.0.0.1"), "service");

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

/** What is wrong with a reply by the OpenAPI document; a status that the document does not describe is wrong too. */
export const openApiProblems = ({ path, method }: Route, status: number, body: unknown): readonly string[] => {
  const place = pointer("paths", path.replace(/:(\w+)/g, "{$1}"), method.toLowerCase(), "responses", String(status));
  const schema =
    status === 200 ? `service#${place}${pointer("content", "application/json", "schema")}` : `service#${pointer("components", "schemas", "Error")}`;
  const validate = ajv.getSchema(schema);
  if (validate === undefined) return [`${method} ${path} answers ${status}, which is not described`];
  return validate(body) === true ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
};
