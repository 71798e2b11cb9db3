import type { PageAnswer } from "../dashboard/pages.ts";
import { judgeCard } from "./cards.ts";
import { type CheckoutCollection, endedPage, messagePage, payPage } from "./page.ts";

export type CheckoutRequest = {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** A form's body, bounded by the listener. */
  readonly body?: string | undefined;
};
export type CheckoutPorts = {
  /** The collection that this link was made for; undefined where reference and token do not belong together. */
  readonly find: (reference: string, token: string) => Promise<CheckoutCollection | undefined>;
  /** Settles it as the provider would. Rejects where it is settled already. */
  readonly settle: (reference: string, action: "confirm" | "fail") => Promise<unknown>;
};

const headers = {
  // No `form-action`: a browser applies it to where the answer redirects, and that is the merchant's page.
  "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
  // The token stays here, and a form still names its origin.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};
const show = (status: number, body: string): PageAnswer => ({ status, headers, body });

/** Where the payer goes back to. Only http and https: nothing else may run or open from here. */
export const returnUrlOf = (collection: CheckoutCollection, status: string): string | undefined => {
  if (collection.callbackReturnUrl === undefined || !URL.canParse(collection.callbackReturnUrl)) return undefined;
  const url = new URL(collection.callbackReturnUrl);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  // Assumed: the shop learns which payment it was and how it stands; it must read the wallet or its callback for the truth.
  url.searchParams.set("reference", collection.reference);
  url.searchParams.set("status", status);
  return url.href;
};

const sendBack = (collection: CheckoutCollection, status: string): PageAnswer => {
  const location = returnUrlOf(collection, status);
  if (location === undefined) return show(200, endedPage(collection, status, undefined));
  return { status: 303, headers: { ...headers, location }, body: endedPage(collection, status, location) };
};

type Decision = { readonly action: "confirm" | "fail" | "abandon" } | { readonly problem: string };

const decide = (form: URLSearchParams): Decision => {
  const method = form.get("method");
  if (method === "abandon") return { action: "abandon" };
  if (method === "bank") {
    const bank = form.get("bank");
    if (bank === "approve") return { action: "confirm" };
    return bank === "decline" ? { action: "fail" } : { problem: "Choose a bank." };
  }
  if (method !== "card") return { problem: "Choose how to pay." };
  const verdict = judgeCard(form.get("card") ?? "");
  if (verdict === "not-a-card") return { problem: "That is not a card number. Use one of the test numbers." };
  if (verdict === "not-a-test-card") return { problem: "Only test numbers work here. Never type a real card into a sandbox." };
  return { action: verdict === "approve" ? "confirm" : "fail" };
};

/**
 * The hosted page at a REDIRECT collection's `authorizationUrl`: `/checkout/:reference?token=…` (service 4, collections).
 * Approves, declines or abandons, then sends the payer back to `callbackReturnUrl`. Undefined where the path is not its own.
 */
export const createCheckout =
  (ports: CheckoutPorts): ((request: CheckoutRequest) => Promise<PageAnswer | undefined>) =>
  async (request) => {
    // Read as text: as a URL a path may name another host (`//host/checkout/…`), or be none at all (`//`).
    const found = /^\/checkout\/([A-Za-z0-9-]{1,64})(?:\?(.*))?$/.exec(request.path);
    if (found?.[1] === undefined) return undefined;
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads && request.method !== "POST")
      return { ...show(405, messagePage("Not like this", "This page is read with GET.")), headers: { ...headers, allow: "GET, POST" } };
    if (!reads && !isOwnForm(request)) return show(403, messagePage("Not sent", "This form was not sent from its own page."));

    const token = new URLSearchParams(found[2]).get("token") ?? "";
    const collection = await ports.find(found[1], token);
    if (collection === undefined) return show(404, messagePage("No such checkout", "This checkout link is not known. Ask the shop for a new one."));
    if (collection.status !== "PENDING") return show(200, endedPage(collection, collection.status, returnUrlOf(collection, collection.status)));
    if (reads) return show(200, request.method === "HEAD" ? "" : payPage(collection, token, undefined));

    const decision = decide(new URLSearchParams(request.body ?? ""));
    if ("problem" in decision) return show(422, payPage(collection, token, decision.problem));
    if (decision.action === "abandon") return sendBack(collection, "ABANDONED");
    if (decision.action === "confirm" && collection.scenario === "waits") return sendBack(collection, "PENDING");
    const action = collection.scenario === "declines" ? "fail" : decision.action;
    try {
      await ports.settle(collection.reference, action);
    } catch {
      // Settled meanwhile, by another tab or by its expiry: say how it stands.
      const now = await ports.find(collection.reference, token);
      return now === undefined || now.status === "PENDING"
        ? show(409, payPage(collection, token, "That did not go through. Try again."))
        : show(200, endedPage(now, now.status, returnUrlOf(now, now.status)));
    }
    return sendBack(collection, action === "confirm" ? "COMPLETED" : "FAILED");
  };

/** A form of another page could spend for the payer: browsers name the origin of what they post. */
const isOwnForm = (request: CheckoutRequest): boolean => {
  const origin = request.headers["origin"];
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.headers["host"];
};
