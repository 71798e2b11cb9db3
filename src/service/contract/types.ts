import type * as z from "zod";
import type { EndpointName } from "./routes.ts";
import type { schemas } from "./schemas.ts";

/**
 * What the endpoints take and give (service 4), inferred from their schemas. The build publishes these three types as plain ones,
 * as programs that use the library have no zod.
 */
type Schemas = typeof schemas;
export type Bodies = { readonly [Name in EndpointName]: z.output<Schemas[Name]["body"]> };
export type Queries = { readonly [Name in EndpointName]: z.output<Schemas[Name]["query"]> };
export type Replies = { readonly [Name in EndpointName]: Named<z.output<Schemas[Name]["reply"]>> };

/** The fields that the contract names: a reply may have others, but a misspelt one does not compile. An object without named fields stays open. */
type Named<T> = T extends readonly (infer Item)[] ? readonly Named<Item>[] : T extends object ? (keyof NamedFields<T> extends never ? T : NamedFields<T>) : T;
type NamedFields<T> = { readonly [Field in keyof T as string extends Field ? never : Field]: Named<T[Field]> };
