import type { CommandSpec, Run } from "../command.ts";
import { isObject, type Json, type JsonObject } from "../json/exact-json.ts";
import type { View } from "../outcome.ts";
import { fieldsView, globalWalletView, localWalletView, statsView } from "../output/views/balances.ts";
import { type EndpointName, type Route, routes } from "../service/contract/routes.ts";

/** A document with one of its fields replaced, the others and their order kept. */
export const withField = (body: Json, name: string, value: Json): JsonObject => ({ ...(isObject(body) ? body : {}), [name]: value });

/** Endpoints whose object has a view of its own; the others are shown field by field. */
const views: Partial<Record<EndpointName, (body: Json) => View>> = { wallet: localWalletView, globalWallet: globalWalletView, b2cStats: () => statsView };

/** A command that reads one object and shows it. --json prints the whole answer (rules.md, JSON and CSV). */
export const createRun =
  (name: EndpointName): Run<CommandSpec> =>
  async (_, context) => {
    const client = await context.client();
    const route: Route = routes[name];
    const { body } = await client.call(route, { signal: context.signal });
    const [member = ""] = Object.keys(route.answers);
    const row = isObject(body) ? (body[member] ?? null) : null;
    const view = views[name]?.(body) ?? fieldsView(route.summary);
    return { rows: [row], single: true, document: ([only]) => withField(body, member, only ?? null), view };
  };
