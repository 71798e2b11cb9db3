import * as z from "zod";
import fixed from "./openapi.json" with { type: "json" };
import { type Route, routes } from "./routes.ts";
import * as contract from "./schemas.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that several endpoints share; each stands once in the document, by its name. */
const shared = {
  TransactionSummary: contract.transactionSummary,
  Transaction: contract.transaction,
  Hold: contract.hold,
  LedgerEntry: contract.ledgerEntry,
  LocalWallet: contract.localWallet,
  Rail: contract.rail,
  GlobalWallet: contract.globalWallet,
  FxRates: contract.fxRates,
} as const;

// Assumed: the document shows no error body (service 7), and neither the payload nor the kinds of notifications (service 6). The schemas
// Error and Notification of openapi.json have what is known: an error is an object with a code and a message, a notification the sandbox's.
const { statuses, creationStatuses, ...head } = fixed;

/** The service as OpenAPI 3.1, made from the contract. `serverUrl` is the base URL that the paths are joined to. */
export const openApiDocument = (serverUrl: string): JsonSchema => {
  const schemas = toComponents();
  const errors = { ...statuses, ...creationStatuses, "404": "There is no such transaction." };
  const error = json({ $ref: "#/components/schemas/Error" });
  const responses = Object.fromEntries(Object.entries(errors).map(([status, description]) => [`Error${status}`, { description, content: error }]));
  return {
    ...head,
    servers: [{ url: serverUrl, description: "Base URL" }],
    paths: pathsOf(schemas),
    components: { ...head.components, responses, schemas: { ...schemas, ...head.components.schemas } },
  };
};

const json = (schema: JsonSchema) => ({ "application/json": { schema } });

const toSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return rest;
};

const toComponents = (): Readonly<Record<string, JsonSchema>> => Object.fromEntries(Object.entries(shared).map(([name, schema]) => [name, toSchema(schema)]));

const pathsOf = (components: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> => {
  const paths: Record<string, JsonSchema> = {};
  for (const route of Object.values(routes)) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  return paths;
};

const operationOf = (route: Route & { readonly id: keyof typeof contract.schemas }, components: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const { query, body, reply } = contract.schemas[route.id];
  const creates = route.effect === "creates-payment";
  const pathNames = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const parameters = [
    ...pathNames.map((name) => ({ name, in: "path", required: true, description: "Transaction identifier.", schema: { type: "string", minLength: 1 } })),
    ...queryParameters(query),
    ...(creates ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  const errors = [...Object.keys(statuses), ...(creates ? Object.keys(creationStatuses) : []), ...(pathNames.length > 0 ? ["404"] : [])].sort();
  return {
    operationId: route.id,
    summary: route.summary,
    description: "See section 4 of the service document.",
    tags: [route.path.includes("/global/") ? "global" : "local"],
    ...(route.scope === undefined ? {} : { security: [{ apiKey: [route.scope] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body instanceof z.ZodUndefined ? {} : { requestBody: { required: true, content: json(withReferences(toSchema(body), components)) } }),
    responses: {
      "200": { description: "Carried out.", content: json(withReferences(toSchema(reply), components)) },
      ...Object.fromEntries(errors.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  };
};

const queryParameters = (query: z.ZodType): readonly JsonSchema[] => {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, field]) => {
    const { description = "See section 4 of the service document.", ...schema } = toSchema(field);
    return { name, in: "query", required: false, description, schema };
  });
};

/** The same schema with those that stand under components named instead of repeated. */
const withReferences = (schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const names = new Map(Object.entries(components).map(([name, component]) => [JSON.stringify(component), name]));
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    const name = names.get(JSON.stringify(value));
    return name === undefined
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner)]))
      : { $ref: `#/components/schemas/${name}` };
  };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, replaced(value)]));
};
