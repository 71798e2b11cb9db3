import { control, create, key } from "../api.js";
import { balanceChart, statusChart } from "../charts.js";
import * as data from "../data.js";
import { entryColumn, movedColumn, timeColumn } from "../columns.js";
import { fill, h } from "../dom.js";
import { amount, count, inWords, money, phoneDigits, tone } from "../format.js";
import { badge, button, card, cardWith, copyable, dialog, empty, field, form, heading, table, toast } from "../parts.js";

const walletNames = { balance: "Service credits", b2c: "Payout float", global: "Global wallet" };
/** What the button of each says, here and in its dialog. */
const adding = { balance: "Add credits", b2c: "Add float", global: "Add funds" };

export const addCredits = (wallet, refresh) => {
  dialog(`Add to ${walletNames[wallet].toLowerCase()}`, (close) =>
    form(
      [
        h("p", { class: "quiet" }, wallet === "balance" ? "Credits pay the service's fees. If the balance is negative, new payments are refused." : wallet === "b2c" ? "Payouts and their carrier cost are taken from the payout float." : "Withdrawals are paid from the global wallet."),
        field("Amount (KES)", { name: "amount", type: "number", min: "1", step: "any", required: true, value: wallet === "balance" ? "1000" : "50000", inputmode: "decimal" }),
      ],
      adding[wallet],
      async (values) => {
        await control("POST", "topup", { wallet, amount: Number(values.amount) });
        close();
        toast(`${money(Number(values.amount))} added to ${walletNames[wallet].toLowerCase()}.`);
        refresh();
      },
    ),
  );
};

const trimmed = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

export const newPayment = (kind, refresh) => {
  const push = kind === "stk-push";
  dialog(push ? "Send a payment prompt" : "Pay out to a phone", (close) =>
    form(
      [
        field("Phone", { name: "phone", required: true, value: "0712345000", inputmode: "tel", pattern: "[\\d\\s+.\\(\\)\\-]{9,20}", hint: `The last three digits choose what happens: 000 is paid, ${push ? "011 has no funds" : "041 is not registered"}.` }),
        field("Amount (KES)", { name: "amount", type: "number", required: true, min: push ? "1" : "10", max: push ? undefined : "150000", step: push ? "1" : "0.01", value: push ? "1500" : "2500", inputmode: "numeric" }),
        field("Reference", { name: "reference", required: true, value: `${push ? "INV" : "PAY"}-${String(Date.now()).slice(-5)}` }),
        field("Description", { name: "description", optional: true }),
        field("Callback URL", { name: "callbackUrl", type: "url", optional: true, placeholder: "http://127.0.0.1:3000/callbacks" }),
      ],
      push ? "Send prompt" : "Pay out",
      async (values) => {
        const made = await create(`/api/v1/merchants/payments/${kind}`, trimmed({ ...values, phone: phoneDigits(values.phone), amount: Number(values.amount) }));
        close();
        toast(push ? "The phone rings." : "The payout is queued.");
        location.hash = push ? "#/phone" : `#/transactions/${encodeURIComponent(made.transactionId)}`;
        refresh();
      },
    ),
  );
};

const figure = (name, value, note, action) =>
  h("section", { class: "card figure" }, h("h2", {}, name), h("p", { class: `figure-value${value < 0 ? " negative" : ""}` }, h("span", { class: "figure-currency" }, note.currency ?? "KES"), amount(value, note.currency)), h("p", { class: "figure-note" }, note.text), action);

const statusParts = (transactions) => {
  const parts = new Map();
  for (const { status, amount: value } of transactions) {
    const part = parts.get(status) ?? { name: inWords(status), tone: tone(status), count: 0, amount: 0 };
    parts.set(status, { ...part, count: part.count + 1, amount: part.amount + value });
  }
  const order = ["good", "waiting", "bad", "quiet"];
  return [...parts.values()].sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone) || b.count - a.count);
};

export const recentList = (transactions) =>
  transactions.length === 0
    ? empty("No payments yet.", "Send a prompt: the phone rings, and this page follows.")
    : h("ul", { class: "rows" }, transactions.map((row) => h("li", {}, h("a", { href: `#/transactions/${encodeURIComponent(row.id)}`, "data-key": row.id }, h("span", { class: "rows-main" }, row.reference), badge(row.status), h("span", { class: "rows-amount" }, money(row.amount))))));

/** What moved a wallet last, each with what it left. */
const ledgerTable = (entries, currency) =>
  entries.length === 0
    ? empty("No entries yet.")
    : table("Ledger", [
        { ...timeColumn, narrow: "sub" },
        entryColumn,
        { head: "Reference", narrow: "ref", cell: (row) => (row.transactionId ? h("a", { href: `#/${/^G[CD]-/.test(row.transactionId) ? "global" : "transactions"}/${encodeURIComponent(row.transactionId)}` }, row.reference) : row.reference) },
        movedColumn(currency),
        { head: `Balance (${currency})`, kind: "number", narrow: "end", cell: (row) => amount(row.balanceAfter) },
      ], entries);

