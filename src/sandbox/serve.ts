import { createCheckout } from "./checkout/checkout.ts";
import { createPages, noSuchPage } from "./dashboard/pages.ts";
import { toUnits } from "./engine/money.ts";
import { findRail } from "./engine/rails.ts";
import { fitting } from "./engine/scenarios.ts";
import { type Listening, listenSandbox } from "./listen.ts";
import type { Sandbox } from "./sandbox.ts";

export type ServeOptions = { readonly port: number; readonly host?: string | undefined; readonly clock?: { now(): number } | undefined };

/** The service on a port, with its dashboard at `/` and the checkout that REDIRECT collections lead to. */
export const serveSandbox = async (sandbox: Sandbox, options: ServeOptions): Promise<Listening> => {
  const pages = createPages({ apiKey: sandbox.apiKey });
  const checkout = createCheckout({
    find: async (reference, token) => {
      const found = await sandbox.findCheckout(reference, token);
      if (found === undefined) return undefined;
      const rail = findRail(found.provider);
      return {
        reference: found.id,
        status: found.status,
        amount: toUnits(found.amount),
        currency: found.currency,
        railName: rail?.displayName ?? found.provider,
        categories: rail?.capabilities.categories ?? [],
        description: found.description,
        customerEmail: found.party,
        callbackReturnUrl: found.metadata["callbackReturnUrl"]?.toString(),
        decimals: rail?.x.decimals,
        scenario: fitting(found.scenario, "push")?.ends !== undefined ? "declines" : found.scenario === "stuck" ? "waits" : undefined,
      };
    },
    settle: (reference, action) => sandbox.settleCollection(reference, action),
  });
  return await listenSandbox(sandbox, { ...options, pages: async (request) => pages(request) ?? (await checkout(request)) ?? noSuchPage(request) });
};
