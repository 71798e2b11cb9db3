import { testCards } from "./cards.ts";
import { Html, html } from "./html.ts";

/** What the payer sees of a collection. */
export type CheckoutCollection = {
  readonly reference: string;
  readonly status: string;
  /** Major units, as a decimal or a number. */
  readonly amount: string | number;
  readonly currency: string;
  readonly railName: string;
  /** CARD, BANK; others are not offered. */
  readonly categories: readonly string[];
  readonly description?: string | undefined;
  readonly customerEmail?: string | undefined;
  readonly callbackReturnUrl?: string | undefined;
  /** Digits after the point that are shown: two unless said. */
  readonly decimals?: number | undefined;
  /** What its scenario makes of a payment that would be approved: `no-funds` and its like decline it, `stuck` leaves it open. */
  readonly scenario?: "declines" | "waits" | undefined;
};

/** As the dashboard and a receipt have it: with the currency's decimals, and no digit lost. */
const amountOf = ({ amount, decimals = 2 }: CheckoutCollection): string => {
  const [whole = "0", part = ""] = String(amount).split(".");
  const shown = part.padEnd(decimals, "0");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${shown === "" ? "" : `.${shown}`}`;
};

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
    <link rel="stylesheet" href="/assets/checkout.css">
  </head>
  <body>
    <header><img src="/assets/icon.svg" alt="" width="28" height="28"><span>Checkout</span><span class="chip">Sandbox</span></header>
    <main>${body}</main>
    <footer>Play money: no card or account is charged.</footer>
  </body>
</html>
`.text;

const summary = (collection: CheckoutCollection): Html => html`
  <section class="summary">
    <p class="quiet">${collection.description ?? "Payment"} over ${collection.railName}</p>
    <h1><span class="currency">${collection.currency}</span> ${amountOf(collection)}</h1>
    <p class="quiet">${collection.reference}${collection.customerEmail === undefined ? "" : ` for ${collection.customerEmail}`}</p>
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
export const payPage = (collection: CheckoutCollection, token: string, problem: string | undefined): string => {
  const action = `/checkout/${encodeURIComponent(collection.reference)}?token=${encodeURIComponent(token)}`;
  const byCard = collection.categories.includes("CARD");
  const byBank = collection.categories.includes("BANK");
  return page(
    `${problem === undefined ? "" : "Not paid: "}Pay ${collection.currency} ${amountOf(collection)}`,
    html`${summary(collection)}
  ${problem === undefined ? undefined : html`<p class="problem" role="alert" id="problem" tabindex="-1" autofocus>${problem}</p>`}
  ${byCard || !byBank ? cardForm(action) : undefined}
  ${byBank || !byCard ? bankForm(action) : undefined}
  <form method="post" action="${action}" class="abandon"><input type="hidden" name="method" value="abandon"><button type="submit">${collection.callbackReturnUrl === undefined ? "Cancel" : "Cancel and go back"}</button></form>`,
  );
};

const endings: Readonly<Record<string, readonly [tone: string, title: string, text: string]>> = {
  PENDING: ["quiet", "Payment under way", "The bank has not answered yet. The shop will hear from it when it does."],
  COMPLETED: ["good", "Payment approved", "The shop has been informed."],
  FAILED: ["bad", "Payment declined", "Nothing was charged."],
  EXPIRED: ["bad", "This checkout has expired", "Nothing was charged. Ask the shop for a new link."],
  ABANDONED: ["quiet", "Payment not made", "Nothing was charged. The link stays open until it expires."],
};

/** How it ended, and the way back. */
export const endedPage = (collection: CheckoutCollection, status: string, returnUrl: string | undefined): string => {
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
