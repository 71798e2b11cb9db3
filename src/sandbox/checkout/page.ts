import { escapeHtml } from "../../html.ts";
import { groupedAmount } from "../../money/grouped.ts";
import type { Transaction } from "../engine/entities.ts";
import { toUnits } from "../engine/money.ts";
import { findRail } from "../engine/rails.ts";
import { testCards } from "./cards.ts";

/** Markup that is known to be safe: only `html` makes it. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | readonly Part[];
const toText = (part: Part): string => {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(toText).join("") : escapeHtml(String(part));
};

/** Markup in which every value is escaped, unless it is markup itself. Values stand in text or inside double quotes. */
const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => new Html(strings.map((text, index) => text + toText(parts[index])).join(""));

const amountOf = ({ amount, currency }: Transaction): string => groupedAmount(String(toUnits(amount)), currency);

const page = (title: string, body: Html): string =>
  html`${new Html("<!doctype html>")}
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/assets/colours.css">
    <link rel="stylesheet" href="/assets/checkout.css">
  </head>
  <body>
    <header><img src="/assets/icon.svg" alt="" width="28" height="28"><span>Checkout</span><span class="chip">Sandbox</span></header>
    <main>${body}</main>
    <footer>Play money: no card or account is charged.</footer>
  </body>
</html>
`.text;

const summary = (collection: Transaction): Html => html`
  <section class="summary">
    <p class="quiet">${collection.description ?? "Payment"} &middot; ${findRail(collection.provider)?.displayName ?? collection.provider}</p>
    <h1><span class="currency">${collection.currency}</span> ${amountOf(collection)}</h1>
    <p class="quiet">Reference ${collection.reference} &middot; ${collection.party}</p>
  </section>`;

const cardForm = (action: string): Html => html`
  <form method="post" action="${action}" class="panel">
    <h2>Pay by card</h2>
    <input type="hidden" name="method" value="card">
    <div class="field"><label for="card">Card number</label><input id="card" name="card" inputmode="numeric" autocomplete="off" required maxlength="23" placeholder="4242 4242 4242 4242" aria-describedby="cards"></div>
    <ul id="cards" class="hints">${testCards.map((card) => html`<li><code>${card.number}</code> ${card.says}</li>`)}</ul>
    <button class="primary" type="submit">Pay by card</button>
  </form>`;

const bankForm = (action: string): Html => html`
  <form method="post" action="${action}" class="panel">
    <h2>Pay from a bank account</h2>
    <input type="hidden" name="method" value="bank">
    <fieldset><legend class="sr-only">Bank</legend>
      <label class="choice"><input type="radio" name="bank" value="approve" required> <span>Test bank that approves</span></label>
      <label class="choice"><input type="radio" name="bank" value="decline"> <span>Test bank that declines</span></label>
    </fieldset>
    <button class="primary" type="submit">Pay from the bank</button>
  </form>`;

/** The form: by card, by bank, as the rail has it. */
export const payPage = (collection: Transaction, token: string, problem: string | undefined): string => {
  const action = `/checkout/${encodeURIComponent(collection.reference)}?token=${encodeURIComponent(token)}`;
  const categories = findRail(collection.provider)?.capabilities.categories ?? [];
  const [byCard, byBank] = [categories.includes("CARD"), categories.includes("BANK")];
  return page(
    `${problem === undefined ? "" : "Not paid: "}Pay ${collection.currency} ${amountOf(collection)}`,
    html`${summary(collection)}
  ${problem === undefined ? undefined : html`<p class="problem" role="alert" id="problem" tabindex="-1" autofocus>${problem}</p>`}
  ${byCard || !byBank ? cardForm(action) : undefined}
  ${byBank || !byCard ? bankForm(action) : undefined}
  <form method="post" action="${action}" class="abandon"><input type="hidden" name="method" value="abandon"><button type="submit">${collection.metadata["callbackReturnUrl"] === undefined ? "Cancel" : "Cancel and go back"}</button></form>`,
  );
};

const endings: Readonly<Record<string, readonly [tone: string, title: string, text: string]>> = {
  PENDING: ["quiet", "Payment under way", "The bank has not answered yet. Nothing more is needed from you."],
  COMPLETED: ["good", "Payment approved", "You have paid."],
  FAILED: ["bad", "Payment declined", "Nothing was charged."],
  EXPIRED: ["bad", "This checkout has expired", "Nothing was charged. Ask the shop for a new link."],
  ABANDONED: ["quiet", "Payment not made", "Nothing was charged. The link stays open until it expires."],
};

/** How it ended, and the way back. */
export const endedPage = (collection: Transaction, status: string, returnUrl: string | undefined): string => {
  const [tone, title, text] = endings[status] ?? ["quiet", `This payment is ${status}`, ""];
  return page(
    title,
    html`${summary(collection)}
  <section class="panel ended ended-${tone}"><h2>${title}</h2><p>${text}</p>
  ${returnUrl === undefined ? html`<p class="quiet">You can close this page.</p>` : html`<p><a href="${returnUrl}" rel="noreferrer">Back to the shop</a></p>`}</section>`,
  );
};

export const messagePage = (title: string, text: string): string =>
  page(title, html`<section class="panel ended"><h1 class="message">${title}</h1><p>${text}</p></section>`);
