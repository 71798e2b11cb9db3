import type { Transaction } from "../engine/entities.ts";
import { endOf } from "../engine/payments.ts";
import type { Reply, SandboxRequest } from "../request.ts";
import type { Sandbox } from "../sandbox.ts";
import { judgeCard } from "./cards.ts";
import { endedPage, messagePage, payPage } from "./page.ts";

const headers = {
  // No `form-action`: a browser applies it to where the answer redirects, and that is the merchant's page.
  "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
  // The token stays here, and a form still names its origin.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};
const show = (status: number, body: string): Reply => ({ status, headers, body });

/** Where the payer goes back to. Only http and https: nothing else may run or open from here. */
const returnUrlOf = (collection: Transaction, status: string): string | undefined => {
  const text = String(collection.metadata["callbackReturnUrl"] ?? "");
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  // Assumed: the shop learns which payment it was and how it stands; it must read the wallet or its callback for the truth.
  url.searchParams.set("reference", collection.reference);
  url.searchParams.set("status", status);
  return url.href;
};

const sendBack = (collection: Transaction, status: string): Reply => {
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
  ({ findCheckout, settleCollection }: Pick<Sandbox, "findCheckout" | "settleCollection">) =>
  async ({ method, path, body }: SandboxRequest): Promise<Reply | undefined> => {
    // Read as text: as a URL a path may name another host (`//host/checkout/…`), or be none at all (`//`).
    const [, reference, query] = /^\/checkout\/([A-Za-z0-9-]{1,64})(?:\?(.*))?$/.exec(path) ?? [];
    if (reference === undefined) return undefined;
    const reads = method === "GET" || method === "HEAD";
    if (!reads && method !== "POST")
      return { ...show(405, messagePage("Nothing was done", "This page takes only GET and POST requests.")), headers: { ...headers, allow: "GET, POST" } };

    const token = new URLSearchParams(query).get("token") ?? "";
    const collection = await findCheckout(reference, token);
    if (collection === undefined) return show(404, messagePage("No such checkout", "This checkout link is not known. Ask the shop for a new one."));
    const showEnded = (one: Transaction): Reply => show(200, endedPage(one, one.status, returnUrlOf(one, one.status)));
    if (collection.status !== "PENDING") return showEnded(collection);
    if (reads) return show(200, payPage(collection, token, undefined));

    const decision = decide(new URLSearchParams(body));
    if ("problem" in decision) return show(422, payPage(collection, token, decision.problem));
    if (decision.action === "abandon") return sendBack(collection, "ABANDONED");
    // A scenario may decline a payment that would be approved (`no-funds` and its like), or leave it open (`stuck`).
    if (decision.action === "confirm" && collection.scenario === "stuck") return sendBack(collection, "PENDING");
    const action = endOf(collection) === undefined ? decision.action : "fail";
    try {
      return sendBack(collection, (await settleCollection(reference, action)).status);
    } catch {
      // Settled meanwhile, by another tab or by its expiry: say how it stands.
      const now = await findCheckout(reference, token);
      return now === undefined || now.status === "PENDING" ? show(409, payPage(collection, token, "That did not go through. Try again.")) : showEnded(now);
    }
  };
