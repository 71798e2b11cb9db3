import { control, create } from "../api.js";
import { balanceChart } from "../charts.js";
import * as data from "../data.js";
import { entryColumn, movedColumn, settledColumn, timeColumn } from "../columns.js";
import { fill, h } from "../dom.js";
import { amount, count, digitsOf, money } from "../format.js";
import { act, badge, button, card, cardWith, dialog, empty, field, form, heading, table, toast } from "../parts.js";
import { addCredits } from "./overview.js";

/** What was filled in, with phones as they are dialled. */
const given = (values) => Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === "" ? [] : [[name, /msisdn$/i.test(name) ? digitsOf(value) : value]])));

/** Fields follow the rail that is chosen: only what the providers answer offers is shown. */
const railForm = (rails, label, fieldsOf, submit) => {
  const choice = field("Rail", { name: "rail", options: rails.map((rail) => [rail.rail, `${rail.displayName} (${rail.country})`]) });
  const select = choice.querySelector("select");
  const rest = h("div", { class: "form" });
  const railOf = () => rails.find((rail) => rail.rail === select.value);
  const show = () => rest.replaceChildren(...fieldsOf(railOf(), show).flat().filter(Boolean));
  select.addEventListener("change", show);
  show();
  return form([choice, rest], label, (values) => submit(given(values)));
};

const bound = (value) => (Number.isInteger(value) ? count(value) : amount(value));
const money_ = (rail) => [
  field("Currency", { name: "currency", options: rail.currencies }),
  field("Amount", { name: "amount", type: "number", required: true, step: "any", min: rail.minAmount, max: rail.maxAmount, value: Math.max(rail.minAmount, Math.min(rail.maxAmount, 1000)), hint: `${rail.currencies[0]} ${bound(rail.minAmount)} to ${bound(rail.maxAmount)}` }),
];

const collect = (providers, refresh) => {
  const rails = providers.filter((rail) => rail.live && rail.capabilities.collect);
  dialog("New collection", (close) =>
    railForm(
      rails,
      "Collect",
      (rail) => [
        ...money_(rail),
        rail.collectionFlow === "REDIRECT" ? [field("Customer's email", { name: "customerEmail", type: "email", required: true, value: "customer@example.com" }), field("Return to", { name: "callbackReturnUrl", type: "url", optional: true, placeholder: "https://shop.example/thanks" })] : [field("Payer's phone", { name: "msisdn", required: true, inputmode: "tel", value: "0712345000" }), field("Description", { name: "description", optional: true })],
      ],
      async (values) => {
        const made = await create("/api/v1/global/collections", { ...values, amount: Number(values.amount) });
        close();
        toast(`${made.collection.reference} waits for the payer.`);
        if (made.authorizationUrl) checkoutDialog(made);
        refresh();
      },
    ),
  );
};

const safeUrl = (text) => {
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
};
const checkoutLink = (text, label, more = {}) => {
  const href = safeUrl(text);
  return href === undefined ? undefined : h("a", { href, target: "_blank", rel: "noopener noreferrer", ...more }, label);
};
const checkoutDialog = (made) =>
  dialog("Hosted checkout", h("p", {}, `${made.collection.reference} waits for the payer on this page:`), h("p", {}, checkoutLink(made.authorizationUrl, "Open the checkout", { class: "button button-primary" })), h("p", { class: "quiet" }, "It opens in a new tab, as it would for your customer."));

const channelWords = { MOBILE_MONEY: "Mobile money", BANK: "Bank" };
/** What the rail knows is chosen from, and else typed. */
const known = (label, name, values) => field(label, { name, required: true, ...(values === undefined ? {} : { options: values }) });

const withdraw = (providers, payees, refresh) => {
  const rails = providers.filter((rail) => rail.live && rail.capabilities.disburse && rail.capabilities.disbursementChannels.length > 0);
  let chosen;
  dialog("New withdrawal", (close) =>
    railForm(
      rails,
      "Withdraw",
      (rail, again) => {
        const channels = rail.capabilities.disbursementChannels;
        if (!channels.includes(chosen)) chosen = channels[0];
        const channel = field("Channel", { name: "channel", options: channels.map((name) => [name, channelWords[name] ?? name]) });
        channel.querySelector("select").value = chosen;
        channel.addEventListener("change", (event) => {
          chosen = event.target.value;
          again();
        });
        return [
          channel,
          ...money_(rail),
          chosen === "BANK" ? [known("Bank code", "bankCode", payees[rail.rail]?.bankCodes), field("Account number", { name: "accountNumber", required: true, inputmode: "numeric", value: "0123456789" }), field("Account name", { name: "accountName", required: true, value: "Test Payee" })] : [known("Operator", "operator", payees[rail.rail]?.operators), field("Payee's phone", { name: "payeeMsisdn", required: true, inputmode: "tel", value: "0712345000" })],
        ];
      },
      async (values) => {
        const made = await create("/api/v1/global/disbursements", { ...values, amount: Number(values.amount) });
        close();
        toast(`${made.disbursement.reference} is on its way.`);
        refresh();
      },
    ),
  );
};