const masked = () => `${key().slice(0, 4)}…${key().slice(-4)}`;
/** By address and key, so that it is this sandbox that is paid: --sandbox finds the one in the usual folder alone. */
const firstPayment = (shownKey) => {
  const set = navigator.userAgent.includes("Windows") ? `$env:PAYMENTS_API_KEY="${shownKey}";` : `PAYMENTS_API_KEY=${shownKey}`;
  return `${set} payments-cli stk --base-url ${location.origin} --phone 0712345000 --amount 150 --reference INV-1 --wait`;
};

export const mount = (root, { refresh }) => {
  const figures = h("div", { class: "figures" });
  const chart = h("div", {});
  const moneyIn = h("div", {});
  const moneyOut = h("div", {});
  const secret = h("div", {});
  const recent = h("div", {});
  const ledger = h("div", {});
  const ledgerName = h("h2", {}, "Ledger");
  let shown = "balance";
  const pick = h(
    "div",
    { class: "segments", role: "group", "aria-label": "Wallet" },
    Object.entries(walletNames).map(([id, name]) =>
      h("button", { type: "button", "aria-pressed": String(id === shown), "data-wallet": id, onclick: (event) => {
        shown = id;
        for (const other of pick.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
        refresh();
      } }, name),
    ),
  );
  root.append(
    heading("Overview", "Money in, money out, and what is left.", button("Pay out", () => newPayment("b2c", refresh)), button("Send prompt", () => newPayment("stk-push", refresh), { kind: "primary" })),
    figures,
    h("div", { class: "columns columns-wide" }, h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Balance over time"), pick), chart), h("div", { class: "stack" }, cardWith("Money in", undefined, moneyIn), cardWith("Money out", undefined, moneyOut))),
    h(
      "div",
      { class: "columns columns-wide" },
      cardWith("Latest payments", h("a", { href: "#/transactions" }, "All transactions"), recent),
      card(
        "Connect",
        h("p", { class: "quiet" }, "Point any program at this sandbox. Its key moves play money only."),
        copyable("Base URL", location.origin),
        key() ? copyable("API key", key(), masked()) : undefined,
        secret,
        key() ? copyable("First payment", firstPayment(key()), firstPayment(masked())) : undefined,
      ),
    ),
    h("section", { class: "card" }, ledgerName, ledger),
  );
  return {
    update: async () => {
      const [local, global, list, entries, webhookSecret] = await Promise.all([data.wallet(), data.globalWallet(), data.search({ limit: 100 }), data.ledger(shown), data.webhookSecret()]);
      const { wallet } = local;
      const currency = shown === "global" ? global.currency : "KES";
      fill(figures, { wallet, global, stats: local.b2cStats }, () => [
        figure("Service credits", wallet.balance, { text: wallet.balance < 0 ? "Negative: new payments are refused until credits are added." : "Pays the service's fees." }, button(adding.balance, () => addCredits("balance", refresh), { kind: wallet.balance < 0 ? "primary" : "plain", "data-key": "add-balance" })),
        figure("Payout float", wallet.b2cAvailableBalance, { text: wallet.b2cHeldBalance > 0 ? `${money(wallet.b2cHeldBalance)} held for ${count(wallet.b2cHolds.length)} open ${wallet.b2cHolds.length === 1 ? "payout" : "payouts"}` : `${count(local.b2cStats.count)} ${local.b2cStats.count === 1 ? "payout" : "payouts"}, ${money(local.b2cStats.totalVolume)} so far` }, button(adding.b2c, () => addCredits("b2c", refresh), { "data-key": "add-b2c" })),
        figure("Global wallet", global.availableBalance, { currency: global.currency, text: global.heldBalance > 0 ? `${money(global.heldBalance, global.currency)} held` : `${money(global.totalCollected, global.currency)} collected so far` }, button(adding.global, () => addCredits("global", refresh), { "data-key": "add-global" })),
      ]);
      fill(chart, { shown, width: chart.clientWidth, entries: entries.map((entry) => [entry.createdAt, entry.amount]) }, ({ width }) => balanceChart(walletNames[shown], data.balanceLine(entries), currency, { width, height: width < 480 ? 180 : 270 }));
      ledgerName.textContent = `Ledger: ${walletNames[shown].toLowerCase()}`;
      fill(ledger, [shown, entries.slice(-10)], () => ledgerTable(entries.slice(-10).reverse(), currency));
      const totals = (kind, rows) => [statusChart(`${kind} by status`, statusParts(rows)), list.total > list.transactions.length ? h("p", { class: "quiet" }, `Counts the newest ${list.transactions.length} of ${count(list.total)} payments.`) : undefined];
      fill(moneyIn, list.transactions.filter((row) => row.flow !== "b2c"), (rows) => totals("Money in", rows));
      fill(moneyOut, list.transactions.filter((row) => row.flow === "b2c"), (rows) => totals("Money out", rows));
      fill(secret, webhookSecret, () => copyable("Webhook secret", webhookSecret, `${webhookSecret.slice(0, 8)}…${webhookSecret.slice(-4)}`));
      fill(recent, list.transactions.slice(0, 6), recentList);
    },
  };
};