const records = (caption, rows, actionsOf) =>
  table(caption, [
    { head: "Reference", kind: "short", narrow: "title", cell: (row) => h("span", { class: "two-lines" }, h("a", { class: "strong", href: `#/global/${encodeURIComponent(row.reference)}`, "data-key": row.reference }, row.reference), h("code", {}, row.rail)) },
    { head: "Status", cell: (row) => badge(row.status) },
    { head: "Amount", kind: "number", narrow: "sum", cell: (row) => money(row.amount, row.currency) },
    { head: "Fee", kind: "number", narrow: "end", cell: (row) => money(row.fee, row.currency) },
    timeColumn,
    { head: "", label: "Actions", narrow: "more", cell: (row) => h("span", { class: "rows-actions" }, actionsOf(row)) },
  ], rows);

export const mount = (root, { refresh }) => {
  const figures = h("div", { class: "figures" });
  const chart = h("div", {});
  const incoming = h("div", {});
  const outgoing = h("div", {});
  const ledger = h("div", {});
  const settle = (kind, row, action, words) =>
    button(words, act(async () => {
      await control("POST", `${kind}/${encodeURIComponent(row.reference)}`, { action });
      refresh();
    }, `${row.reference}: ${{ confirm: "confirmed", complete: "completed", fail: "failed" }[action]}.`), { kind: "small", "data-key": `${action}-${row.reference}`, "aria-label": `${words} ${row.reference}` });
  root.append(
    heading("Global wallet", "Collections and withdrawals over provider rails.", button("Add funds", () => addCredits("global", refresh)), button("Withdraw", async () => withdraw(await data.providers(), await data.payees(), refresh)), button("Collect", async () => collect(await data.providers(), refresh), { kind: "primary" })),
    figures,
    card("Available over time", chart),
    card("Collections", incoming),
    card("Withdrawals", outgoing),
    cardWith("Ledger", undefined, ledger),
  );
  return {
    update: async () => {
      const [wallet, collections, disbursements, entries] = await Promise.all([data.globalWallet(), data.collections(), data.disbursements(), data.ledger("global")]);
      fill(figures, wallet, () =>
        [["Available", wallet.availableBalance], ["Pending", wallet.pendingBalance], ["Held", wallet.heldBalance], ["Collected so far", wallet.totalCollected], ["Withdrawn so far", wallet.totalDisbursed]].map(([name, value]) => h("section", { class: "card figure figure-small" }, h("h2", {}, name), h("p", { class: "figure-value" }, h("span", { class: "figure-currency" }, wallet.currency), amount(value, wallet.currency)))),
      );
      fill(chart, { width: chart.clientWidth, entries: entries.map((entry) => [entry.createdAt, entry.amount]) }, ({ width }) => balanceChart("Available", data.balanceLine(entries), wallet.currency, { width, height: width < 480 ? 180 : 220 }));
      fill(incoming, collections, () =>
        collections.length === 0
          ? empty("No collections yet.", "Collect over a rail: a prompt rings on the phone, or a checkout opens.")
          : records("Collections", collections, (row) => row.status === "PENDING" && [row.flow === "REDIRECT" ? checkoutLink(`${location.origin}/checkout/${encodeURIComponent(row.reference)}?token=${encodeURIComponent(row.checkoutToken)}`, "Checkout", { class: "button button-small" }) : undefined, settle("collections", row, "confirm", "Confirm"), settle("collections", row, "fail", "Fail")]),
      );
      fill(outgoing, disbursements, () => (disbursements.length === 0 ? empty("No withdrawals yet.", "Withdraw from what is available, to mobile money or a bank.") : records("Withdrawals", disbursements, (row) => row.status === "PROCESSING" && [settle("disbursements", row, "complete", "Complete"), settle("disbursements", row, "fail", "Fail")])));
      fill(ledger, entries, () =>
        entries.length === 0
          ? empty("No entries yet.")
          : table("Global ledger", [
              timeColumn,
              entryColumn,
              { head: "Reference", narrow: "ref", cell: (row) => (/^G[CD]-/.test(row.reference) ? h("a", { href: `#/global/${encodeURIComponent(row.reference)}` }, row.reference) : row.reference) },
              settledColumn,
              movedColumn(wallet.currency),
            ], entries.toReversed().slice(0, 20)),
      );
    },
  };
};
